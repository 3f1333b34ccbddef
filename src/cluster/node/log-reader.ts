/** Reads the log of a run: a part of it, or on and on while it grows. */
import { open } from "node:fs/promises";
import type { Clock } from "#runtime/clock.ts";

export interface LogSelection {
  /** The last lines only. */
  readonly tailLines?: number;
  /** Nothing before this byte. */
  readonly startAt?: number;
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
  /** Where in the file it stood. */
  readonly offset: number;
  readonly bytes: Buffer;
}

const CHUNK_BYTES = 64 * 1024;
const FOLLOW_MS = 200;
const NEWLINE = 10;

/** Without `follow`, ends where the file ended when the last byte was read. Rejects when there is no such file. */
export async function* readLog(file: string, selection: LogSelection, follow?: Follow): AsyncGenerator<LogChunk> {
  await using handle = await open(file, "r");
  let offset = Math.max(selection.startAt ?? 0, await tailStart(handle, selection.tailLines));
  let left = selection.limitBytes ?? Number.POSITIVE_INFINITY;
  while (left > 0) {
    // Asked before reading: what was written before the end is read after it.
    const ended = follow === undefined || follow.signal.aborted || follow.ended();
    const { bytesRead, buffer } = await handle.read(Buffer.alloc(Math.min(CHUNK_BYTES, left)), { position: offset });
    if (bytesRead > 0) {
      yield { offset, bytes: buffer.subarray(0, bytesRead) };
      offset += bytesRead;
      left -= bytesRead;
    } else if (ended) return;
    else {
      await follow.clock.sleep(FOLLOW_MS, follow.signal).catch(() => {});
      if ((await handle.stat()).size < offset) offset = 0;
    }
  }
}

/** Where the last `lines` lines begin. A last line without its end counts. */
async function tailStart(handle: Awaited<ReturnType<typeof open>>, lines: number | undefined): Promise<number> {
  const { size } = await handle.stat();
  if (lines === undefined) return 0;
  if (lines <= 0) return size;
  let missing = lines;
  let position = size;
  while (position > 0) {
    const length = Math.min(CHUNK_BYTES, position);
    position -= length;
    const { buffer } = await handle.read(Buffer.alloc(length), { position });
    for (let index = length - 1; index >= 0; index--) {
      if (buffer[index] !== NEWLINE || position + index === size - 1) continue;
      if (--missing === 0) return position + index + 1;
    }
  }
  return 0;
}

/** Puts the time before each line (RFC 3339), as `timeAt` knows it for the place in the file. */
export async function* stampLines(
  chunks: AsyncIterable<LogChunk>,
  timeAt: (offset: number) => number,
): AsyncGenerator<Buffer> {
  let lineBegins = true;
  for await (const { offset, bytes } of chunks) {
    const parts: Buffer[] = [];
    for (let start = 0; start < bytes.length; ) {
      const newline = bytes.indexOf(NEWLINE, start);
      const end = newline < 0 ? bytes.length : newline + 1;
      if (lineBegins) parts.push(Buffer.from(`${new Date(timeAt(offset + start)).toISOString()} `));
      parts.push(bytes.subarray(start, end));
      lineBegins = newline >= 0;
      start = end;
    }
    yield Buffer.concat(parts);
  }
}
