/** What a client's stream brings, message by message. */
import type { Message } from "@bufbuild/protobuf";
import type { ServerReadableStream } from "@grpc/grpc-js";
import { canceled } from "./rpc-error.ts";

/** Messages that wait for the handler before the caller is held back. */
const MOST_WAITING = 16;

/**
 * For one reader. Ends with the stream, or throws `Canceled` when the caller is known to have gone away. The stream has an iterator of its own, but that
 * one destroys what has ended already, and makes errors with their stacks on the way: half the work of a short call.
 */
export async function* messagesOf(call: ServerReadableStream<Message, Message>): AsyncGenerator<Message> {
  const waiting: Message[] = [];
  let ended = false;
  let wake = (): void => {};
  call.on("data", (message: Message) => {
    waiting.push(message);
    if (waiting.length >= MOST_WAITING) call.pause();
    wake();
  });
  call.once("end", () => {
    ended = true;
    wake();
  });
  call.once("cancelled", () => wake());
  for (;;) {
    for (let next = waiting.shift(); next; next = waiting.shift()) yield next;
    if (call.cancelled) throw canceled();
    if (ended) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    wake = resolve;
    call.resume();
    await promise;
  }
}
