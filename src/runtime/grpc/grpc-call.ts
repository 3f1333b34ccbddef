/** One gRPC call on its HTTP/2 stream (grpc.io, "gRPC over HTTP2"): messages in, messages out, and one status at the end. */
import type { IncomingHttpHeaders, OutgoingHttpHeaders, ServerHttp2Stream } from "node:http2";
import { type DescMethod, fromBinary, type Message, toBinary } from "@bufbuild/protobuf";
import type { Clock } from "../clock.ts";
import { ENCODINGS, FrameReader, frame } from "./grpc-frame.ts";
import { timeoutMs } from "./grpc-timeout.ts";
import type { CallContext } from "./handlers.ts";
import type { MessageMemory } from "./partial-message.ts";
import { canceled, deadlineExceeded, RPC_CODES, RpcError, toRpcError } from "./rpc-error.ts";

const HEADERS = { ":status": 200, "content-type": "application/grpc", "grpc-accept-encoding": ENCODINGS };

/** Messages that wait for the handler before the caller is held back. */
const MOST_WAITING = 16;

/** Of a refusal's text as it is sent. Headers of more than 8 KiB are refused by some clients, of more than 64 KiB with the connection. */
const MOST_TEXT_BYTES = 4096;

/** Fields that nobody knows would be kept one by one. */
const READ = { readUnknownFields: false };

type Next = IteratorResult<Message, undefined>;

/** What all calls of a door have in common. */
export interface CallNeeds {
  readonly clock: Clock;
  readonly memory: MessageMemory;
}

/** Its messages are for one reader. What a reader or an answer finds when the call is over is `signal`'s reason. */
export class GrpcCall implements CallContext, AsyncIterable<Message> {
  readonly #stream: ServerHttp2Stream;
  readonly #method: DescMethod;
  readonly #frames: FrameReader;
  readonly #cancelDeadline: (() => void) | undefined;
  /** Still packed: a small message may unpack to a large one. */
  #waiting: Buffer[] = [];
  #sent: (() => void) | undefined;
  #asked: PromiseWithResolvers<Next> | undefined;
  #abort: AbortController | undefined;
  /** Why it ended before its time. */
  #broken: RpcError | undefined;
  #isRead = false;
  #isFinished = false;

  constructor(
    stream: ServerHttp2Stream,
    headers: IncomingHttpHeaders,
    method: DescMethod,
    { clock, memory }: CallNeeds,
  ) {
    this.#stream = stream;
    this.#method = method;
    this.#frames = new FrameReader(memory, headers["grpc-encoding"] as string | undefined);
    stream.on("data", (chunk: Buffer) => this.#take(chunk));
    stream.on("end", () => {
      this.#isRead = true;
      this.#hand();
    });
    stream.on("close", () => {
      this.#cancelDeadline?.();
      this.#frames.drop();
      // The signal, too, of a call that has ended well: whoever still waits on it waits in vain.
      if (!this.#isFinished || this.#abort) this.#break(canceled());
    });
    const timeout = headers["grpc-timeout"];
    const ms = timeoutMs(timeout);
    if (ms !== undefined) this.#cancelDeadline = clock.after(ms, () => this.#break(deadlineExceeded()));
    else if (timeout !== undefined) this.#break(new RpcError("Internal", `malformed grpc-timeout: ${timeout}`));
  }

  get signal(): AbortSignal {
    this.#abort ??= new AbortController();
    if (this.#broken) this.#abort.abort(this.#broken);
    return this.#abort.signal;
  }

  /** Nobody waits for anything any more. */
  get isOver(): boolean {
    return this.#isFinished || this.#stream.destroyed || this.#stream.closed;
  }

  [Symbol.asyncIterator](): AsyncIterator<Message, undefined> {
    return this;
  }

  next(): Promise<Next> {
    this.#asked = Promise.withResolvers<Next>();
    const { promise } = this.#asked;
    this.#hand();
    return promise;
  }

  /** The only message of a call that has one. */
  async request(): Promise<Message> {
    const { value: request } = await this.next();
    if (request && (await this.next()).done) return request;
    throw new RpcError("Unimplemented", `${this.#method.name} takes exactly one message`);
  }

  /** Resolves when the message has left, or when nobody waits for it any more. */
  send(message: Message): Promise<void> {
    if (this.isOver) return Promise.resolve();
    this.#respond();
    const bytes = this.#frame(message);
    return new Promise((resolve) => {
      this.#sent = resolve;
      this.#stream.write(bytes, () => resolve());
    });
  }

  /** The call has ended well. */
  end(message?: Message): void {
    if (this.isOver) return;
    this.#respond();
    this.#finish({ "grpc-status": RPC_CODES.OK }, message && this.#frame(message));
  }

  refuse(error: unknown): void {
    if (!this.isOver) this.#finish(statusOf(error));
  }

  #respond(): void {
    if (!this.#stream.headersSent) this.#stream.respond(HEADERS, { waitForTrailers: true });
  }

  #finish(status: OutgoingHttpHeaders, last?: Buffer): void {
    this.#isFinished = true;
    this.#frames.drop();
    const stream = this.#stream;
    if (stream.headersSent) {
      stream.once("wantTrailers", () => stream.sendTrailers(status));
      stream.end(last);
    } else stream.respond({ ...HEADERS, ...status }, { endStream: true });
    // What the caller still sends is passed over, so that the stream can close.
    stream.resume();
  }

  /** The caller has gone, its time is up, or it sends what cannot be read. */
  #break(reason: RpcError): void {
    this.refuse(reason);
    this.#isFinished = true;
    this.#broken = reason;
    this.#abort?.abort(reason);
    this.#hand();
    this.#sent?.();
  }

  #take(chunk: Buffer): void {
    if (this.#isFinished) return;
    try {
      this.#waiting.push(...this.#frames.read(chunk));
      if (this.#waiting.length >= MOST_WAITING) this.#stream.pause();
      this.#hand();
    } catch (error) {
      this.#break(toRpcError(error));
    }
  }

  /** Gives the reader what it asked for, if that is there. */
  #hand(): void {
    const asked = this.#asked;
    if (!asked) return;
    const bytes = this.#waiting.shift();
    if (bytes) this.#decode(bytes, asked);
    else if (this.#broken) asked.reject(this.#broken);
    else if (this.#isRead) asked.resolve({ done: true, value: undefined });
    else {
      this.#stream.resume();
      return;
    }
    this.#asked = undefined;
  }

  #decode(bytes: Buffer, { resolve, reject }: PromiseWithResolvers<Next>): void {
    try {
      resolve({ done: false, value: fromBinary(this.#method.input, this.#frames.open(bytes), READ) });
    } catch (error) {
      const refusal = new RpcError("Internal", `${this.#method.input.name} cannot be read`, { cause: error });
      reject(error instanceof RpcError ? error : refusal);
    }
  }

  #frame(message: Message): Buffer {
    return frame(toBinary(this.#method.output, message));
  }
}

/** The answer that is nothing but a refusal. */
export const refusalHeaders = (error: unknown): OutgoingHttpHeaders => ({ ...HEADERS, ...statusOf(error) });

function statusOf(error: unknown): OutgoingHttpHeaders {
  const { code, message } = toRpcError(error);
  return { "grpc-status": RPC_CODES[code], "grpc-message": percentEncoded(message) };
}

/** As `grpc-message` is sent: printable ASCII without the percent sign stays. What would be too long is cut. */
function percentEncoded(text: string): string {
  const encoded = text
    .slice(0, MOST_TEXT_BYTES)
    .toWellFormed()
    .replace(/[^\x20-\x24\x26-\x7e]/gu, encodeURIComponent);
  if (encoded.length <= MOST_TEXT_BYTES) return encoded;
  // Not within the bytes of one character.
  return encoded.slice(0, MOST_TEXT_BYTES).replace(/(?:%[C-F][0-9A-F])?(?:%[89AB][0-9A-F])*(?:%[0-9A-F]?)?$/, "");
}
