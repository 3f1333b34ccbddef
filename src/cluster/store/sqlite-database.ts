/**
 * The database itself, synchronous: `sqlite-worker.ts` runs it in a thread of its own.
 *
 * What makes damage visible: a checksum in every row; one row (`state`) with the number of rows and the sum of their checksums,
 * written in the same transaction, so that what is found at open is exactly what some commit left behind; and the marker file.
 * There is no index on disk to fall out of step: the keys are held in memory.
 */
import { mkdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync, type StatementSync } from "node:sqlite";
import { crc32 } from "node:zlib";
import { type Marker, readMarker, writeMarker } from "./sqlite-marker.ts";
import { revisionHeadroom, type StoredRow, StoreError, type StoreErrorCode, type StoreWrite } from "./store.ts";

export const databaseFile = "objects.db";
/** Raised when a folder written by this version cannot be read by an older one. */
const format = 1;
/** Size of the write-ahead log, in bytes, from which it is folded into the main file. */
const checkpointSize = 4 << 20;
const lockTimeoutMs = 200;
const sumModulus = 2 ** 48;

const schema = [
  "CREATE TABLE objects (id INTEGER PRIMARY KEY, key TEXT NOT NULL, revision INTEGER NOT NULL, value BLOB NOT NULL, checksum INTEGER NOT NULL) STRICT",
  "CREATE TABLE state (id INTEGER PRIMARY KEY, revision INTEGER NOT NULL, reserved INTEGER NOT NULL, rows INTEGER NOT NULL, sum INTEGER NOT NULL, checksum INTEGER NOT NULL) STRICT",
];

interface State {
  /** Highest committed revision. */
  readonly revision: number;
  /** No revision above it was handed out. */
  readonly reserved: number;
  readonly rows: number;
  /** Sum of the rows' checksums, modulo 2^48. */
  readonly sum: number;
}

interface Place {
  readonly id: number;
  readonly checksum: number;
}

const rowChecksum = (key: string, revision: number, value: Uint8Array): number =>
  crc32(value, crc32(`${key}\0${revision}\0`));

const stateChecksum = ({ revision, reserved, rows, sum }: State): number =>
  crc32(`${revision} ${reserved} ${rows} ${sum}`);

const sizeOf = (path: string): number | undefined => statSync(path, { throwIfNoEntry: false })?.size;

/** Primary result codes of SQLite. */
const sqlite = { busy: 5, locked: 6, noMemory: 7, readOnly: 8, full: 13, cannotOpen: 14 };

/** SQLite's primary result code, or the system's error name. */
function faultOf(error: unknown): number | string | undefined {
  const { errcode, code } = error as { errcode?: number; code?: string };
  return errcode === undefined ? code : errcode & 0xff;
}

function codeOf(error: unknown): StoreErrorCode {
  const fault = faultOf(error);
  switch (fault) {
    case sqlite.busy:
    case sqlite.locked:
      return "StoreInUse";
    case sqlite.readOnly:
    case sqlite.cannotOpen:
      return "StoreReadOnly";
    case sqlite.full:
    case sqlite.noMemory:
    case "ENOSPC":
      return "StoreWriteFailed";
    default:
      return typeof fault === "number" ? "StoreDamaged" : "StoreReadOnly";
  }
}

export class SqliteDatabase {
  readonly #folder: string;
  readonly #path: string;
  readonly #db: DatabaseSync;
  readonly #places = new Map<string, Place>();
  #state: State = { revision: 1, reserved: 1, rows: 0, sum: 0 };
  #nextId = 1;
  readonly firstRevision: number;
  /** Frames of the write-ahead log that could not be used: a commit cut short by a crash, or damage. */
  readonly discardedFrames: number = 0;
  readonly #insert: StatementSync;
  readonly #update: StatementSync;
  readonly #delete: StatementSync;
  readonly #saveState: StatementSync;
  readonly #slice: StatementSync;

  /** Opens or creates the database in `folder`, alone. Throws `StoreError`. */
  constructor(folder: string) {
    this.#folder = folder;
    this.#path = join(folder, databaseFile);
    let db: DatabaseSync | undefined;
    try {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      const marker = this.#checkFiles();
      db = new DatabaseSync(this.#path, { timeout: lockTimeoutMs });
      this.#db = db;
      db.exec("PRAGMA locking_mode=EXCLUSIVE; PRAGMA synchronous=FULL; PRAGMA wal_autocheckpoint=0");
      // Nothing is there yet that a journal could bring back.
      if (!sizeOf(this.#path)) db.exec("PRAGMA journal_mode=MEMORY");
      // Takes the lock, and keeps it: of two that start together one wins.
      db.exec("BEGIN EXCLUSIVE; COMMIT");
      if (this.#isEmpty()) {
        if (marker !== undefined) throw this.#damaged("it holds no tables");
        this.#create();
      } else {
        this.discardedFrames = this.#verify();
      }
      this.#insert = db.prepare("INSERT INTO objects (id, key, revision, value, checksum) VALUES (?, ?, ?, ?, ?)");
      this.#update = db.prepare("UPDATE objects SET revision = ?, value = ?, checksum = ? WHERE id = ?");
      this.#delete = db.prepare("DELETE FROM objects WHERE id = ?");
      this.#saveState = db.prepare(
        "INSERT OR REPLACE INTO state (id, revision, reserved, rows, sum, checksum) VALUES (1, ?, ?, ?, ?, ?)",
      );
      this.#slice = db.prepare("SELECT id, key, revision, value FROM objects WHERE id > ? ORDER BY id LIMIT ?");
      const known = typeof marker === "object" ? marker.reserved : 0;
      this.firstRevision = Math.max(this.#state.revision, this.#state.reserved, known) + 1;
      this.commit([], this.firstRevision);
      this.#checkpoint();
    } catch (error) {
      db?.close();
      throw this.#openError(error);
    }
  }

  /** Rows after the row `after` (0: from the start), at most `limit`, and where to go on; no rows at the end. */
  slice(after: number, limit: number): { readonly rows: readonly StoredRow[]; readonly last: number } {
    const found = this.#slice.all(after, limit) as unknown as (StoredRow & { readonly id: number })[];
    return {
      rows: found.map(({ key, revision, value }) => ({ key, revision, value })),
      last: found.at(-1)?.id ?? after,
    };
  }

  /**
   * One transaction, on disk when it returns. Throws `StoreError` and changes nothing.
   * `slowDown` runs before the commit; tests put a slow disk there.
   */
  commit(writes: readonly StoreWrite[], upTo = 0, slowDown?: () => void): void {
    try {
      const next = writes.reduce(
        (most, { revision }) => Math.max(most, revision),
        Math.max(upTo, this.#state.revision),
      );
      const reserved = this.#reserve(next);
      this.#db.exec("BEGIN IMMEDIATE");
      const staged = new Map<string, Place | undefined>();
      let { rows, sum } = this.#state;
      let nextId = this.#nextId;
      for (const { key, revision, value } of writes) {
        const place = staged.has(key) ? staged.get(key) : this.#places.get(key);
        const checksum = value === null ? 0 : rowChecksum(key, revision, value);
        const id = place?.id ?? nextId;
        if (value === null) {
          if (place) this.#delete.run(place.id);
        } else if (place) this.#update.run(revision, value, checksum, place.id);
        else this.#insert.run(nextId++, key, revision, value, checksum);
        staged.set(key, value === null ? undefined : { id, checksum });
        rows += (value === null ? 0 : 1) - (place ? 1 : 0);
        sum = (sum + checksum - (place?.checksum ?? 0) + sumModulus) % sumModulus;
      }
      const highest = writes.reduce((most, { revision }) => Math.max(most, revision), this.#state.revision);
      const state = { revision: highest, reserved, rows, sum };
      this.#saveState.run(highest, reserved, rows, sum, stateChecksum(state));
      slowDown?.();
      this.#db.exec("COMMIT");
      this.#state = state;
      this.#nextId = nextId;
      for (const [key, place] of staged) {
        if (place) this.#places.set(key, place);
        else this.#places.delete(key);
      }
    } catch (error) {
      if (this.#db.isTransaction) this.#db.exec("ROLLBACK");
      throw new StoreError("StoreWriteFailed", `${this.#path} could not be written: ${(error as Error).message}`, {
        cause: error,
      });
    }
  }

  /** Folds a long write-ahead log into the main file. Call it when nobody waits. */
  tidy(): void {
    if ((sizeOf(`${this.#path}-wal`) ?? 0) >= checkpointSize) this.#checkpoint();
  }

  close(): void {
    this.#db.close();
  }

  /** Refuses, before SQLite touches anything, what SQLite would take for a new database. */
  #checkFiles(): Marker | "damaged" | undefined {
    const marker = readMarker(this.#folder);
    if (typeof marker === "object" && marker.format > format) throw this.#tooNew(marker.format);
    const size = sizeOf(this.#path);
    const logged = (sizeOf(`${this.#path}-wal`) ?? 0) > 0;
    if (size === undefined && (marker !== "absent" || logged))
      throw new StoreError("StoreDamaged", `${this.#path} is missing${this.#remedy}`);
    if (size === 0 && (marker !== "absent" || logged)) throw this.#damaged("it is empty");
    return marker === "absent" ? undefined : marker;
  }

  #isEmpty(): boolean {
    return this.#db.prepare("SELECT count(*) AS tables FROM sqlite_schema").get()?.tables === 0;
  }

  /**
   * Nothing is in the main file but its head, and what a checkpoint writes; the marker comes after this, so that it never promises too
   * much. The head is on disk before there is a log, or a cut of power would leave a log beside an empty file. The tables reach the disk with
   * the checkpoint.
   */
  #create(): void {
    const start = `INSERT INTO state VALUES (1, 1, 1, 0, 0, ${stateChecksum(this.#state)})`;
    const statements = [...schema, start, `PRAGMA user_version=${format}`];
    this.#db.exec("PRAGMA journal_mode=WAL; PRAGMA synchronous=OFF");
    this.#db.exec(`BEGIN EXCLUSIVE; ${statements.join("; ")}; COMMIT; PRAGMA synchronous=FULL`);
    this.#checkpoint();
  }

  /** Reads everything once; returns how many frames of the log were of no use. */
  #verify(): number {
    const db = this.#db;
    const logSize = sizeOf(`${this.#path}-wal`) ?? 0;
    const [version] = Object.values(db.prepare("PRAGMA user_version").get() ?? {});
    if (Number(version) > format && typeof readMarker(this.#folder) !== "object") throw this.#tooNew(Number(version));
    if (version !== format) throw this.#damaged("its format is unknown");
    if (db.prepare("PRAGMA journal_mode").get()?.journal_mode !== "wal") throw this.#damaged("its header is wrong");
    const problems = db.prepare("PRAGMA quick_check(1)").all();
    if (problems.length !== 1 || problems[0]?.quick_check !== "ok")
      throw this.#damaged(String(problems[0]?.quick_check ?? "the check gave no answer"));
    const tables = db.prepare("SELECT sql FROM sqlite_schema ORDER BY name").all();
    if (tables.length !== schema.length || tables.some(({ sql }, at) => sql !== schema[at]))
      throw this.#damaged("its tables are not those of this version");
    this.#verifyRows();
    const { log } = db.prepare("PRAGMA wal_checkpoint(PASSIVE)").get() as { log: number };
    const { page_size: pageSize } = db.prepare("PRAGMA page_size").get() as { page_size: number };
    return Math.max(0, Math.ceil((logSize - 32) / (pageSize + 24)) - Math.max(0, log));
  }

  #verifyRows(): void {
    const [state, ...more] = this.#db
      .prepare("SELECT revision, reserved, rows, sum, checksum FROM state")
      .all() as unknown as (State & { readonly checksum: number })[];
    if (!state || more.length > 0 || state.checksum !== stateChecksum(state)) throw this.#damaged("its state is wrong");
    let sum = 0;
    for (const row of this.#db.prepare("SELECT id, key, revision, value, checksum FROM objects").iterate()) {
      const { id, key, revision, value, checksum } = row as unknown as StoredRow & Place;
      if (rowChecksum(key, revision, value) !== checksum || this.#places.has(key))
        throw this.#damaged(`row ${id} fails its checksum`);
      this.#places.set(key, { id, checksum });
      this.#nextId = Math.max(this.#nextId, id + 1);
      sum = (sum + checksum) % sumModulus;
    }
    this.#state = state;
    if (this.#places.size !== this.#state.rows || sum !== this.#state.sum)
      throw this.#damaged("its rows are not those of any one commit");
  }

  /** Reserves revisions before any of them can be lost; twice the headroom, so that it is rare. */
  #reserve(revision: number): number {
    if (revision + revisionHeadroom <= this.#state.reserved) return this.#state.reserved;
    const reserved = revision + 2 * revisionHeadroom;
    writeMarker(this.#folder, { format, reserved });
    return reserved;
  }

  /** Truncates the log too: frames that are in the main file already could, if damaged later, bring old pages back. */
  #checkpoint(): void {
    this.#db.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  }

  /** What the person can do, as the end of a message. */
  get #remedy(): string {
    return `; put a copy of ${this.#folder} back, or remove that folder to start empty: game servers that are left are ended`;
  }

  #damaged(why: string): StoreError {
    return new StoreError("StoreDamaged", `${this.#path} is damaged: ${why}${this.#remedy}`);
  }

  #tooNew(found: number): StoreError {
    return new StoreError(
      "StoreTooNew",
      `${this.#folder} was written by a newer version of Stadion (format ${found}; this one knows ${format})`,
    );
  }

  #openError(error: unknown): StoreError {
    if (error instanceof StoreError) return error;
    const code = codeOf(error);
    const { message } = error as Error;
    const text = {
      StoreInUse: `${this.#folder} is in use by another process`,
      StoreReadOnly: `${this.#folder} cannot be written: ${message}`,
      StoreWriteFailed: `${this.#path} could not be written: ${message}`,
      StoreDamaged: `${this.#path} is damaged: ${message}${this.#remedy}`,
      StoreTooNew: message,
    }[code];
    return new StoreError(code, text, { cause: error });
  }
}
