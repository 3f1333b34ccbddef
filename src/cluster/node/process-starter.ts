/**
 * Starts processes for the agent. The system copies the page tables of whoever starts one, and both fault over every page that is
 * written next: milliseconds for an agent that has grown, in which it does nothing else. So from some number on, a small helper
 * process starts them.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { extname } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { SpawnError } from "./process-host.ts";
import type { HelperMessage, StartMessage } from "./spawn-helper.ts";
import { type ProcessExit, type StartedProcess, type StartRequest, startProcess } from "./start-process.ts";

/** The helper needs no threads and little memory: what it has, each start copies. */
const LEAN = ["--v8-pool-size=0", "--max-semi-space-size=1"];

/** What is known of a request that was handed to the helper. */
interface Handed {
  readonly started: PromiseWithResolvers<StartedProcess | undefined>;
  readonly exited: PromiseWithResolvers<ProcessExit | undefined>;
}

export class ProcessStarter {
  #ownStarts: number;
  #turns: Promise<unknown> = Promise.resolve();
  #helper: Helper | undefined;

  /** Starts `ownStarts` processes by itself before it has a helper. */
  constructor(ownStarts: number) {
    this.#ownStarts = ownStarts;
  }

  /**
   * Rejects with `SpawnError` when nothing was started. `undefined`: the helper ended, and whether it had started the process is not
   * known. The `exited` of what it started is `undefined` then.
   */
  async start(request: StartRequest): Promise<StartedProcess | undefined> {
    if (this.#ownStarts > 0) this.#ownStarts--;
    else this.#helper ??= new Helper(() => (this.#helper = undefined));
    if (this.#helper?.isUp) return this.#helper.start(request);
    return this.startAlone(request);
  }

  /** Without a helper. */
  async startAlone(request: StartRequest): Promise<StartedProcess> {
    // It blocks the event loop: one a turn, so that everything else goes on in between.
    const turn = this.#turns.then(() => nextTurn());
    this.#turns = turn;
    await turn;
    return startProcess(request);
  }
}

class Helper {
  readonly #process: ChildProcess;
  readonly #handed = new Map<number, Handed>();
  #isUp = false;
  #last = 0;

  constructor(ended: () => void) {
    // Beside a bundle stands the bundled helper.
    const program = fileURLToPath(new URL(`./spawn-helper${extname(import.meta.url)}`, import.meta.url));
    this.#process = spawn(process.execPath, [...LEAN, program], { stdio: ["ignore", "inherit", "inherit", "ipc"] });
    this.#process.unref();
    this.#process.channel?.unref();
    this.#process.on("message", (message: HelperMessage) => this.#hear(message));
    const lost = () => {
      this.#isUp = false;
      ended();
      for (const { started, exited } of this.#handed.values()) {
        started.resolve(undefined);
        exited.resolve(undefined);
      }
      this.#handed.clear();
    };
    this.#process.once("exit", lost).once("error", lost);
  }

  get isUp(): boolean {
    return this.#isUp;
  }

  start(request: StartRequest): Promise<StartedProcess | undefined> {
    const id = ++this.#last;
    const handed: Handed = { started: Promise.withResolvers(), exited: Promise.withResolvers() };
    this.#handed.set(id, handed);
    const message: StartMessage = { id, request };
    // A channel that has just broken: its end comes next, and with it the answer.
    this.#process.send(message, () => {});
    return handed.started.promise;
  }

  #hear(message: HelperMessage): void {
    if (message === "up") {
      this.#isUp = true;
      return;
    }
    const handed = this.#handed.get(message.id);
    if (!handed) return;
    if ("identity" in message) {
      handed.started.resolve({ identity: message.identity, exited: handed.exited.promise });
      return;
    }
    this.#handed.delete(message.id);
    if ("refused" in message) handed.started.reject(new SpawnError(message.refused));
    else handed.exited.resolve(message.exit);
  }
}
