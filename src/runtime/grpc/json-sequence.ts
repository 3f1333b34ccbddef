/** Splits a stream of JSON objects that follow one another, as they arrive. */
import { type MessageMemory, PartialMessage } from "./partial-message.ts";
import { RpcError } from "./rpc-error.ts";

/**
 * The text of each object, as soon as its last brace is there. White space between objects is skipped.
 * Throws `InvalidArgument` for anything else between them, or when the stream ends inside one;
 * `ResourceExhausted` when one object is longer than `limit` bytes, or when too many are unfinished.
 */
export async function* jsonObjects(
  chunks: AsyncIterable<Uint8Array>,
  limit: number,
  memory: MessageMemory,
): AsyncGenerator<string> {
  const begun = new PartialMessage(memory);
  let depth = 0;
  let quoted = false;
  let escaped = false;
  try {
    for await (const chunk of chunks) {
      let start = 0;
      for (let at = 0; at < chunk.length; at++) {
        const byte = chunk[at];
        if (escaped) escaped = false;
        else if (quoted) {
          if (byte === 0x5c) escaped = true;
          else if (byte === 0x22) quoted = false;
        } else if (byte === 0x7b) {
          if (depth++ === 0) start = at;
        } else if (depth === 0) {
          if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09)
            throw new RpcError("InvalidArgument", "the request body must be a sequence of JSON objects");
        } else if (byte === 0x22) quoted = true;
        else if (byte === 0x7d && --depth === 0) {
          yield Buffer.concat([begun.bytes, chunk.subarray(start, at + 1)]).toString("utf8");
          begun.clear();
        }
      }
      if (depth === 0) continue;
      begun.add(chunk.subarray(start), limit);
      if (begun.size > limit)
        throw new RpcError("ResourceExhausted", `a message of the request is larger than ${limit} bytes`);
    }
  } finally {
    begun.clear();
  }
  if (depth > 0) throw new RpcError("InvalidArgument", "the request body ends within a JSON object");
}
