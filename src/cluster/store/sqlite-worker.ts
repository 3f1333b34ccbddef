/** The thread that owns the database: one message in, one answer out, in order. */
import { parentPort, workerData } from "node:worker_threads";
import { SqliteDatabase } from "./sqlite-database.ts";
import { type StoredRow, StoreError, type StoreErrorCode, type StoreWrite } from "./store.ts";

export interface WorkerOptions {
  readonly folder: string;
  /** Every commit takes this much longer, in milliseconds: a slow disk. */
  readonly delayCommitMs: number;
}

export type Request =
  | { readonly op: "open" }
  | { readonly op: "slice"; readonly after: number; readonly limit: number }
  | { readonly op: "commit"; readonly writes: readonly StoreWrite[] }
  | { readonly op: "close" };

export interface Opened {
  readonly firstRevision: number;
  readonly discardedFrames: number;
}

export interface Slice {
  readonly rows: readonly StoredRow[];
  readonly last: number;
}

export type Reply =
  | { readonly ok: true; readonly value: Opened | Slice | undefined }
  | { readonly ok: false; readonly code: StoreErrorCode; readonly message: string; readonly cause: unknown };

function serve(port: NonNullable<typeof parentPort>, { folder, delayCommitMs }: WorkerOptions): void {
  let database: SqliteDatabase | undefined;
  const opened = (): SqliteDatabase => {
    if (!database) throw new StoreError("StoreWriteFailed", `${folder} is not open`);
    return database;
  };
  const slowDown = () => {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, delayCommitMs);
  };

  const answer = (request: Request): Opened | Slice | undefined => {
    switch (request.op) {
      case "open":
        database = new SqliteDatabase(folder);
        return { firstRevision: database.firstRevision, discardedFrames: database.discardedFrames };
      case "slice":
        return opened().slice(request.after, request.limit);
      case "commit":
        opened().commit(request.writes, 0, delayCommitMs > 0 ? slowDown : undefined);
        return undefined;
      case "close":
        database?.close();
        database = undefined;
        return undefined;
    }
  };

  const tidy = () => {
    try {
      database?.tidy();
    } catch {
      // Nothing is lost: the log holds it all and only grows; a disk that keeps refusing shows at the next commit.
    }
  };

  port.on("message", (request: Request) => {
    let reply: Reply;
    try {
      reply = { ok: true, value: answer(request) };
    } catch (error) {
      const { message, cause } = error as Error;
      const code = error instanceof StoreError ? error.code : "StoreWriteFailed";
      reply = { ok: false, code, message, cause };
    }
    port.postMessage(reply);
    // After the answer has left: the one who waited for the commit does not wait for this.
    if (request.op === "commit") tidy();
    if (request.op === "close") port.close();
  });
}

if (parentPort) serve(parentPort, workerData as WorkerOptions);
