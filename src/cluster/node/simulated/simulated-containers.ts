/** Containers that are nothing but state machines, driven by a test or a benchmark. They outlive the worker that started them. */
import type { Clock } from "#runtime/clock.ts";
import type {
  ContainerEnd,
  ContainerRuntime,
  LiveContainer,
  RecoveredRun,
  StartRequest,
  StartResult,
} from "../container-runtime.ts";

export interface SimulatedContainersOptions {
  readonly clock: Clock;
  /** From the request to start until it runs. Default 0. */
  readonly startMs?: number;
  /** From the request to end until it ends. Default 0; `Infinity` only listens to `kill`. */
  readonly stopMs?: number;
  /** What it ends with when it was asked to. Default 0. */
  readonly stopCode?: number;
}

/** One container that runs, of the run that `run` counts. */
export interface SimulatedContainer {
  readonly uid: string;
  readonly container: string;
  readonly run: number;
}

interface Entry extends SimulatedContainer {
  readonly ended: Promise<ContainerEnd>;
  readonly end: (exitCode: number) => void;
  result?: ContainerEnd;
}

const KILLED = 137;

export class SimulatedContainers implements ContainerRuntime {
  readonly #options: SimulatedContainersOptions;
  readonly #entries = new Map<string, Entry>();

  constructor(options: SimulatedContainersOptions) {
    this.#options = options;
  }

  /** All that run now. */
  running(): readonly SimulatedContainer[] {
    return [...this.#entries.values()].filter(({ result }) => result === undefined);
  }

  /** Ends a running container by itself, as a game that exits; false when it does not run. */
  exit(uid: string, container: string, exitCode: number): boolean {
    const entry = [...this.#entries.values()].find(
      (each) => each.uid === uid && each.container === container && each.result === undefined,
    );
    entry?.end(exitCode);
    return entry !== undefined;
  }

  async start({ pod, container, run }: StartRequest): Promise<StartResult> {
    const { clock, startMs = 0 } = this.#options;
    if (startMs > 0) await clock.sleep(startMs);
    const uid = pod.metadata.uid ?? "";
    this.#entries.delete(keyOf(uid, container.name, run - 1));
    const { promise: ended, resolve } = Promise.withResolvers<ContainerEnd>();
    const entry: Entry = {
      uid,
      container: container.name,
      run,
      ended,
      end: (exitCode) => {
        if (entry.result) return;
        entry.result = { exitCode, reason: exitCode === 0 ? "Completed" : "Error", finishedAt: clock.now() };
        resolve(entry.result);
      },
    };
    this.#entries.set(keyOf(uid, container.name, run), entry);
    return { kind: "running", container: this.#live(entry) };
  }

  async recover(uid: string, container: string, run: number): Promise<RecoveredRun> {
    const entry = this.#entries.get(keyOf(uid, container, run));
    if (!entry) return { kind: "never" };
    return entry.result ? { kind: "ended", end: entry.result } : { kind: "running", container: this.#live(entry) };
  }

  /** Drops what is kept of a pod that is gone. */
  forget(uid: string): void {
    for (const [key, entry] of this.#entries) if (entry.uid === uid) this.#entries.delete(key);
  }

  #live(entry: Entry): LiveContainer {
    const { clock, stopMs = 0, stopCode = 0 } = this.#options;
    return {
      id: `simulated://${keyOf(entry.uid, entry.container, entry.run)}`,
      ended: entry.ended,
      stop: () => {
        if (stopMs === 0) entry.end(stopCode);
        else if (Number.isFinite(stopMs)) clock.after(stopMs, () => entry.end(stopCode));
      },
      kill: () => entry.end(KILLED),
    };
  }
}

const keyOf = (uid: string, container: string, run: number): string => `${uid}/${container}/${run}`;
