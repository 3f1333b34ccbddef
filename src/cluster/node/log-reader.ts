/** Reads the log of a run: a part of it, or on and on while it grows. */
import type { Clock } from "#runtime/clock.ts";
import { LogParts, type LogPlace } from "./log-parts.ts";

export interface LogSelection {
  /** The last lines only. */
  readonly tailLines?: number;
  /** Nothing before this byte; those of the older part are negative. */
  readonly startAt?: number;
  /** Go on at this place, whatever else is asked of where to begin. */
  readonly from?: LogPlace;
  /** Stop after so many bytes. */
  readonly limitBytes?: number;
}

export interface Follow {
  /** Nothing will be written any more. */
  readonly ended: () => boolean;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

export interface LogChunk {
  /** Where it stood when it was read, from the beginning of the present part on. */
  readonly offset: number;
  readonly bytes: Buffer;
  /** Where the next one begins. */
  readonly next: LogPlace;
}

const CHUNK_BYTES = 64 * 1024;
const FOLLOW_MS = 200;
const NEWLINE = 10;

/**
 * Reads both parts of a log as one, also across a rotation. Without `follow`, ends where the log ended when it began.
 * Rejects when there is no such file. What follows begins with an empty chunk.
 */
export async function* readLog(file: string, selection: LogSelection, follow?: Follow): AsyncGenerator<LogChunk> {
  await using parts = await LogParts.open(file);
  let offset = selection.from ? parts.offsetOf(selection.from) : await firstOffset(parts, selection);
  let left = selection.limitBytes ?? Number.POSITIVE_INFINITY;
  // Who writes as fast as this reads would keep it from its end.
  if (!follow) left = Math.min(left, (await parts.size()) - offset);
  // Where to go on is told before there is anything to read.
  if (follow) yield { offset, bytes: Buffer.alloc(0), next: parts.placeOf(offset) };
  while (left > 0) {
    // Asked before reading: what was written before the end is read after it.
    const ended = follow === undefined || follow.signal.aborted || follow.ended();
    const bytes = await parts.read(offset, Math.min(CHUNK_BYTES, left));
    // The older part stays what it is as long as it is open.
    const now = offset < 0 ? offset : await parts.follow(offset);
    if (now !== offset) {
      offset = now;
    } else if (bytes.length > 0) {
      const next = offset + bytes.length;
      yield { offset, bytes, next: parts.placeOf(next) };
      offset = next;
      left -= bytes.length;
    } else if (offset < 0) {
      offset = 0;
    } else if (ended) return;
    else {
      await follow.clock.sleep(FOLLOW_MS, follow.signal).catch(() => {});
      const size = await parts.size();
      if (size >= offset) continue;
      // Shorter without a rotation: somebody else emptied it.
      const moved = await parts.follow(offset);
      offset = moved === offset ? 0 : moved;
    }
  }
}

async function firstOffset(parts: LogParts, { startAt, tailLines }: LogSelection): Promise<number> {
  return Math.max(parts.start, startAt ?? parts.start, await tailStart(parts, tailLines));
}

/** Where the last `lines` lines begin. A last line without its end counts. */
async function tailStart(parts: LogParts, lines: number | undefined): Promise<number> {
  if (lines === undefined) return parts.start;
  const size = await parts.size();
  if (lines <= 0) return size;
  let missing = lines;
  let position = size;
  while (position > parts.start) {
    // A read stays within one part.
    const length = Math.min(CHUNK_BYTES, position - (position > 0 ? 0 : parts.start));
    position -= length;
    const bytes = await parts.read(position, length);
    for (let index = bytes.length - 1; index >= 0; index--) {
      if (bytes[index] !== NEWLINE || position + index === size - 1) continue;
      if (--missing === 0) return position + index + 1;
    }
  }
  return parts.start;
}

/** Puts the time before each line (RFC 3339), as `timeAt` knows it for the place in the log. */
export async function* stampLines(
  chunks: AsyncIterable<LogChunk>,
  timeAt: (offset: number) => number,
  atLineStart = true,
): AsyncGenerator<LogChunk> {
  let lineBegins = atLineStart;
  for await (const chunk of chunks) {
    const { offset, bytes } = chunk;
    const parts: Buffer[] = [];
    for (let start = 0; start < bytes.length; ) {
      const newline = bytes.indexOf(NEWLINE, start);
      const end = newline < 0 ? bytes.length : newline + 1;
      if (lineBegins) parts.push(Buffer.from(`${new Date(timeAt(offset + start)).toISOString()} `));
      parts.push(bytes.subarray(start, end));
      lineBegins = newline >= 0;
      start = end;
    }
    yield { ...chunk, bytes: Buffer.concat(parts) };
  }
}
