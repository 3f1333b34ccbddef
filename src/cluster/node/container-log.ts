/** Log files of runs: their last lines, and keeping them small. */
import { copyFile, open, stat, truncate } from "node:fs/promises";

const TAIL_BYTES = 1024;
const TAIL_LINES = 10;

/** The last lines of a log, at most 1 KiB: what `kubectl describe` shows of a container that failed. Empty when there are none. */
export async function logTail(file: string): Promise<string> {
  try {
    await using handle = await open(file, "r");
    const { size } = await handle.stat();
    const start = Math.max(0, size - TAIL_BYTES);
    const { buffer, bytesRead } = await handle.read({ buffer: Buffer.alloc(size - start), position: start });
    const lines = buffer.toString("utf8", 0, bytesRead).trimEnd().split("\n");
    return (start > 0 && lines.length > 1 ? lines.slice(1) : lines).slice(-TAIL_LINES).join("\n");
  } catch {
    return "";
  }
}

/**
 * Moves a log's content to `<file>.1` when it has grown beyond `maxBytes`. The writers keep their open file, which they append
 * to: lines written between copy and truncation are lost.
 */
export async function rotateLog(file: string, maxBytes: number): Promise<boolean> {
  const size = await stat(file).then(
    (found) => found.size,
    () => 0,
  );
  if (size <= maxBytes) return false;
  await copyFile(file, `${file}.1`);
  await truncate(file);
  return true;
}
