import type { DescMethod, Message } from "@bufbuild/protobuf";
import type { BoundMethod, BoundMethods } from "#runtime/grpc/handlers.ts";
import { type RpcError, toRpcError } from "#runtime/grpc/rpc-error.ts";

/** Hears of calls as they are served. */
export interface CallListener {
  /** A call has begun; a stream of messages to us has no request. */
  called(method: DescMethod, request: Message | undefined): void;
  /** A message of a stream came in or went out. */
  streamed(method: DescMethod, message: Message): void;
  /** A call has ended well; a stream of messages from us has no answer. */
  answered(method: DescMethod, request: Message | undefined, answer: Message | undefined): void;
  refused(method: DescMethod, request: Message | undefined, error: RpcError): void;
}

/** The same methods, with listeners that hear of each call. */
export function toldMethods(methods: BoundMethods, listeners: readonly CallListener[]): BoundMethods {
  const tell = (word: (listener: CallListener) => void): void => listeners.forEach(word);
  return {
    get: (method) => {
      const bound = methods.get(method);
      return bound && toldMethod(method, bound, tell);
    },
  };
}

function toldMethod(
  method: DescMethod,
  bound: BoundMethod,
  tell: (word: (listener: CallListener) => void) => void,
): BoundMethod {
  const answering = async (request: Message | undefined, answer: Promise<Message>): Promise<Message> => {
    try {
      const message = await answer;
      tell((listener) => listener.answered(method, request, message));
      return message;
    } catch (error) {
      tell((listener) => listener.refused(method, request, toRpcError(error)));
      throw error;
    }
  };
  const streaming = async function* (messages: AsyncIterable<Message>): AsyncGenerator<Message> {
    for await (const message of messages) {
      tell((listener) => listener.streamed(method, message));
      yield message;
    }
  };
  switch (bound.kind) {
    case "unary":
      return {
        kind: "unary",
        call: (request, context) => {
          tell((listener) => listener.called(method, request));
          return answering(request, bound.call(request, context));
        },
      };
    case "client_streaming":
      return {
        kind: "client_streaming",
        call: (requests, context) => {
          tell((listener) => listener.called(method, undefined));
          return answering(undefined, bound.call(streaming(requests), context));
        },
      };
    case "server_streaming":
      return {
        kind: "server_streaming",
        call: async function* (request, context) {
          tell((listener) => listener.called(method, request));
          try {
            yield* streaming(bound.call(request, context));
            tell((listener) => listener.answered(method, request, undefined));
          } catch (error) {
            tell((listener) => listener.refused(method, request, toRpcError(error)));
            throw error;
          }
        },
      };
  }
}
