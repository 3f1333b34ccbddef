import { type FileHandle, open, readFile, rename } from "node:fs/promises";
import { isJsonObject, type JsonObject, parseJson, stringifyJson } from "#api/meta/json.ts";
import { Rounds } from "./rounds.ts";

/** Told of a file of which a part is there and cannot be understood; that part is taken for absent. */
export type OnDamaged = (file: string, error: Error) => void;

/** It is written anew when it is longer than this, and twice as long as when it was last. */
const LONG = 1024 * 1024;

/**
 * Values by key, in memory and in one file, a line of JSON for each change: `["key", value]`, or `["key"]` for one that is gone. To a
 * file system, a line more costs a tenth of a new file.
 *
 * What was told to be saved survives the death of every process, not a power cut. A death may cut the last line short, of which nobody
 * was told that it is saved.
 */
export class StateJournal {
  readonly #file: string;
  readonly #values: Map<string, JsonObject>;
  #handle: FileHandle;
  #size: number;
  /** Its length when it was last written anew. */
  #shortest: number;
  /** The file may end with a part of a line. */
  #isCut = false;
  /** Lines that the next write takes. */
  #waiting = "";
  readonly #writes = new Rounds(() => this.#write());

  private constructor(file: string, values: Map<string, JsonObject>, { handle, size }: Written) {
    this.#file = file;
    this.#values = values;
    this.#handle = handle;
    this.#size = size;
    this.#shortest = size;
  }

  static async open(file: string, onDamaged: OnDamaged): Promise<StateJournal> {
    const values = new Map<string, JsonObject>();
    const text = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return "";
      throw error;
    });
    // What stands after the last end of a line was cut short.
    for (const line of text.split("\n").slice(0, -1)) {
      try {
        if (line !== "") apply(values, parseJson(line));
      } catch (error) {
        onDamaged(file, error as Error);
      }
    }
    try {
      return new StateJournal(file, values, await writeAnew(file, values));
    } catch {
      // A full disk keeps nobody from what is there.
      const handle = await open(file, "a", 0o600);
      const journal = new StateJournal(file, values, { handle, size: text.length });
      journal.#isCut = true;
      return journal;
    }
  }

  keys(): Iterable<string> {
    return this.#values.keys();
  }

  get(key: string): JsonObject | undefined {
    return this.#values.get(key);
  }

  /** Resolves when it is in the file; `get` gives it at once. */
  set(key: string, value: JsonObject): Promise<void> {
    this.#values.set(key, value);
    return this.#append(stringifyJson([key, value]));
  }

  async delete(key: string): Promise<void> {
    if (this.#values.delete(key)) await this.#append(stringifyJson([key]));
  }

  /** Writes what waits. */
  async close(): Promise<void> {
    await this.#writes.settled();
    await this.#handle.close();
  }

  #append(line: string): Promise<void> {
    this.#waiting += `${line}\n`;
    return this.#writes.next();
  }

  async #write(): Promise<void> {
    const bytes = Buffer.from(this.#isCut ? `\n${this.#waiting}` : this.#waiting);
    this.#waiting = "";
    this.#isCut = true;
    await this.#handle.appendFile(bytes);
    this.#isCut = false;
    this.#size += bytes.length;
    if (this.#size <= Math.max(LONG, 2 * this.#shortest)) return;
    // What was written is written; where there is no room for a shorter file, it is tried again when this one is twice as long.
    await this.#shorten().catch(() => {
      this.#shortest = this.#size;
    });
  }

  async #shorten(): Promise<void> {
    const { handle, size } = await writeAnew(this.#file, this.#values);
    await this.#handle.close();
    this.#handle = handle;
    this.#size = size;
    this.#shortest = size;
  }
}

/** Throws for what is no line of a journal. */
function apply(values: Map<string, JsonObject>, line: unknown): void {
  const [key, value] = Array.isArray(line) ? line : [];
  if (typeof key !== "string" || !(value === undefined || isJsonObject(value)))
    throw new TypeError("no key and object");
  if (value === undefined) values.delete(key);
  else values.set(key, value);
}

interface Written {
  readonly handle: FileHandle;
  readonly size: number;
}

/** Puts a file that holds the values alone in the place of the one that is there, and opens it to write on. */
async function writeAnew(file: string, values: ReadonlyMap<string, JsonObject>): Promise<Written> {
  const text = Buffer.from(Array.from(values, (entry) => `${stringifyJson(entry)}\n`).join(""));
  const handle = await open(`${file}.new`, "w", 0o600);
  try {
    await handle.appendFile(text);
    await rename(`${file}.new`, file);
  } catch (error) {
    await handle.close();
    throw error;
  }
  return { handle, size: text.length };
}
