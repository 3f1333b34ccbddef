/** One process in a session and group of its own, its output in a file, nobody waiting for it. */
import { spawn } from "node:child_process";
import { open } from "node:fs/promises";
import { readStat } from "./proc-files.ts";
import { type ProcessIdentity, SpawnError } from "./process-host.ts";

export interface StartRequest {
  /** An absolute path, then arguments. */
  readonly command: readonly string[];
  /** The whole environment. */
  readonly environment: Readonly<Record<string, string>>;
  readonly workingDirectory: string;
  /** Appended to; made for the owner alone. */
  readonly logFile: string;
}

export interface ProcessExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface StartedProcess {
  readonly identity: ProcessIdentity;
  /** How it ended; `undefined` when that can no longer be heard: it may live on. Never rejects. */
  readonly exited: Promise<ProcessExit | undefined>;
}

/** Starts a process as a child of this one. Rejects with `SpawnError` when nothing was started. */
export async function startProcess(request: StartRequest): Promise<StartedProcess> {
  const { logFile } = request;
  const log = await open(logFile, "a", 0o600).catch((cause: unknown) => {
    throw new SpawnError(`cannot open the log file: ${messageOf(cause)}`, { cause });
  });
  try {
    return await spawned(request, log.fd);
  } finally {
    await log.close();
  }
}

/** Some refusals of the system are thrown, others emitted: both reject. */
async function spawned(request: StartRequest, log: number): Promise<StartedProcess> {
  const [file = "", ...args] = request.command;
  const { environment: env, workingDirectory: cwd } = request;
  try {
    const child = spawn(file, args, { cwd, env, detached: true, stdio: ["ignore", log, log] });
    const failed = new Promise<never>((_, reject) => child.on("error", reject));
    const { pid } = child;
    if (pid === undefined) return await failed;
    failed.catch(() => {});
    child.unref();
    const { promise: exited, resolve } = Promise.withResolvers<ProcessExit>();
    child.once("exit", (code, signal) => resolve({ code, signal }));
    // Not waited for yet, so the number is still its own, even if it has ended already.
    return { identity: { pid, startTime: startTimeOf(pid) }, exited };
  } catch (cause) {
    throw new SpawnError(`cannot start a process: ${messageOf(cause)}`, { cause });
  }
}

/** A process that could not be known again must not live on unknown: where it cannot be looked at, it ends. */
function startTimeOf(pid: number): string {
  try {
    return readStat(pid)?.startTime ?? "";
  } catch (error) {
    process.kill(-pid, "SIGKILL");
    throw error;
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
