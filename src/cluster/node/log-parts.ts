/**
 * The log of a run as it lies on the disk: the part that is written to, and `<file>.1`, the one before it. Offsets count from the
 * beginning of the present part; those of the older one are negative.
 */
import { type FileHandle, open, stat } from "node:fs/promises";

export interface LogPlace {
  /** Of the older part, by which a rotation is known; empty when there is none. */
  readonly older: string;
  readonly offset: number;
}

interface Part {
  readonly handle: FileHandle;
  /** The inode, which nothing else gets as long as it is open. */
  readonly id: string;
  readonly size: number;
}

export const olderPartOf = (file: string): string => `${file}.1`;

export class LogParts implements AsyncDisposable {
  readonly #file: string;
  readonly #present: FileHandle;
  #older: Part | undefined;

  constructor(file: string, present: FileHandle, older: Part | undefined) {
    this.#file = file;
    this.#present = present;
    this.#older = older;
  }

  /** Rejects with the system's error when there is no such log. */
  static async open(file: string): Promise<LogParts> {
    // First the older one: a rotation between the two is noticed as any later one.
    const older = await openOlder(file);
    try {
      return new LogParts(file, await open(file, "r"), older);
    } catch (error) {
      await older?.handle.close();
      throw error;
    }
  }

  /** Where the log begins. */
  get start(): number {
    return -(this.#older?.size ?? 0);
  }

  /** Of the present part. */
  async size(): Promise<number> {
    return (await this.#present.stat()).size;
  }

  /** Up to `length` bytes, of one part; none at the end of the log. */
  async read(offset: number, length: number): Promise<Buffer> {
    const [handle, position] =
      offset < 0 && this.#older ? [this.#older.handle, offset - this.start] : [this.#present, offset];
    const most = offset < 0 ? Math.min(length, -offset) : length;
    const { bytesRead, buffer } = await handle.read(Buffer.alloc(most), { position });
    return buffer.subarray(0, bytesRead);
  }

  /**
   * Where what stood at `offset` stands now; another number only after a rotation. What was read from the present part before is right
   * only if this has not moved. The beginning of the log when it is gone.
   */
  async follow(offset: number): Promise<number> {
    if ((await idOf(olderPartOf(this.#file))) === this.#id) return offset;
    const former = this.#older;
    this.#older = await openOlder(this.#file);
    await former?.handle.close();
    return this.#moved(offset);
  }

  placeOf(offset: number): LogPlace {
    return { older: this.#id, offset };
  }

  /** The offset of a place that was told earlier, maybe by another process. */
  offsetOf({ older, offset }: LogPlace): number {
    return older === this.#id ? Math.max(offset, this.start) : this.#moved(offset);
  }

  #moved(offset: number): number {
    // Longer than what was moved aside: that was another part, which is gone.
    return offset > -this.start ? this.start : Math.max(offset + this.start, this.start);
  }

  get #id(): string {
    return this.#older?.id ?? "";
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#older?.handle.close();
    await this.#present.close();
  }
}

async function openOlder(file: string): Promise<Part | undefined> {
  const handle = await open(olderPartOf(file), "r").catch(() => undefined);
  if (!handle) return undefined;
  const { ino, size } = await handle.stat({ bigint: true });
  return { handle, id: String(ino), size: Number(size) };
}

const idOf = (file: string): Promise<string> =>
  stat(file, { bigint: true }).then(
    ({ ino }) => String(ino),
    () => "",
  );
