/**
 * A small file beside the database that says that there is one. SQLite takes a missing or emptied file for a new, empty database;
 * the marker tells that apart from a first start. It also holds the reserved revisions, out of reach of a lost write-ahead log.
 */
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from "node:fs";
import { join } from "node:path";
import { crc32 } from "node:zlib";

export interface Marker {
  /** Format of the folder; a higher one than ours was written by a newer version. */
  readonly format: number;
  /** No revision above it was ever handed out. */
  readonly reserved: number;
}

export const markerFile = "objects.marker";

const checksumOf = ({ format, reserved }: Marker): number => crc32(`${format} ${reserved}`);

/** `"damaged"` when the file is there but cannot be trusted. */
export function readMarker(folder: string): Marker | "absent" | "damaged" {
  let text: string;
  try {
    text = readFileSync(join(folder, markerFile), "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return "absent";
    throw error;
  }
  try {
    const { format, reserved, checksum } = JSON.parse(text) as Marker & { checksum: number };
    const marker = { format, reserved };
    return Number.isSafeInteger(format) && Number.isSafeInteger(reserved) && checksumOf(marker) === checksum
      ? marker
      : "damaged";
  } catch {
    return "damaged";
  }
}

/** Replaces the marker; on return the new one is on disk. A crash leaves the old or the new one, never a mixture. */
export function writeMarker(folder: string, marker: Marker): void {
  const path = join(folder, markerFile);
  const file = openSync(`${path}.new`, "w", 0o600);
  try {
    writeSync(file, `${JSON.stringify({ ...marker, checksum: checksumOf(marker) })}\n`);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(`${path}.new`, path);
  const directory = openSync(folder, "r");
  try {
    fsyncSync(directory);
  } finally {
    closeSync(directory);
  }
}
