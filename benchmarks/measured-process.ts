/** A Node process of its own that serves games while its parent plays them, and is asked what that has cost. */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { getHeapSpaceStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { privateMemory } from "./cluster.ts";

/** Names of game servers to serve from now on; answered with the gRPC port of each. */
export interface ServeRequest {
  readonly serve: readonly string[];
}

type Request = ServeRequest | "collect" | "processor";

/** The child's side: says that it runs, and then answers its parent. */
export function answerMeasurements(serve: (request: ServeRequest) => Promise<readonly number[]>): void {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  const collected = (): number => {
    collect();
    const young = getHeapSpaceStatistics().filter(({ space_name }) => space_name.startsWith("new_"));
    return young.reduce((sum, space) => sum + space.physical_space_size, 0) / 1024;
  };
  const answer = async (request: Request): Promise<unknown> => {
    if (request === "collect") return collected();
    if (request !== "processor") return serve(request);
    const { user, system } = process.cpuUsage();
    return (user + system) / 1000;
  };
  process.on("message", async (request: Request) => process.send?.({ answer: await answer(request) }));
  process.on("disconnect", () => process.exit());
  process.send?.("runs");
}

export class MeasuredProcess implements AsyncDisposable {
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess) {
    this.#child = child;
  }

  /** Without flags, as the node agent is started. */
  static async start(file: string, args: readonly string[]): Promise<MeasuredProcess> {
    const child = fork(file, args, {
      execArgv: [],
      stdio: ["ignore", "ignore", "inherit", "ipc"],
    });
    await once(child, "message");
    return new MeasuredProcess(child);
  }

  async serve(names: readonly string[]): Promise<readonly number[]> {
    return (await this.#ask({ serve: names })) as readonly number[];
  }

  /**
   * Kilobytes that it alone has written to, after its garbage was collected, less the heap's space for what is new: that is empty then, and
   * of any size up to 48 MB, which V8 chooses by what happened lately.
   */
  async memory(): Promise<number> {
    const young = (await this.#ask("collect")) as number;
    return privateMemory(this.#child.pid ?? 0) * 1024 - young;
  }

  /** Milliseconds of processors that it used so far, all threads together. */
  async processorMs(): Promise<number> {
    return (await this.#ask("processor")) as number;
  }

  async #ask(request: Request): Promise<unknown> {
    this.#child.send(request);
    const [{ answer }] = await once(this.#child, "message");
    return answer;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const ended = once(this.#child, "exit");
    this.#child.kill("SIGKILL");
    await ended;
  }
}
