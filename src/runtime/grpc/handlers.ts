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
export type Handler<M extends DescMethod> = M["methodKind"] extends "unary"
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

/** What a door serves: every method of every service, bound to the handlers of one listener. */
export type BoundMethods = ReadonlyMap<DescMethod, BoundMethod>;

type AnyUnary = (request: unknown, context: CallContext) => Promise<Record<string, unknown>>;
type AnyStream = (request: Message, context: CallContext) => AsyncIterable<Record<string, unknown>>;

/** Binds typed handlers to the methods of their service. */
export function bindService<S extends DescService>(
  service: S,
  handlers: ServiceHandlers<S>,
): readonly (readonly [DescMethod, BoundMethod])[] {
  return service.methods.map((method) => [method, bind(method, handlers[method.localName as keyof S["method"]])]);
}

function bind(method: DescMethod, handler: unknown): BoundMethod {
  const answer = (init: Record<string, unknown>): Message => create(method.output, init);
  switch (method.methodKind) {
    case "unary":
    case "client_streaming": {
      const call: (request: unknown, context: CallContext) => Promise<Message> = async (request, context) =>
        answer(await (handler as AnyUnary)(request, context));
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
