/**
 * What the agent keeps on disk:
 *
 *     <folder>/state                               of each pod, which run of each container is the present one, and how runs ended; what
 *                                                  handler containers saved (`StateJournal`)
 *     <folder>/pods/<uid>@<container>.<run>.log    output of a run; the one before is kept
 *     <folder>/pods/<uid>@<container>.<run>.exit   how it ended, written by the process host
 *     <folder>/pods/<uid>@<container>.work/        where its processes start, unless its image says otherwise
 *     <folder>/pods/spare@<number>/                one that was left empty, for a container to come
 *
 * New files and folders are few, and all pods share one folder: to a file system such as ext4 a new file costs ten times as much as a
 * name that changes, a folder several times that, and so does the first file in it.
 */
import { chmod, mkdir, readdir, realpath, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import type { JsonObject } from "#api/meta/json.ts";
import type { Termination } from "./decide-restart.ts";
import { exitFileOf, logFileOf } from "./process-host.ts";
import { Rounds } from "./rounds.ts";
import { type OnDamaged, StateJournal } from "./state-journal.ts";

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
  /** Its containers ended because the node stopped. */
  readonly nodeStopped?: true;
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

export async function openStateFolder(folder: string, onDamaged: OnDamaged = () => {}): Promise<StateFolder> {
  const pods = join(folder, "pods");
  await mkdir(pods, { recursive: true, mode: 0o700 });
  const path = await realpath(folder);
  const journal = await StateJournal.open(join(path, "state"), onDamaged);
  return new StateFolder(path, journal, await readdir(pods));
}

export class StateFolder implements PodStore {
  readonly path: string;
  readonly #journal: StateJournal;
  /** Pods that there may be files of; for any other, the disk need not be asked. */
  readonly #known: Set<string>;
  #spares: readonly string[] = [];
  #lastSpare = 0;
  /** Pods whose files the next sweep removes. */
  #leaving = new Set<string>();
  readonly #sweeps = new Rounds(() => this.#sweep());

  constructor(path: string, journal: StateJournal, files: readonly string[]) {
    this.path = path;
    this.#journal = journal;
    this.#known = new Set([...files, ...journal.keys()].map(uidOf));
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
    if (!(await this.#isTakenFromSpares(folder))) await mkdir(folder, { recursive: true, mode: 0o700 });
    return folder;
  }

  /** False when there is none, and when the folder is there and holds something. */
  async #isTakenFromSpares(folder: string): Promise<boolean> {
    const [spare, ...others] = this.#spares;
    if (spare === undefined) return false;
    this.#spares = others;
    try {
      await rename(spare, folder);
      await chmod(folder, 0o700);
      return true;
    } catch {
      return false;
    }
  }

  async list(): Promise<readonly string[]> {
    return [...new Set([...(await readdir(this.#pods)), ...this.#journal.keys()].map(uidOf))];
  }

  async load(uid: string): Promise<PodRecord | undefined> {
    return this.#journal.get(keyOf(uid, RECORD)) as PodRecord | undefined;
  }

  async save(record: PodRecord): Promise<void> {
    const key = keyOf(record.uid, RECORD);
    this.#known.add(record.uid);
    await this.#journal.set(key, record as unknown as JsonObject);
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
    await this.#sweeps.next();
    const kept = [...this.#journal.keys()].filter((key) => uidOf(key) === uid);
    await Promise.all(kept.map((key) => this.#journal.delete(key)));
    this.#known.delete(uid);
  }

  async #sweep(): Promise<void> {
    const uids = this.#leaving;
    this.#leaving = new Set();
    for (const entry of await readdir(this.#pods, { withFileTypes: true })) {
      if (!uids.has(uidOf(entry.name))) continue;
      const path = join(this.#pods, entry.name);
      if (!entry.isDirectory()) await rm(path, { force: true });
      else if (!(await this.#isSpared(path))) await rm(path, { recursive: true, force: true });
    }
  }

  /** Keeps an empty folder for another container. False when it holds something, or there are enough. */
  async #isSpared(folder: string): Promise<boolean> {
    if (this.#spares.length >= MOST_SPARES) return false;
    const spare = join(this.#pods, `${SPARE}@${++this.#lastSpare}`);
    try {
      if ((await readdir(folder)).length > 0) return false;
      await rename(folder, spare);
      this.#spares = [...this.#spares, spare];
      return true;
    } catch {
      return false;
    }
  }

  async loadHandlerState(uid: string, container: string): Promise<JsonObject | undefined> {
    return this.#journal.get(keyOf(uid, container));
  }

  async saveHandlerState(uid: string, container: string, state: JsonObject): Promise<void> {
    const key = keyOf(uid, container);
    this.#known.add(uid);
    await this.#journal.set(key, state);
  }

  async close(): Promise<void> {
    await this.#journal.close();
  }

  #fileOf(uid: string, container: string, what: string): string {
    return join(this.#pods, `${safeName(uid)}@${safeName(container)}.${what}`);
  }

  get #pods(): string {
    return join(this.path, "pods");
  }
}

/** No pod has such a UID. What an earlier agent kept so is found with all else that it left. */
const SPARE = "spare";
const MOST_SPARES = 256;

/** No container is called so. */
const RECORD = "";

const keyOf = (uid: string, container: string): string =>
  `${safeName(uid)}@${container === RECORD ? RECORD : safeName(container)}`;

/** The pod of a file by its name, and of a key. */
const uidOf = (name: string): string => name.split("@", 1)[0] ?? "";

/** Names come from the API: one that could leave the folder is a fault there, and must not become one here. */
function safeName(name: string): string {
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(name))
    throw new RangeError(`unusable as a file name: ${JSON.stringify(name)}`);
  return name;
}
