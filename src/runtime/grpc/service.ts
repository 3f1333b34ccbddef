/** The gRPC door: protobuf services over `node:http2`, without a library between, of which every open call would hold a part. */
import {
  type IncomingHttpHeaders,
  type OutgoingHttpHeaders,
  performServerHandshake,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from "node:http2";
import { createServer } from "node:net";
import type { DescMethod, DescService } from "@bufbuild/protobuf";
import type { Clock } from "../clock.ts";
import { type Door, type DoorOptions, OpenSockets, openServer } from "./door.ts";
import { type CallNeeds, GrpcCall, refusalHeaders } from "./grpc-call.ts";
import type { BoundMethods } from "./handlers.ts";
import { MessageMemory } from "./partial-message.ts";
import { RpcError } from "./rpc-error.ts";

const SESSION_OPTIONS = {
  // Calls are counted instead. Clients that know of the limit wait with more; whoever goes beyond it loses the connection.
  settings: { maxConcurrentStreams: 10_000 },
  maxSessionMemory: Number.MAX_SAFE_INTEGER,
};

/** With any codec, for there is one alone; but not what only begins alike, such as that of gRPC-Web. */
const CONTENT_TYPE = /^application\/grpc(?:[+;]|$)/i;

/** A connection, and how many of its calls are under way. */
interface Spoken {
  readonly session: ServerHttp2Session;
  calls: number;
}

/**
 * Opens listeners for a fixed set of services. Plaintext HTTP/2. Pings are answered however often they come, and an idle connection is
 * never closed.
 */
export class GrpcDoors {
  readonly #methods: ReadonlyMap<string | undefined, DescMethod>;
  readonly #clock: Clock;

  constructor(services: readonly DescService[], clock: Clock) {
    this.#clock = clock;
    this.#methods = new Map(
      services.flatMap(({ typeName, methods }) => methods.map((method) => [`/${typeName}/${method.name}`, method])),
    );
  }

  /** Rejects with `PortInUseError` when the port is taken. */
  async open({ methods, ...at }: DoorOptions & { readonly methods: BoundMethods }): Promise<Door> {
    const sockets = new OpenSockets<Spoken>(this.#clock);
    const needs = { clock: this.#clock, memory: new MessageMemory() };
    const listener = createServer({ noDelay: true }, (socket) => {
      const session = performServerHandshake(socket, SESSION_OPTIONS);
      // The close that follows ends its calls.
      session.on("error", ignore);
      const spoken = { session, calls: 0 };
      session.on("stream", (stream, headers) => {
        spoken.calls++;
        stream.once("close", () => spoken.calls--);
        this.#serve(methods, needs, stream, headers);
      });
      sockets.add(socket, spoken);
    });
    const port = await openServer(listener, at, () => {
      for (const { session, calls } of sockets.spoken) if (calls === 0) session.close();
    });
    return {
      port,
      close: () => {
        // Says good-bye on every connection; each closes when its last call has ended.
        for (const { session } of sockets.spoken) session.close();
        return sockets.close(listener);
      },
    };
  }

  #serve(methods: BoundMethods, needs: CallNeeds, stream: ServerHttp2Stream, headers: IncomingHttpHeaders): void {
    stream.on("error", ignore);
    if (stream.destroyed || stream.closed) return;
    const path = headers[":path"];
    const method = this.#methods.get(path);
    // Of a stream that nobody reads from, the platform ends the other half itself.
    const refuse = (answer: OutgoingHttpHeaders): void => stream.respond(answer, { endStream: true });
    if (headers[":method"] !== "POST") refuse({ ":status": 405, allow: "POST" });
    else if (!CONTENT_TYPE.test(headers["content-type"] ?? "")) refuse({ ":status": 415 });
    else if (!method)
      refuse(refusalHeaders(new RpcError("Unimplemented", `The server does not implement the method ${path}`)));
    else void answer(new GrpcCall(stream, headers, method, needs), method, methods);
  }
}

const ignore = (): void => {};

async function answer(call: GrpcCall, method: DescMethod, methods: BoundMethods): Promise<void> {
  try {
    const bound = methods.get(method);
    switch (bound?.kind) {
      case "unary":
        call.end(await bound.call(await call.request(), call));
        break;
      case "client_streaming":
        call.end(await bound.call(call, call));
        break;
      case "server_streaming":
        for await (const message of bound.call(await call.request(), call)) {
          if (call.isOver) return;
          // One message in flight: a slow reader holds back the handler, not memory.
          await call.send(message);
        }
        call.end();
        break;
      case undefined:
        throw new RpcError("Unimplemented", `${method.parent.typeName}/${method.name} is not served`);
    }
  } catch (error) {
    call.refuse(error);
  }
}
