import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, mkdirSync, openSync } from "node:fs";
import { dirname } from "node:path";
import type { Clock } from "#runtime/clock.ts";

const FIRST_DELAY_MS = 100;
const LONGEST_DELAY_MS = 10_000;
/** A process that ran this long is healthy: its next failure counts as the first. */
const HEALTHY_MS = 30_000;

export interface ChildOptions {
  /** Asked at each start. */
  readonly args: () => readonly string[];
  readonly env: NodeJS.ProcessEnv;
  /** Appended to. Where there can be none, the process runs without. */
  readonly logFile: string;
  /** Messages the process sends to us; also ends with us when it listens for the channel closing. */
  readonly onMessage?: (message: unknown) => void;
  /** Called after each end that was not asked for, with the delay before the next start. */
  readonly onExit: (how: string, delayMs: number) => void;
  readonly clock: Clock;
}

/**
 * A Node process that is kept running: started again, ever more slowly, when it ends unasked.
 * It has a process group of its own, so that Ctrl-C reaches the supervisor alone.
 */
export class Child {
  readonly #options: ChildOptions;
  #process: ChildProcess | undefined;
  #failures = 0;
  #stopping = false;
  #cancelRestart: (() => void) | undefined;

  constructor(options: ChildOptions) {
    this.#options = options;
  }

  get pid(): number | undefined {
    return this.#process?.pid;
  }

  start(): void {
    const { args, env, logFile, onMessage, onExit, clock } = this.#options;
    const started = clock.monotonic();
    let over = false;
    const ended = (how: string): void => {
      if (over) return;
      over = true;
      this.#process = undefined;
      if (this.#stopping) return;
      this.#failures = clock.monotonic() - started > HEALTHY_MS ? 1 : this.#failures + 1;
      const delay = Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** (this.#failures - 1));
      onExit(how, delay);
      this.#cancelRestart = clock.after(delay, () => {
        if (!this.#stopping) this.start();
      });
    };
    const log = openLog(logFile);
    const output = log ?? "ignore";
    let child: ChildProcess;
    try {
      child = spawn(process.execPath, [...args()], {
        detached: true,
        env,
        stdio: onMessage ? ["ignore", output, output, "ipc"] : ["ignore", output, output],
      });
    } catch (error) {
      // Some refusals of the system are thrown, others emitted.
      ended((error as Error).message);
      return;
    } finally {
      if (log !== undefined) closeSync(log);
    }
    this.#process = child;
    if (onMessage) child.on("message", onMessage);
    else child.unref();
    child.on("error", (error) => ended(error.message));
    child.once("exit", (code, signal) => ended(signal ? `signal ${signal}` : `exit code ${code}`));
  }

  /** Starts it now when it does not run: a pause before its next start is cut short. */
  wake(): void {
    if (this.#process) return;
    this.#cancelRestart?.();
    this.start();
  }

  /** Sends SIGTERM and resolves when the process has ended, killing it after `graceMs`. */
  async stop(graceMs: number): Promise<void> {
    this.#stopping = true;
    this.#cancelRestart?.();
    const child = this.#process;
    if (!child) return;
    const ended = new Promise<void>((done) => child.once("exit", () => done()));
    child.ref();
    child.kill("SIGTERM");
    const cancel = this.#options.clock.after(graceMs, () => child.kill("SIGKILL"));
    await ended;
    cancel();
  }

  /** Leaves the process to itself: it is not started again. */
  abandon(): void {
    this.#stopping = true;
    this.#cancelRestart?.();
  }
}

/** Its folder may have been taken away, the disk be full, or too many files be open. */
function openLog(file: string): number | undefined {
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    return openSync(file, "a", 0o600);
  } catch {
    return undefined;
  }
}
