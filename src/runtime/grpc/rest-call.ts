/** The life of one HTTP call: its signal, its deadline, and waiting for a slow reader. */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Clock } from "../clock.ts";
import { timeoutMs } from "./grpc-timeout.ts";
import type { CallContext } from "./handlers.ts";
import { type MessageMemory, PartialMessage } from "./partial-message.ts";
import { canceled, deadlineExceeded, RpcError } from "./rpc-error.ts";

export class CallScope implements CallContext {
  /** Of the door that the call came by. */
  readonly memory: MessageMemory;
  readonly #abort = new AbortController();
  readonly #response: ServerResponse;
  readonly #clock: Clock;
  #cancelDeadline: (() => void) | undefined;
  #release = (): void => {};

  constructor(response: ServerResponse, clock: Clock, memory: MessageMemory) {
    this.memory = memory;
    this.#response = response;
    this.#clock = clock;
    response.once("close", () => this.#end(canceled()));
  }

  /** `Grpc-Timeout` of the request sets the deadline; without it there is none. Throws `InvalidArgument` for what is no timeout. */
  limit(timeout: string | readonly string[] | undefined): void {
    if (!timeout) return;
    const ms = timeoutMs(timeout);
    if (ms === undefined) throw new RpcError("InvalidArgument", `invalid grpc-timeout: ${timeout}`);
    this.#cancelDeadline = this.#clock.after(ms, () => this.#end(deadlineExceeded()));
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** The answer, unless the deadline passes or the caller leaves first. */
  bounded<T>(answer: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.signal.addEventListener("abort", () => reject(this.signal.reason), { once: true });
      answer.then(resolve, reject);
    });
  }

  /** Resolves when what was written has left, or when the call is over. */
  drained(): Promise<void> {
    return new Promise((resolve) => {
      if (this.signal.aborted) return resolve();
      this.#release = resolve;
      this.#response.once("drain", resolve);
    });
  }

  /** Call when the answer is written. */
  end(): void {
    this.#cancelDeadline?.();
  }

  #end(reason: RpcError): void {
    this.#abort.abort(reason);
    this.#release();
  }
}

/** The whole body as text. Refuses with `ResourceExhausted` beyond `limit` bytes, or when too many are unfinished. */
export async function readBody(request: IncomingMessage, limit: number, memory: MessageMemory): Promise<string> {
  const body = new PartialMessage(memory);
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) {
      const size = body.size + chunk.length;
      if (size > limit)
        throw new RpcError("ResourceExhausted", `received message larger than max (${size} vs. ${limit})`);
      body.add(chunk, limit);
    }
    return body.bytes.toString("utf8");
  } finally {
    body.clear();
  }
}
