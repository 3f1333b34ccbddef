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
import { mapped } from "../mapped.ts";

export interface CallContext {
  /** Aborts with an `RpcError` when the caller went away, the deadline passed or the door closed. */
  readonly signal: AbortSignal;
}

type Answer<O extends DescMessage> = MessageInitShape<O> | Promise<MessageInitShape<O>>;

/**
 * The function that serves one method, for any listener: `served` is what the one at hand has of its own. Refuse with `RpcError`; anything
 * else thrown becomes code `Unknown`.
 */
type Handler<M extends DescMethod, T> = M["methodKind"] extends "unary"
  ? (request: MessageShape<M["input"]>, context: CallContext, served: T) => Answer<M["output"]>
  : M["methodKind"] extends "server_streaming"
    ? (
        request: MessageShape<M["input"]>,
        context: CallContext,
        served: T,
      ) => AsyncIterable<MessageInitShape<M["output"]>>
    : M["methodKind"] extends "client_streaming"
      ? (requests: AsyncIterable<MessageShape<M["input"]>>, context: CallContext, served: T) => Answer<M["output"]>
      : never;

export type ServiceHandlers<S extends DescService, T = unknown> = {
  readonly [K in keyof S["method"]]: Handler<S["method"][K], T>;
};

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

/** A service with its handlers; what they serve, a `T`, comes with each listener. */
export interface Binding<T> {
  readonly service: DescService;
  bind(method: DescMethod, served: T): BoundMethod;
}

/** Typed handlers for a service: one for each of its methods. */
export function bindService<S extends DescService, T>(service: S, handlers: ServiceHandlers<S, T>): Binding<T> {
  const all: Readonly<Record<string, unknown>> = handlers;
  return { service, bind: (method, served) => bind(method, all[method.localName], served) };
}

/** The methods of several services for one listener. Nothing is made per method before it is called: listeners may be many. */
export function boundMethods<T>(served: T, ...bindings: readonly Binding<T>[]): BoundMethods {
  return { get: (method) => bindings.find(({ service }) => service === method.parent)?.bind(method, served) };
}

type Init = Record<string, unknown>;
type AnyAnswer = (request: unknown, context: CallContext, served: unknown) => Promise<Init>;
type AnyStream = (request: Message, context: CallContext, served: unknown) => AsyncIterable<Init>;

function bind(method: DescMethod, handler: unknown, served: unknown): BoundMethod {
  const answer = (init: Init): Message => create(method.output, init);
  switch (method.methodKind) {
    case "unary":
    case "client_streaming": {
      const call: (request: unknown, context: CallContext) => Promise<Message> = async (request, context) =>
        answer(await (handler as AnyAnswer)(request, context, served));
      return { kind: method.methodKind, call };
    }
    case "server_streaming":
      return {
        kind: "server_streaming",
        call: (request, context) => mapped((handler as AnyStream)(request, context, served), answer),
      };
    case "bidi_streaming":
      throw new TypeError(`${method.name}: bidirectional streams are not served`);
  }
}
