import { writeSync } from "node:fs";
import type { DestinationStream } from "pino";

const STANDARD_OUTPUT = 1;
/** A reader that is slow gets a second to take a line. */
const MOST_PAUSES = 100;
const PAUSE_MS = 10;

/**
 * A log line by line to a file descriptor, standard output by default. A line that cannot be written is lost, as on a full disk, where nobody
 * reads any more, or where the reader takes none for a second: no program waits for its log, or ends by it.
 */
export function logOutput(descriptor = STANDARD_OUTPUT): DestinationStream {
  return {
    write: (line) => {
      try {
        writeAll(descriptor, Buffer.from(line));
      } catch {
        // There is no other place to say so.
      }
    },
  };
}

function writeAll(descriptor: number, bytes: Buffer): void {
  for (let [written, pauses] = [0, 0]; written < bytes.length; ) {
    try {
      written += writeSync(descriptor, bytes, written);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EAGAIN" || ++pauses > MOST_PAUSES) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
    }
  }
}
