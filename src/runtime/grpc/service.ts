/** The gRPC door: protobuf-es services served by `@grpc/grpc-js`. */
import { createServer } from "node:net";
import { type DescMethod, type DescService, fromBinary, type Message, toBinary } from "@bufbuild/protobuf";
import {
  type handleClientStreamingCall,
  type handleServerStreamingCall,
  type handleUnaryCall,
  Metadata,
  Server,
  ServerCredentials,
  type ServerErrorResponse,
  type ServiceDefinition,
  type UntypedHandleCall,
} from "@grpc/grpc-js";
import type { Clock } from "../clock.ts";
import { messagesOf } from "./client-stream.ts";
import { type Door, type DoorOptions, listen, trackSockets } from "./door.ts";
import type { BoundMethod, BoundMethods, CallContext } from "./handlers.ts";
import { canceled, RPC_CODES, RpcError, toRpcError } from "./rpc-error.ts";

/** The library's own default, said aloud: requests of more than 4 MiB are refused, answers have no limit. */
const serverOptions = {
  "grpc.max_receive_message_length": 4 * 1024 * 1024,
  "grpc.max_send_message_length": -1,
  "grpc.enable_channelz": 0,
} as const;

/**
 * Opens listeners for a fixed set of services; the definitions are made once and shared by all of them.
 * Plaintext HTTP/2. Pings are answered however often they come, and an idle connection is never closed.
 */
export class GrpcDoors {
  readonly #services: readonly { readonly definition: ServiceDefinition; readonly handlers: Handlers }[];
  readonly #clock: Clock;

  constructor(services: readonly DescService[], clock: Clock) {
    this.#clock = clock;
    this.#services = services.map((service) => ({
      definition: grpcDefinition(service),
      handlers: handlersOf(service),
    }));
  }

  /** Rejects with `PortInUseError` when the port is taken. */
  async open({ methods, ...at }: DoorOptions & { readonly methods: BoundMethods }): Promise<Door> {
    const grpc = new Server(serverOptions);
    for (const { definition, handlers } of this.#services)
      grpc.addService(definition, Object.create(handlers, { methods: { value: methods } }));
    // Our own listener hands sockets over, so that a taken port is an error with a name.
    const injector = grpc.createConnectionInjector(ServerCredentials.createInsecure());
    const listener = createServer({ noDelay: true }, (socket) => injector.injectConnection(socket));
    const sockets = trackSockets(listener, this.#clock);
    const port = await listen(listener, at);
    return {
      port,
      close: async () => {
        // Says good-bye on every connection; each closes when its last call has ended.
        grpc.tryShutdown(() => {});
        await sockets.close();
      },
    };
  }
}

/** The definition grpc-js wants, keyed by local method name. */
function grpcDefinition(service: DescService): ServiceDefinition {
  return Object.fromEntries(
    service.methods.map((method) => [
      method.localName,
      {
        path: `/${service.typeName}/${method.name}`,
        requestStream: method.methodKind === "client_streaming" || method.methodKind === "bidi_streaming",
        responseStream: method.methodKind === "server_streaming" || method.methodKind === "bidi_streaming",
        requestSerialize: (message: Message) => Buffer.from(toBinary(method.input, message)),
        requestDeserialize: (bytes: Buffer) => fromBinary(method.input, bytes),
        responseSerialize: (message: Message) => Buffer.from(toBinary(method.output, message)),
        responseDeserialize: (bytes: Buffer) => fromBinary(method.output, bytes),
      },
    ]),
  );
}

/** What a handler is called on: so all doors share the functions, and each has methods of its own. */
interface Served {
  readonly methods: BoundMethods;
}

type Handled<H> = H extends (...args: infer A) => infer R ? (this: Served, ...args: A) => R : never;
type Handlers = Readonly<Record<string, Handled<UntypedHandleCall>>>;

function handlersOf(service: DescService): Handlers {
  return Object.fromEntries(service.methods.map((method) => [method.localName, handle(method)]));
}

function handle(method: DescMethod): Handled<UntypedHandleCall> {
  switch (method.methodKind) {
    case "unary":
      return unary(method);
    case "client_streaming":
      return clientStream(method);
    case "server_streaming":
      return serverStream(method);
    case "bidi_streaming":
      throw new TypeError(`${method.name}: bidirectional streams are not served`);
  }
}

type Kind = BoundMethod["kind"];
type CallOf<K extends Kind> = Extract<BoundMethod, { kind: K }>["call"];

function bound<K extends Kind>(method: DescMethod, methods: BoundMethods, kind: K): CallOf<K> {
  const found = methods.get(method);
  if (found?.kind !== kind)
    throw new RpcError("Unimplemented", `${method.parent.typeName}/${method.name} is not served`);
  return found.call as CallOf<K>;
}

const unary = (method: DescMethod): Handled<handleUnaryCall<Message, Message>> =>
  function (call, done) {
    Promise.try(() => bound(method, this.methods, "unary")(call.request, contextOf(call))).then(
      (message) => done(null, message),
      (error: unknown) => done(grpcStatus(error)),
    );
  };

const clientStream = (method: DescMethod): Handled<handleClientStreamingCall<Message, Message>> =>
  function (call, done) {
    Promise.try(() => bound(method, this.methods, "client_streaming")(messagesOf(call), contextOf(call))).then(
      (message) => done(null, message),
      (error: unknown) => {
        if (!call.cancelled) done(grpcStatus(error));
      },
    );
  };

const serverStream = (method: DescMethod): Handled<handleServerStreamingCall<Message, Message>> =>
  async function (call) {
    const signal = callSignal(call);
    let release = (): void => {};
    signal.addEventListener("abort", () => release(), { once: true });
    try {
      for await (const message of bound(method, this.methods, "server_streaming")(call.request, { signal })) {
        if (signal.aborted) return;
        // One message in flight: a slow reader holds back the handler, not memory.
        await new Promise<void>((resolve) => {
          release = resolve;
          call.write(message, () => resolve());
        });
      }
      call.end();
    } catch (error) {
      if (!signal.aborted) call.emit("error", grpcStatus(error));
    }
  };

/** Most calls are over before anybody wants to know whether the caller went away: the signal is made for those who ask. */
function contextOf(call: Cancellable): CallContext {
  let signal: AbortSignal | undefined;
  return {
    get signal() {
      signal ??= callSignal(call);
      return signal;
    },
  };
}

interface Cancellable {
  readonly cancelled: boolean;
  once(event: "cancelled", listener: () => void): unknown;
}

function callSignal(call: Cancellable): AbortSignal {
  const controller = new AbortController();
  const abort = (): void => controller.abort(canceled());
  if (call.cancelled) abort();
  else call.once("cancelled", abort);
  return controller.signal;
}

/** How grpc-js wants a refusal. */
function grpcStatus(error: unknown): ServerErrorResponse {
  const { code, message } = toRpcError(error);
  return Object.assign(new Error(message), { code: RPC_CODES[code], details: message, metadata: new Metadata() });
}
