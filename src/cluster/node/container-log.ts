/** Log files of runs: their last lines, and keeping them small. */
import { appendFileSync, closeSync, fstatSync, ftruncateSync, openSync, readSync, renameSync } from "node:fs";
import { copyFile, open, rm, stat } from "node:fs/promises";
import { LogParts, olderPartOf } from "./log-parts.ts";

/** What the kubelet keeps of a log in place of a termination message. */
const TAIL_BYTES = 2048;
const TAIL_LINES = 80;
const CHUNK_BYTES = 64 * 1024;

/** The last lines of a log, 80 and 2 KiB at most: what `kubectl describe` shows of a container that failed. Empty when there are none. */
export async function logTail(file: string): Promise<string> {
  try {
    await using parts = await LogParts.open(file);
    const size = await parts.size();
    const start = Math.max(parts.start, size - TAIL_BYTES);
    const pieces: Buffer[] = [];
    for (let offset = start; offset < size; ) {
      const piece = await parts.read(offset, size - offset);
      if (piece.length === 0) break;
      pieces.push(piece);
      offset += piece.length;
    }
    const lines = textOf(Buffer.concat(pieces)).trimEnd().split("\n");
    return (start > parts.start && lines.length > 1 ? lines.slice(1) : lines).slice(-TAIL_LINES).join("\n");
  } catch {
    return "";
  }
}

/** Without the rest of a character that the beginning cut through. */
function textOf(bytes: Buffer): string {
  const start = bytes.findIndex((byte) => (byte & 0xc0) !== 0x80);
  return bytes.toString("utf8", Math.max(0, start));
}

/**
 * Moves a log's content to `<file>.1`, in place of what is there, when it has grown beyond `maxBytes`. Resolves with how many bytes
 * were moved. The writers keep their open file, which they append to; `<file>.1` is a new file each time, and there before the log
 * is emptied.
 */
export async function rotateLog(file: string, maxBytes: number): Promise<number> {
  const size = await stat(file).then(
    (found) => found.size,
    () => 0,
  );
  if (size <= maxBytes) return 0;
  try {
    return await rotate(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error;
    // On a full disk, the place of the former part will do.
    await rm(olderPartOf(file), { force: true });
    return await rotate(file);
  }
}

async function rotate(file: string): Promise<number> {
  const next = `${olderPartOf(file)}.next`;
  try {
    await copyFile(file, next);
    await copyRest(file, next);
    return moveAside(file, next);
  } catch (error) {
    await rm(next, { force: true }).catch(() => {});
    throw error;
  }
}

/** A long log takes its time to copy, and grows meanwhile. */
async function copyRest(file: string, next: string): Promise<void> {
  await using from = await open(file, "r");
  await using to = await open(next, "a");
  let position = (await to.stat()).size;
  for (;;) {
    const { bytesRead, buffer } = await from.read(Buffer.alloc(CHUNK_BYTES), { position });
    await to.appendFile(buffer.subarray(0, bytesRead));
    position += bytesRead;
    if (bytesRead < CHUNK_BYTES) return;
  }
}

/**
 * In one go, so that no reader of this process finds both parts the same: what is written meanwhile is lost. No more is copied than was
 * there to begin with, however fast the writers are.
 */
function moveAside(file: string, next: string): number {
  const from = openSync(file, "r+");
  const to = openSync(next, "a");
  try {
    let position = fstatSync(to).size;
    const end = fstatSync(from).size;
    const buffer = Buffer.alloc(CHUNK_BYTES);
    for (let read = 1; read > 0 && position < end; position += read) {
      read = readSync(from, buffer, 0, Math.min(CHUNK_BYTES, end - position), position);
      appendFileSync(to, buffer.subarray(0, read));
    }
    renameSync(next, olderPartOf(file));
    ftruncateSync(from);
    return position;
  } finally {
    closeSync(from);
    closeSync(to);
  }
}
