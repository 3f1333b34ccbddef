/** Containers that are nothing but state machines, driven by a test or a benchmark. They outlive the worker that started them. */
import type { Container, Pod } from "#api/core/pod.ts";
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
  /** Called when a container has begun to run: acts as the program in it would. */
  readonly onRun?: (pod: Pod, container: Container) => void;
}

/** One container that runs, in the run that `run` counts. */
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
  /** The latest run of each container, by UID of the pod and name. */
  readonly #pods = new Map<string, Map<string, Entry>>();

  constructor(options: SimulatedContainersOptions) {
    this.#options = options;
  }

  /** All that run now. */
  running(): readonly SimulatedContainer[] {
    return [...this.#pods.values()].flatMap((pod) => [...pod.values()].filter(({ result }) => !result));
  }

  /** Ends a running container, as if by itself; false when it does not run. */
  exit(uid: string, container: string, exitCode: number): boolean {
    const entry = this.#pods.get(uid)?.get(container);
    if (!entry || entry.result) return false;
    entry.end(exitCode);
    return true;
  }

  async start({ pod, container, run }: StartRequest): Promise<StartResult> {
    const { clock, startMs = 0, onRun } = this.#options;
    if (startMs > 0) await clock.sleep(startMs);
    const { promise: ended, resolve } = Promise.withResolvers<ContainerEnd>();
    const uid = pod.metadata.uid ?? "";
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
    const containers = this.#pods.get(uid) ?? new Map<string, Entry>();
    this.#pods.set(uid, containers.set(container.name, entry));
    onRun?.(pod, container);
    return { kind: "running", container: this.#live(entry) };
  }

  async recover(uid: string, container: string, run: number): Promise<RecoveredRun> {
    const entry = this.#pods.get(uid)?.get(container);
    if (entry?.run !== run) return { kind: "never" };
    return entry.result ? { kind: "ended", end: entry.result } : { kind: "running", container: this.#live(entry) };
  }

  /** Drops what is kept of a pod that is gone. */
  forget(uid: string): void {
    this.#pods.delete(uid);
  }

  #live(entry: Entry): LiveContainer {
    const { clock, stopMs = 0, stopCode = 0 } = this.#options;
    return {
      id: `simulated://${entry.uid}/${entry.container}/${entry.run}`,
      ended: entry.ended,
      stop: () => {
        if (stopMs === 0) entry.end(stopCode);
        else if (Number.isFinite(stopMs)) clock.after(stopMs, () => entry.end(stopCode));
      },
      kill: () => entry.end(KILLED),
    };
  }
}
