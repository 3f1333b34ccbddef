/** Messages in the bytes of a stream (grpc.io, "gRPC over HTTP2"): whether it is compressed in a byte, its length in four, then itself. */
import { gunzipSync, inflateSync } from "node:zlib";
import { type MessageMemory, PartialMessage } from "./partial-message.ts";
import { RpcError } from "./rpc-error.ts";

const HEAD_BYTES = 5;

/** As of every gRPC library: longer requests are refused; answers have no limit. */
const MOST_BYTES = 4 * 1024 * 1024;

/** What callers may compress with. */
export const ENCODINGS = "identity,deflate,gzip";

/** Asked for on use: few games compress, and the module takes a while to load. */
const UNPACK: ReadonlyMap<string, () => typeof gunzipSync> = new Map([
  ["deflate", () => inflateSync],
  ["gzip", () => gunzipSync],
]);

/** A message as it goes out, never compressed. */
export function frame(message: Uint8Array): Buffer {
  const bytes = Buffer.allocUnsafe(HEAD_BYTES + message.length);
  bytes[0] = 0;
  bytes.writeUInt32BE(message.length, 1);
  bytes.set(message, HEAD_BYTES);
  return bytes;
}

/** Takes the messages of one caller out of the chunks in which they come. */
export class FrameReader {
  readonly #encoding: string;
  readonly #memory: MessageMemory;
  #rest: PartialMessage | undefined;

  /** `encoding` is that of the messages that say they are compressed: `grpc-encoding` of the request. */
  constructor(memory: MessageMemory, encoding = "identity") {
    this.#memory = memory;
    this.#encoding = encoding;
  }

  /**
   * The messages that are whole by now, for `open`. Throws `ResourceExhausted` for one that is too long, or when too many are unfinished;
   * what comes after that is not to be read.
   */
  read(chunk: Buffer): readonly Buffer[] {
    this.#rest?.add(chunk, frameEnd(this.#rest.bytes, 0));
    const bytes = this.#rest?.bytes ?? chunk;
    const frames: Buffer[] = [];
    let start = 0;
    for (let end = frameEnd(bytes, 0); end <= bytes.length; end = frameEnd(bytes, start)) {
      frames.push(bytes.subarray(start, end));
      start = end;
    }
    if (start > 0) this.drop();
    if (start < bytes.length && !this.#rest) {
      this.#rest = new PartialMessage(this.#memory);
      this.#rest.add(bytes.subarray(start), 0);
    }
    return frames;
  }

  /**
   * The message that was read. Throws `Unimplemented` for another encoding than `ENCODINGS`, `Internal` for one that cannot be unpacked,
   * `ResourceExhausted` when it would be too long then.
   */
  open(frame: Buffer): Buffer {
    const [flag] = frame;
    const bytes = frame.subarray(HEAD_BYTES);
    if (flag === 0) return bytes;
    if (flag !== 1 || this.#encoding === "identity")
      throw new RpcError("Internal", `a message has the flag ${flag}, and its call the encoding ${this.#encoding}`);
    const unpack = UNPACK.get(this.#encoding);
    if (!unpack)
      throw new RpcError("Unimplemented", `messages are compressed with ${this.#encoding}, not with ${ENCODINGS}`);
    try {
      return unpack()(bytes, { maxOutputLength: MOST_BYTES });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE")
        throw new RpcError("ResourceExhausted", `received message that decompresses to more than ${MOST_BYTES} bytes`);
      throw new RpcError("Internal", "a message cannot be decompressed", { cause: error });
    }
  }

  /** Nothing more is read: what is unfinished is let go. */
  drop(): void {
    this.#rest?.clear();
    this.#rest = undefined;
  }
}

/** Where the message ends that begins at `start`; beyond the end while that is not known. */
function frameEnd(bytes: Buffer, start: number): number {
  if (bytes.length - start < HEAD_BYTES) return Number.POSITIVE_INFINITY;
  const length = bytes.readUInt32BE(start + 1);
  if (length > MOST_BYTES)
    throw new RpcError("ResourceExhausted", `received message larger than max (${length} vs. ${MOST_BYTES})`);
  return start + HEAD_BYTES + length;
}
