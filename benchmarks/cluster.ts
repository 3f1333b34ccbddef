/** A cluster on a new data folder, started as `npm start` does, and plain requests to it. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { Agent, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";

export const ROOT = join(import.meta.dirname, "..");

/** Runs `run` in a new folder and removes it afterwards. */
export async function inFolder<T>(run: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), "stadion-bench-"));
  try {
    return await run(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A program that starts a cluster in the foreground, and the time until it said that it runs. */
export class RunningCluster implements AsyncDisposable {
  readonly dataDir: string;
  readonly startedInMs: number;
  readonly #process: ChildProcess;
  readonly #agent = new Agent({ keepAlive: true });

  private constructor(dataDir: string, process: ChildProcess, startedInMs: number) {
    this.dataDir = dataDir;
    this.#process = process;
    this.startedInMs = startedInMs;
  }

  /** `command` gets the data folder as its last arguments. Rejects when the program ends before the cluster runs. */
  static async start(command: readonly string[], dataDir: string, cwd = ROOT): Promise<RunningCluster> {
    const [program = "", ...args] = command;
    const started = performance.now();
    // A process group of its own, as a shell's jobs have: Ctrl-C reaches all of it.
    const child = spawn(program, [...args, "--data-dir", dataDir], {
      cwd,
      detached: true,
      stdio: ["ignore", "pipe", "pipe"],
    });
    let output = "";
    await new Promise<void>((resolve, reject) => {
      for (const stream of [child.stdout, child.stderr])
        stream.setEncoding("utf8").on("data", (chunk: string) => {
          output += chunk;
          if (output.includes("Stadion is running")) resolve();
        });
      child.once("error", reject);
      child.once("exit", () => reject(new Error(`the cluster did not start: ${output}`)));
    });
    return new RunningCluster(dataDir, child, performance.now() - started);
  }

  /** Sends a request through the unix socket of the API, over a connection that is kept. */
  async ask(method: string, path: string, body?: string): Promise<{ readonly code: number; readonly body: string }> {
    return ask(join(this.dataDir, "api.sock"), this.#agent, method, path, body);
  }

  /** Creates an object. */
  async create(path: string, object: object): Promise<void> {
    const { code, body } = await this.ask("POST", path, JSON.stringify(object));
    if (code !== 201) throw new Error(`POST ${path} answered ${code}: ${body}`);
  }

  async get<T>(path: string): Promise<T> {
    const { code, body } = await this.ask("GET", path);
    if (code !== 200) throw new Error(`GET ${path} answered ${code}: ${body}`);
    return JSON.parse(body) as T;
  }

  /** The processes of one of its two parts. */
  pid(part: "control-plane" | "node-agent"): number {
    for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
      const command = commandOf(pid);
      if (command[1]?.includes(part) && command.includes(`--data-dir=${this.dataDir}`)) return Number(pid);
    }
    throw new Error(`no ${part} of ${this.dataDir} runs`);
  }

  /** Ctrl-C, and the end of everything. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#agent.destroy();
    const ended = once(this.#process, "exit");
    if (this.#process.exitCode === null) {
      process.kill(-(this.#process.pid ?? 0), "SIGINT");
      await ended;
    }
  }
}

/** The command that `npm start` runs. Ports are the system's to choose: another cluster may run on this machine. */
export const START: readonly string[] = [process.execPath, "tools/start.mjs", "--api-port", "0"];

/** One request over a connection of the agent, its answer read to the end. */
export async function ask(
  socketPath: string,
  agent: Agent,
  method: string,
  path: string,
  body = "",
): Promise<{ readonly code: number; readonly body: string }> {
  return new Promise((resolve, reject) => {
    const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(body) };
    request({ socketPath, agent, method, path, headers }, (response) => {
      text(response).then((answer) => resolve({ code: response.statusCode ?? 0, body: answer }), reject);
    })
      .once("error", reject)
      .end(body);
  });
}

/** Looks every 20 ms until it holds. Rejects after `withinMs`. */
export async function until(holds: () => Promise<boolean>, withinMs: number): Promise<void> {
  const end = performance.now() + withinMs;
  while (!(await holds())) {
    if (performance.now() > end) throw new Error(`nothing came of it within ${withinMs / 1000} s`);
    await sleep(20);
  }
}

/** Memory that a process alone has written to, in MB (proc(5), `smaps_rollup`: Private_Dirty). Linux only. */
export function privateMemory(pid: number): number {
  const [, kilobytes] = /^Private_Dirty:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, "utf8")) ?? [];
  return Number(kilobytes) / 1024;
}

function commandOf(pid: string): readonly string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
  } catch {
    return [];
  }
}
