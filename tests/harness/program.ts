/** Programs as a person runs them in a shell. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { eventually } from "./eventually.ts";

export interface Ran {
  /** The exit code; -1 when a signal ended it. */
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

export interface RunOptions {
  /** Given on standard input. */
  readonly input?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

/** Longest that a command may take before it is ended. */
const PATIENCE_MS = 60_000;

/** Runs a program to its end. */
export async function run(file: string, args: readonly string[], options: RunOptions = {}): Promise<Ran> {
  const program = new Program(file, args, options);
  const timer = setTimeout(() => program.signal("SIGKILL"), PATIENCE_MS);
  try {
    return await program.ended;
  } finally {
    clearTimeout(timer);
  }
}

/** A program in the background. It has a process group of its own, as a shell's jobs have. */
export class Program implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly #words: string;
  out = "";
  err = "";
  /** Never rejects. */
  readonly ended: Promise<Ran>;

  constructor(file: string, args: readonly string[], { input, env, cwd }: RunOptions = {}) {
    this.#words = [file, ...args].join(" ");
    const child = spawn(file, args, { cwd, env: { ...process.env, ...env }, detached: true });
    this.#child = child;
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      this.out += text;
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      this.err += text;
    });
    child.on("error", (error) => {
      this.err += error.message;
    });
    child.stdin.on("error", () => {});
    child.stdin.end(input);
    this.ended = once(child, "close").then(
      ([code]) => ({ code: code ?? -1, out: this.out, err: this.err }),
      () => ({ code: -1, out: this.out, err: this.err }),
    );
  }

  get pid(): number {
    if (this.#child.pid === undefined) throw new Error(`${this.#words} did not start: ${this.err}`);
    return this.#child.pid;
  }

  get isRunning(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** Whoever read its output is gone. */
  closeOutput(): void {
    this.#child.stdout?.destroy();
    this.#child.stderr?.destroy();
  }

  /** To the process alone. */
  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** What a terminal does at Ctrl-C: SIGINT to the whole process group. */
  ctrlC(): void {
    process.kill(-this.pid, "SIGINT");
  }

  /** Resolves when its output, of either kind, matches; fails when it ends without. */
  async prints(pattern: RegExp): Promise<void> {
    const check = (): void => {
      if (pattern.test(this.out) || pattern.test(this.err)) return;
      throw new Error(`${this.#words}: nothing matches ${pattern}\n${this.out}${this.err}`);
    };
    await eventually(() => (this.isRunning ? check() : undefined), { every: 20, within: PATIENCE_MS });
    if (this.isRunning) return;
    await this.ended;
    check();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.isRunning) this.signal("SIGKILL");
    await this.ended;
  }
}
