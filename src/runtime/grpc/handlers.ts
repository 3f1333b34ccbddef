/** Handlers of a protobuf service: one typed function a method, called by the gRPC door and the REST door alike. */
import {
  create,
  type DescMessage,
  type DescMethod,
  type DescService,
  type Message,
  type MessageInitShape,
  type MessageShape,
} from "@bufbuild/protobuf";

export interface CallContext {
  /** Aborts with an `RpcError` when the caller went away, the deadline passed or the door closed. */
  readonly signal: AbortSignal;
}

type Answer<O extends DescMessage> = MessageInitShape<O> | Promise<MessageInitShape<O>>;

/** The function that serves one method. Refuse with `RpcError`; anything else thrown becomes code `Unknown`. */
type Handler<M extends DescMethod> = M["methodKind"] extends "unary"
  ? (request: MessageShape<M["input"]>, context: CallContext) => Answer<M["output"]>
  : M["methodKind"] extends "server_streaming"
    ? (request: MessageShape<M["input"]>, context: CallContext) => AsyncIterable<MessageInitShape<M["output"]>>
    : M["methodKind"] extends "client_streaming"
      ? (requests: AsyncIterable<MessageShape<M["input"]>>, context: CallContext) => Answer<M["output"]>
      : never;

export type ServiceHandlers<S extends DescService> = { readonly [K in keyof S["method"]]: Handler<S["method"][K]> };

/** A method and its handler, with the message types erased. */
export type BoundMethod =
  | { readonly kind: "unary"; readonly call: (request: Message, context: CallContext) => Promise<Message> }
  | {
      readonly kind: "server_streaming";
      readonly call: (request: Message, context: CallContext) => AsyncIterable<Message>;
    }
  | {
      readonly kind: "client_streaming";
      readonly call: (requests: AsyncIterable<Message>, context: CallContext) => Promise<Message>;
    };

/** What a door serves: the methods of all services, with the handlers of one listener. */
export interface BoundMethods {
  get(method: DescMethod): BoundMethod | undefined;
}

/** A service with its handlers. */
export interface Binding {
  readonly service: DescService;
  readonly handlers: Readonly<Record<string, unknown>>;
}

/** Typed handlers for a service: one for each of its methods. */
export function bindService<S extends DescService>(service: S, handlers: ServiceHandlers<S>): Binding {
  return { service, handlers };
}

/** The methods of several services. Nothing is made per method before it is called: listeners may be many. */
export function boundMethods(...bindings: readonly Binding[]): BoundMethods {
  return {
    get: (method) => {
      const binding = bindings.find(({ service }) => service === method.parent);
      return binding && bind(method, binding.handlers[method.localName]);
    },
  };
}

type AnyAnswer = (request: unknown, context: CallContext) => Promise<Record<string, unknown>>;
type AnyStream = (request: Message, context: CallContext) => AsyncIterable<Record<string, unknown>>;

function bind(method: DescMethod, handler: unknown): BoundMethod {
  const answer = (init: Record<string, unknown>): Message => create(method.output, init);
  switch (method.methodKind) {
    case "unary":
    case "client_streaming": {
      const call: (request: unknown, context: CallContext) => Promise<Message> = async (request, context) =>
        answer(await (handler as AnyAnswer)(request, context));
      return { kind: method.methodKind, call };
    }
    case "server_streaming":
      return {
        kind: "server_streaming",
        call: async function* (request, context) {
          for await (const init of (handler as AnyStream)(request, context)) yield answer(init);
        },
      };
    case "bidi_streaming":
      throw new TypeError(`${method.name}: bidirectional streams are not served`);
  }
}
