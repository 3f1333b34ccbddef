import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { connect, createServer, type Server } from "node:net";
import { dirname, join, resolve } from "node:path";
import { listen } from "#runtime/http/listen.ts";
import { isNobody } from "#runtime/http/socket-answers.ts";
import { writePrivateFile } from "#runtime/private-file.ts";
import { supervisorSocket } from "../connection.ts";
import { CliError } from "../errors.ts";

/** Where a cluster on this machine keeps everything, readable by its owner alone. */
export interface DataFolder {
  readonly path: string;
  /** True until a cluster has served from it. */
  readonly isNew: boolean;
  /** True when a start that was to make the fleet of the quick start ended before it did. */
  readonly lacksFleet: boolean;
  /** The place of the database of a cluster that has served, when all of it is gone: only then the cluster starts empty. */
  readonly lostDatabase: string | undefined;
  readonly kubeconfig: string;
  readonly logs: string;
  /** Notes for the next start whether the fleet of the quick start is still to be made. */
  noteFleet(isWanted: boolean): void;
  /** The token of its API, which the control plane makes. Throws the system's error. */
  token(): string;
  /** Writes the token that was read last again when its file was taken away. Throws the system's error. */
  restoreToken(): void;
  /** Gives the folder up to another supervisor. */
  release(): void;
  /** Takes away what this opening has made, when no cluster came to serve from it. Call after `release`. */
  discard(): void;
}

/** A unix socket's whole path may have about 104 bytes. */
const LONGEST_PATH = 80;

/** All that a first start makes in a data folder; a draft of a file has the number of its writer behind its name. */
const CONTENTS =
  /^(?:(?:kubeconfig|tls\.crt|tls\.key|token)(?:\.\d+)?|(?:agent|api|supervisor)\.sock|logs|node|quick-start|store)$/;

/**
 * Creates or opens a data folder (mode 0700) and takes it for this supervisor.
 * Throws `CliError` when it cannot be written, is somebody's folder for something else, or another supervisor has it.
 */
export async function openDataFolder(dataDir: string): Promise<DataFolder> {
  const path = resolve(dataDir);
  const logs = join(path, "logs");
  const store = join(path, "store");
  const tokenFile = join(path, "token");
  const kubeconfig = join(path, "kubeconfig");
  if (Buffer.byteLength(path) > LONGEST_PATH)
    throw new CliError(
      "Usage",
      `the data folder's path may have ${LONGEST_PATH} bytes at most, since sockets stand in it; found ${Buffer.byteLength(path)}: ${path}`,
    );
  let isMade = false;
  try {
    isMade = makeFolder(path);
    if (isForeign(readdirSync(path)))
      throw new CliError(
        "Usage",
        `${path} is no data folder of Stadion, and is not empty: name another with --data-dir, or one that is not there yet`,
      );
    chmodSync(path, 0o700);
    makeFolder(logs);
    checkWritable(store);
  } catch (cause) {
    throw cause instanceof CliError ? cause : unwritable(path, cause);
  }
  const lock = await takeLock(path);
  let known: string | undefined;
  const token = (): string => {
    known = readFileSync(tokenFile, "utf8").trim();
    return known;
  };
  const restoreToken = (): void => {
    try {
      token();
    } catch (error) {
      // Of what cannot be read, the control plane says why.
      const isGone = (error as NodeJS.ErrnoException).code === "ENOENT";
      if (isGone && known !== undefined) writeFileSync(tokenFile, known, { mode: 0o600 });
    }
  };
  // The kubeconfig tells of a cluster whose store is lost; the store, of one whose kubeconfig somebody has taken away.
  const isNew = !existsSync(join(store, SERVED)) && !existsSync(kubeconfig);
  const wanted = join(path, "quick-start");
  const lacksFleet = existsSync(wanted);
  const noteFleet = (isWanted: boolean): void => {
    try {
      if (isWanted) writeFileSync(wanted, "", { mode: 0o600 });
      else rmSync(wanted, { force: true });
    } catch {
      // As on a full disk. A first fleet too few, or one that is there already, harms nobody.
    }
  };
  const isLost = !isNew && !DATABASE.some((name) => existsSync(join(store, name)));
  const lostDatabase = isLost ? store : undefined;
  const discard = (): void => {
    if (isMade) rmSync(path, { recursive: true, force: true });
  };
  const release = (): void => void lock.close();
  return { path, isNew, lacksFleet, lostDatabase, kubeconfig, logs, noteFleet, token, restoreToken, release, discard };
}

/** In the store, and gone with it: a cluster has served from it. A database alone may be that of a first start that was cut off. */
const SERVED = "served";
/** Where one of these is left, a database is no new one. */
const DATABASE = ["objects.db", "objects.db-wal", "objects.marker"];

/** A start that was cut off leaves nothing but what is ours; in a folder that was used once, others may have put something. */
function isForeign(names: readonly string[]): boolean {
  const isUsed = names.includes("token") && (names.includes("logs") || names.includes("store"));
  return !isUsed && !names.every((name) => CONTENTS.test(name));
}

/** With its parents; false when it is there. Unlike `mkdir` with `recursive`, it ends where nobody can make folders, such as `/proc`. */
function makeFolder(path: string): boolean {
  try {
    mkdirSync(path);
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EEXIST") {
      // A file has nothing in it.
      readdirSync(path);
      return false;
    }
    if (code !== "ENOENT" || existsSync(dirname(path))) throw error;
    makeFolder(dirname(path));
    return makeFolder(path);
  }
}

/** What SQLite says of a file that it may not write reads as if the file were damaged. */
function checkWritable(store: string): void {
  if (!existsSync(store)) return;
  for (const path of [store, ...readdirSync(store).map((name) => join(store, name))]) {
    try {
      accessSync(path, constants.R_OK | constants.W_OK);
    } catch (error) {
      // A database that is just being closed takes files of its own away.
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    }
  }
}

const WHY: Readonly<Record<string, (where: string) => string>> = {
  EACCES: (where) => `this user may not write ${where}`,
  EPERM: (where) => `this user may not write ${where}`,
  EROFS: (where) => `the file system of ${where} is read-only`,
  ENOSPC: (where) => `no space is left for ${where}`,
  ENOENT: (where) => `the folder ${where} cannot be made`,
  ENOTDIR: (where) => `${where} is no folder`,
};

function unwritable(path: string, cause: unknown): CliError {
  const { code = "", path: where = path, message } = cause as NodeJS.ErrnoException;
  const why = WHY[code]?.(where) ?? message;
  return new CliError("Usage", `the data folder ${path} cannot be written: ${why}`, { cause });
}

/** A socket that only a living supervisor answers: what a killed one left behind is no obstacle. */
async function takeLock(path: string): Promise<Server> {
  const socketPath = supervisorSocket(path);
  // Whoever only looks whether somebody answers does not wait for the number.
  const server = createServer((caller) => void caller.on("error", () => {}).end(String(process.pid)));
  try {
    await listen(server, { path: socketPath });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EADDRINUSE") throw unwritable(path, error);
    const holder = await ask(socketPath);
    if (holder !== undefined)
      throw new CliError(
        "Usage",
        `the data folder ${path} is in use by process ${holder}: stop it, or name another folder with --data-dir`,
      );
    try {
      unlinkSync(socketPath);
      await listen(server, { path: socketPath });
    } catch (cause) {
      throw unwritable(path, cause);
    }
  }
  return server;
}

/** What answers on a socket; undefined when nobody listens there. */
function ask(socketPath: string): Promise<string | undefined> {
  return new Promise((done) => {
    const socket = connect(socketPath);
    let answer = "";
    socket.setEncoding("utf8");
    socket.on("data", (text: string) => {
      answer += text;
    });
    socket.on("end", () => done(answer || "unknown"));
    // Whoever is too busy to answer has it all the same.
    socket.on("error", (error) => done(isNobody(error) ? undefined : "unknown"));
  });
}

/** Writes the kubeconfig (mode 0600) for an API server, with its certificate and the token. From then on the folder is not new. */
export async function writeKubeconfig(folder: DataFolder, server: string): Promise<void> {
  const store = join(folder.path, "store");
  mkdirSync(store, { recursive: true, mode: 0o700 });
  writeFileSync(join(store, SERVED), "", { mode: 0o600 });
  const certificate = readFileSync(join(folder.path, "tls.crt"));
  const token = folder.token();
  const named = (member: string, value: object) => [{ name: "stadion", [member]: value }];
  await writePrivateFile(
    folder.kubeconfig,
    `${JSON.stringify(
      {
        apiVersion: "v1",
        kind: "Config",
        clusters: named("cluster", { server, "certificate-authority-data": certificate.toString("base64") }),
        users: named("user", { token }),
        contexts: named("context", { cluster: "stadion", user: "stadion", namespace: "default" }),
        "current-context": "stadion",
      },
      null,
      2,
    )}\n`,
  );
}
