import { isJsonObject, parseJson } from "#api/meta/json.ts";
import type { WatchEvent } from "#api/meta/object.ts";
import { TransportError } from "./transport.ts";

const NEWLINE = 0x0a;

/**
 * Reads a watch from its bytes: one JSON event a line (Kubernetes API concepts, "Efficient detection of changes"). The lines that a
 * chunk completes are one batch. Chunks may be cut anywhere, inside a character too.
 *
 * Throws `TransportError` on a line that is no event, and on an end inside a line.
 */
export async function* watchLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<readonly WatchEvent[]> {
  let rest: Uint8Array[] = [];
  for await (const chunk of chunks) {
    const end = chunk.lastIndexOf(NEWLINE);
    if (end < 0) {
      rest.push(chunk);
      continue;
    }
    const text = Buffer.concat([...rest, chunk.subarray(0, end)]).toString("utf8");
    rest = end + 1 < chunk.length ? [chunk.subarray(end + 1)] : [];
    const events = text
      .split("\n")
      .filter((line) => line !== "")
      .map(watchEvent);
    if (events.length > 0) yield events;
  }
  if (rest.length > 0) throw new TransportError("the watch ended inside an event");
}

function watchEvent(line: string): WatchEvent {
  let value: unknown;
  try {
    value = parseJson(line);
  } catch (cause) {
    throw new TransportError("the watch sent a line that is not JSON", { cause });
  }
  if (isJsonObject(value) && typeof value.type === "string" && isJsonObject(value.object))
    return value as unknown as WatchEvent;
  throw new TransportError("the watch sent a line that is no event");
}
