/** Messages in the bytes of a stream (grpc.io, "gRPC over HTTP2"): whether it is compressed in a byte, its length in four, then itself. */
import { gunzipSync, inflateSync } from "node:zlib";
import { RpcError } from "./rpc-error.ts";

const HEAD_BYTES = 5;

/** As of every gRPC library: longer requests are refused; answers have no limit. */
const MOST_BYTES = 4 * 1024 * 1024;

/** What callers may compress with. */
export const ENCODINGS = "identity,deflate,gzip";

const UNPACK: ReadonlyMap<string, typeof gunzipSync> = new Map([
  ["deflate", inflateSync],
  ["gzip", gunzipSync],
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
  #rest: readonly Buffer[] = [];
  #size = 0;
  #needed = HEAD_BYTES;

  /** `encoding` is that of the messages that say they are compressed: `grpc-encoding` of the request. */
  constructor(encoding = "identity") {
    this.#encoding = encoding;
  }

  /**
   * The messages that are whole by now. Throws `ResourceExhausted` for one that is too long, `Unimplemented` for another encoding than
   * `ENCODINGS`, `Internal` for one that cannot be unpacked; what comes after that is not to be read.
   */
  read(chunk: Buffer): readonly Buffer[] {
    this.#size += chunk.length;
    this.#rest = [...this.#rest, chunk];
    const messages: Buffer[] = [];
    while (this.#size >= this.#needed) {
      const bytes = this.#rest.length === 1 ? (this.#rest[0] as Buffer) : Buffer.concat(this.#rest);
      const length = bytes.readUInt32BE(1);
      if (length > MOST_BYTES)
        throw new RpcError("ResourceExhausted", `received message larger than max (${length} vs. ${MOST_BYTES})`);
      const size = HEAD_BYTES + length;
      const isWhole = this.#size >= size;
      if (isWhole) messages.push(this.#unpack(bytes[0] === 1, bytes.subarray(HEAD_BYTES, size)));
      this.#rest = isWhole ? [bytes.subarray(size)] : [bytes];
      if (isWhole) this.#size -= size;
      this.#needed = isWhole ? HEAD_BYTES : size;
    }
    if (this.#size === 0) this.#rest = [];
    return messages;
  }

  #unpack(isCompressed: boolean, bytes: Buffer): Buffer {
    if (!isCompressed || this.#encoding === "identity") return bytes;
    const unpack = UNPACK.get(this.#encoding);
    if (!unpack)
      throw new RpcError("Unimplemented", `messages are compressed with ${this.#encoding}, not with ${ENCODINGS}`);
    try {
      return unpack(bytes, { maxOutputLength: MOST_BYTES });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE")
        throw new RpcError("ResourceExhausted", `received message that decompresses to more than ${MOST_BYTES} bytes`);
      throw new RpcError("Internal", "a message cannot be decompressed", { cause: error });
    }
  }
}
