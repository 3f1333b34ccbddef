/**
 * What the agent keeps on disk:
 *
 *     <folder>/pods/<uid>@pod.json                  which run of each container is the present one, and how runs ended
 *     <folder>/pods/<uid>@<container>.<run>.log     output of a run; the one before is kept
 *     <folder>/pods/<uid>@<container>.<run>.exit    how it ended, written by the process host
 *     <folder>/pods/<uid>@<container>.handler.json  what a handler container saved
 *     <folder>/pods/<uid>@<container>.work/         where its processes start, unless its image says otherwise
 *
 * All pods share one folder: to a file system such as ext4, a folder costs several files, and so does the first file in it.
 * What is written is there in one step: a later agent sees the old or the new. It survives the death of every process, not a
 * power cut: that ends what it speaks of, too, and only the last write may be missing then.
 */
import { mkdir, readdir, readFile, realpath, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { isJsonObject, type JsonObject, parseJson, stringifyJson } from "#api/meta/json.ts";
import type { Termination } from "./decide-restart.ts";
import { exitFileOf, logFileOf } from "./process-host.ts";

export interface ContainerRecord {
  readonly run: number;
  /** When the present run was begun, or about to be. */
  readonly startedAt?: number;
  /** How the present run ended, once it has. */
  readonly end?: Termination;
  readonly last?: Termination;
  readonly backoffMs?: number;
}

export interface PodRecord {
  readonly uid: string;
  readonly namespace: string;
  readonly name: string;
  /** When the pod's containers were first asked to end for good; milliseconds since 1970. */
  readonly stoppingSince?: number;
  readonly containers: Readonly<Record<string, ContainerRecord>>;
}

/** Keeps records of pods; `StateFolder` is the one on disk. */
export interface PodStore {
  /** UIDs of all pods that have a record or anything else. */
  list(): Promise<readonly string[]>;
  /** `undefined` when there is none or it cannot be read. */
  load(uid: string): Promise<PodRecord | undefined>;
  save(record: PodRecord): Promise<void>;
  remove(uid: string): Promise<void>;
}

/** Told of a file that is there and cannot be understood; it is taken for none. */
export type OnDamaged = (file: string, error: Error) => void;

export async function openStateFolder(folder: string, onDamaged: OnDamaged = () => {}): Promise<StateFolder> {
  const pods = join(folder, "pods");
  await mkdir(pods, { recursive: true, mode: 0o700 });
  return new StateFolder(await realpath(folder), (await readdir(pods)).map(uidOf), onDamaged);
}

export class StateFolder implements PodStore {
  readonly path: string;
  /** Pods that there may be files of, with the sizes of these in bytes; for any other pod, the disk need not be asked. */
  readonly #known: Map<string, Map<string, number>>;
  readonly #onDamaged: OnDamaged;
  /** Pods whose files the next sweep removes. */
  #leaving = new Set<string>();
  #lastSweep: Promise<void> = Promise.resolve();
  #nextSweep: Promise<void> | undefined;

  constructor(path: string, known: Iterable<string>, onDamaged: OnDamaged) {
    this.path = path;
    this.#known = new Map(Array.from(known, (uid) => [uid, new Map()]));
    this.#onDamaged = onDamaged;
  }

  /** The path without extension that names one run of a container. */
  runFile(uid: string, container: string, run: number): string {
    return this.#fileOf(uid, container, String(run));
  }

  /** False when nothing was ever kept of the pod, or it was removed. */
  mayHold(uid: string): boolean {
    return this.#known.has(uid);
  }

  /** Where the processes of a container start, unless its image says otherwise. */
  async makeScratchFolder(uid: string, container: string): Promise<string> {
    const folder = this.#fileOf(uid, container, "work");
    await mkdir(folder, { recursive: true, mode: 0o700 });
    return folder;
  }

  async list(): Promise<readonly string[]> {
    return [...new Set((await readdir(this.#pods)).map(uidOf))];
  }

  async load(uid: string): Promise<PodRecord | undefined> {
    return (await this.#readJson(uid, this.#recordFile(uid))) as PodRecord | undefined;
  }

  async save(record: PodRecord): Promise<void> {
    await this.#write(record.uid, this.#recordFile(record.uid), record);
  }

  /** Forgets output and results of the runs before `run`, but for the one just before it. */
  async prune(uid: string, container: string, run: number): Promise<void> {
    if (run < 2) return;
    const runFile = this.runFile(uid, container, run - 2);
    for (const file of [logFileOf(runFile), `${logFileOf(runFile)}.1`, exitFileOf(runFile)])
      await rm(file, { force: true });
  }

  /** Many that are removed at one time are looked for together. */
  async remove(uid: string): Promise<void> {
    this.#leaving.add(safeName(uid));
    this.#nextSweep ??= this.#lastSweep.catch(() => {}).then(() => this.#sweep());
    await this.#nextSweep;
    this.#known.delete(uid);
  }

  #sweep(): Promise<void> {
    const leaving = this.#leaving;
    this.#leaving = new Set();
    this.#nextSweep = undefined;
    this.#lastSweep = this.#removeFiles(leaving);
    return this.#lastSweep;
  }

  async #removeFiles(uids: ReadonlySet<string>): Promise<void> {
    for (const entry of await readdir(this.#pods, { withFileTypes: true })) {
      if (!uids.has(uidOf(entry.name))) continue;
      await rm(join(this.#pods, entry.name), { recursive: entry.isDirectory(), force: true });
    }
  }

  async loadHandlerState(uid: string, container: string): Promise<JsonObject | undefined> {
    return this.#readJson(uid, this.#handlerFile(uid, container));
  }

  async saveHandlerState(uid: string, container: string, state: JsonObject): Promise<void> {
    await this.#write(uid, this.#handlerFile(uid, container), state);
  }

  async #write(uid: string, file: string, content: object): Promise<void> {
    const sizes = this.#known.getOrInsert(uid, new Map());
    sizes.set(file, await writeInOneStep(file, stringifyJson(content), sizes.get(file)));
  }

  /** A damaged file is as good as none: the API's own status of the pod stands in for it. */
  async #readJson(uid: string, file: string): Promise<JsonObject | undefined> {
    const sizes = this.#known.get(uid);
    if (!sizes) return undefined;
    const text = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "ENOENT" && error.code !== "ENOTDIR") throw error;
    });
    if (text === undefined) return undefined;
    sizes.set(file, Buffer.byteLength(text));
    try {
      const value = parseJson(text);
      if (isJsonObject(value)) return value;
      throw new TypeError("no JSON object");
    } catch (error) {
      this.#onDamaged(file, error as Error);
      return undefined;
    }
  }

  #recordFile(uid: string): string {
    return join(this.#pods, `${safeName(uid)}@pod.json`);
  }

  #handlerFile(uid: string, container: string): string {
    return this.#fileOf(uid, container, "handler.json");
  }

  #fileOf(uid: string, container: string, what: string): string {
    return join(this.#pods, `${safeName(uid)}@${safeName(container)}.${what}`);
  }

  get #pods(): string {
    return join(this.path, "pods");
  }
}

/** The pod of a file by its name. */
const uidOf = (file: string): string => file.split("@", 1)[0] ?? "";

/** Names come from the API: one that could leave the folder is a fault there, and must not become one here. */
function safeName(name: string): string {
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(name))
    throw new RangeError(`unusable as a file name: ${JSON.stringify(name)}`);
  return name;
}

/** The death of a process cuts no write short that stays within a page of memory. */
const ONE_PIECE = 4096;

/**
 * Writes a file of which `size` bytes are there, and returns its new size. Small ones are written where they stand, blanks after
 * what is shorter than before: a new file in their place costs the file system ten times as much.
 */
async function writeInOneStep(file: string, text: string, size: number | undefined): Promise<number> {
  const bytes = Buffer.from(text);
  const whole = Buffer.alloc(Math.max(bytes.length, size ?? 0), " ");
  whole.set(bytes);
  if (whole.length <= ONE_PIECE) {
    try {
      await writeFile(file, whole, { mode: 0o600, flag: size === undefined ? "w" : "r+" });
      return whole.length;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
      await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    }
  }
  await writeFile(`${file}.new`, bytes, { mode: 0o600 });
  await rename(`${file}.new`, file);
  return bytes.length;
}
