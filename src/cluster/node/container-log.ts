/** Log files of runs: their last lines, and keeping them small. */
import { appendFileSync, closeSync, fstatSync, ftruncateSync, openSync, readSync, renameSync } from "node:fs";
import { open, rm, stat, truncate } from "node:fs/promises";
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

/** As many times the length at which it is moved is kept of a log that grew faster than it is looked at. */
const KEPT = 4;

/**
 * Moves a log's content to `<file>.1`, in place of what is there, when it has grown beyond `maxBytes`. Resolves with how many bytes
 * were moved. The writers keep their open file, which they append to; `<file>.1` is a new file each time, and there before the log
 * is emptied. Of a flood its last part is kept, and a line says how much was not: no writer fills the disk, however fast it is.
 */
export async function rotateLog(file: string, maxBytes: number): Promise<number> {
  if ((await sizeOf(file)) <= maxBytes) return 0;
  const kept = Math.max(KEPT * maxBytes, CHUNK_BYTES);
  try {
    return await rotate(file, kept);
  } catch (error) {
    if (!isFull(error)) throw error;
    // On a full disk, the place of the former part will do.
    await rm(olderPartOf(file), { force: true });
    return await rotate(file, kept).catch(async (again: unknown) => {
      if (!isFull(again)) throw again;
      // Others need the room more than anybody needs these lines.
      const size = await sizeOf(file);
      await truncate(file);
      return size;
    });
  }
}

const isFull = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === "ENOSPC";

const sizeOf = (file: string): Promise<number> =>
  stat(file).then(
    ({ size }) => size,
    () => 0,
  );

async function rotate(file: string, kept: number): Promise<number> {
  const next = `${olderPartOf(file)}.next`;
  try {
    return moveAside(file, next, await copyMost(file, next, kept), kept);
  } catch (error) {
    await rm(next, { force: true }).catch(() => {});
    throw error;
  }
}

/** A long log takes its time to copy, and grows meanwhile. Resolves with where the copy ends. */
async function copyMost(file: string, next: string, kept: number): Promise<number> {
  await using from = await open(file, "r");
  await using to = await open(next, "w");
  const end = (await from.stat()).size;
  let position = Math.max(0, end - kept);
  if (position > 0) await to.appendFile(omission(position));
  const buffer = Buffer.alloc(CHUNK_BYTES);
  while (position < end) {
    const { bytesRead } = await from.read(buffer, { position, length: Math.min(CHUNK_BYTES, end - position) });
    if (bytesRead === 0) break;
    await to.appendFile(buffer.subarray(0, bytesRead));
    position += bytesRead;
  }
  return position;
}

const omission = (bytes: number): string => `\n(${bytes} bytes of this log were written too fast to be kept)\n`;

/**
 * In one go, so that no reader of this process finds both parts the same: what is written meanwhile is lost. No more is copied than was
 * there to begin with, however fast the writers are.
 */
function moveAside(file: string, next: string, copied: number, kept: number): number {
  const from = openSync(file, "r+");
  const to = openSync(next, "a");
  try {
    const end = fstatSync(from).size;
    let position = Math.max(copied, end - kept);
    if (position > copied) appendFileSync(to, omission(position - copied));
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
