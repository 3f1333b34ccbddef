/** The rig's processes: their output goes to a file, and they end by their own ids. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { systemClock as clock } from "#runtime/clock.ts";

const STOP_WITHIN_MS = 10_000;

export class Child {
  readonly name: string;
  readonly #process: ChildProcess;
  readonly #log: string;

  /** Its output stands in `NAME.log` of the folder, in which it also runs. */
  constructor(name: string, file: string, flags: readonly string[], folder: string) {
    this.name = name;
    this.#log = join(folder, `${name}.log`);
    const log = openSync(this.#log, "w");
    this.#process = spawn(file, flags, { cwd: folder, stdio: ["ignore", log, log] });
    this.#process.on("error", () => {});
  }

  get output(): string {
    return readFileSync(this.#log, "utf8");
  }

  get hasEnded(): boolean {
    const { pid, exitCode, signalCode } = this.#process;
    return pid === undefined || exitCode !== null || signalCode !== null;
  }

  /** Undefined while it runs, and when a signal ended it. */
  get exitCode(): number | undefined {
    return this.#process.exitCode ?? undefined;
  }

  /** Ends it without giving it the time to do anything. */
  async kill(): Promise<void> {
    if (this.hasEnded) return;
    const exited = once(this.#process, "exit");
    this.#process.kill("SIGKILL");
    await exited;
  }

  /** Asks it to end, and after a while makes it. */
  async stop(): Promise<void> {
    if (this.hasEnded) return;
    const exited = once(this.#process, "exit");
    this.#process.kill("SIGTERM");
    const cancel = clock.after(STOP_WITHIN_MS, () => this.#process.kill("SIGKILL"));
    await exited;
    cancel();
  }
}

/** Looks until something is there; throws with what the child wrote last when it ends before, or when it takes too long. */
export async function waitFor<T>(
  look: () => T | undefined | Promise<T | undefined>,
  { children, within }: { readonly children: readonly Child[]; readonly within: number },
): Promise<T> {
  const deadline = clock.monotonic() + within;
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    const ended = children.find(({ hasEnded }) => hasEnded);
    if (ended || clock.monotonic() > deadline) {
      const child = ended ?? children.at(-1);
      const last = child?.output.trimEnd().split("\n").slice(-15).join("\n");
      throw new Error(`${child?.name} ${ended ? "ended" : `was not ready within ${within / 1000} s`}: ${last}`);
    }
    await clock.sleep(200);
  }
}
