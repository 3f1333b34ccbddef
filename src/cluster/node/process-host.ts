/**
 * The operating system as the node agent needs it: process groups that outlive the agent, found again by the agent after it.
 *
 * A *run* is one start of one container. It is named by its run file: an absolute path without extension, unique for ever.
 * Beside it the host keeps `RUN.log` (standard output and error, owned by the processes) and, once it ended, `RUN.exit`.
 */

/** A process that cannot be mistaken for a later one with the same number. */
export interface ProcessIdentity {
  readonly pid: number;
  /** When it started, in a form that only this host compares. */
  readonly startTime: string;
}

export interface SpawnRequest {
  readonly runFile: string;
  /** An absolute path, then arguments. */
  readonly command: readonly string[];
  /** The whole environment: nothing is inherited from the agent. */
  readonly environment: Readonly<Record<string, string>>;
  readonly workingDirectory: string;
}

export interface ProcessEnd {
  /** As a shell says it: 128 + n when signal n ended the process. */
  readonly exitCode: number;
  /** Milliseconds since 1970. */
  readonly finishedAt: number;
}

/** The process group of one run, started by this agent or by one before it. */
export interface HostProcess {
  readonly runFile: string;
  readonly identity: ProcessIdentity;
  /** Resolves when the main process has ended. `undefined`: it ended, and nobody saw how. Never rejects. */
  readonly ended: Promise<ProcessEnd | undefined>;
  /** Reaches every process of the group; does nothing once `ended`. */
  signal(signal: "SIGTERM" | "SIGKILL"): void;
  /** The process that a person would call the game server; `undefined` when it cannot be told. */
  mainProcess(): number | undefined;
}

/** What this host can hold a container to. What it cannot is written on the Node, never passed over in silence. */
export interface HostCapabilities {
  readonly cpuLimit: boolean;
  readonly memoryLimit: boolean;
  readonly networkIsolation: boolean;
  readonly filesystemIsolation: boolean;
}

export interface ProcessHost {
  /**
   * Starts a group of its own that survives the agent. Resolves when the command runs, or is about to fail in a way that only
   * its exit code tells. Rejects with `SpawnError` when nothing was started.
   */
  spawn(request: SpawnRequest): Promise<HostProcess>;
  /**
   * Every living run below `folder`, whoever started it, by run file. Call once, before the first `spawn`.
   * Processes whose run has lost its main process are killed.
   */
  recover(folder: string): Promise<ReadonlyMap<string, HostProcess>>;
  /** How a run ended, when that is known. */
  endOf(runFile: string): Promise<ProcessEnd | undefined>;
  /** True when `spawn` was called for this run and went as far as opening its log. */
  wasSpawned(runFile: string): Promise<boolean>;
  capabilities(): HostCapabilities;
}

/** The operating system refused to start a process. */
export class SpawnError extends Error {
  override readonly name = "SpawnError";
  readonly code = "SpawnFailed";
}

export const logFileOf = (runFile: string): string => `${runFile}.log`;
export const exitFileOf = (runFile: string): string => `${runFile}.exit`;
