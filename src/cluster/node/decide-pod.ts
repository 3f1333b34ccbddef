/**
 * What a node does next for one pod: a pure function of the pod, of its containers as they are, and of the time.
 *
 * Order of start: handler containers, then init containers in their order (those with restartPolicy `Always` are sidecars and
 * stay), then all others together. Order of end: the other way round, so that the SDK still answers during the grace period.
 */
import type { Container, Pod } from "#api/core/pod.ts";
import { type ContainerView, isFinal, isSidecar, restartAt, restartPolicyOf } from "./decide-restart.ts";

/** `run` it; `delete`: its deletion was asked for; `vanished`: the API knows it no longer; `shutdown`: the node stops. */
export type PodMode = "run" | "delete" | "vanished" | "shutdown";

export interface PodSnapshot {
  readonly pod: Pod;
  readonly mode: PodMode;
  /** For an orderly end of any container. */
  readonly graceMs: number;
  /** When the first container was asked to end for `mode`'s sake. */
  readonly stoppingSince?: number;
  /** What has ended of it ended with the node. */
  readonly nodeStopped?: boolean;
  readonly containers: ReadonlyMap<string, ContainerView>;
  /** Names of containers that run in the agent itself. */
  readonly handlers: ReadonlySet<string>;
  readonly now: number;
}

export type PodAction =
  | { readonly type: "start"; readonly container: string }
  | { readonly type: "stop"; readonly container: string; readonly graceMs: number }
  | { readonly type: "kill"; readonly container: string }
  /** Nothing of the pod runs any more and nothing will. */
  | { readonly type: "finish" };

export interface PodDecision {
  readonly actions: readonly PodAction[];
  /** When to decide again though nothing happened. */
  readonly wakeAt?: number;
}

/** What a sidecar gets when the others used up the grace period. */
const LEAST_SIDECAR_GRACE_MS = 2_000;

export function decidePod(snapshot: PodSnapshot): PodDecision {
  const plan = new Plan(snapshot);
  if (snapshot.mode === "run") plan.run();
  else plan.end();
  return plan.decision();
}

/** All containers, init containers first. */
export function containersOf(pod: Pod): readonly Container[] {
  return [...(pod.spec.initContainers ?? []), ...pod.spec.containers];
}

/** The pod's work is done, well or badly: only sidecars may still run. */
export function isComplete({ pod, containers }: Pick<PodSnapshot, "pod" | "containers">): boolean {
  const phase = pod.status?.phase;
  return phase === "Succeeded" || phase === "Failed" || hasFailedInit(pod, containers) || allFinal(pod, containers);
}

export function hasFailedInit(pod: Pod, containers: ReadonlyMap<string, ContainerView>): boolean {
  return (pod.spec.initContainers ?? []).some(({ name }) => {
    const view = containers.get(name);
    return view?.state.kind === "ended" && view.state.end.exitCode !== 0 && isFinal(view, restartPolicyOf(pod, name));
  });
}

function allFinal(pod: Pod, containers: ReadonlyMap<string, ContainerView>): boolean {
  return pod.spec.containers.every(({ name }) => isFinal(containers.get(name), restartPolicyOf(pod, name)));
}

type PodContainerViews = Omit<PodSnapshot, "mode" | "graceMs" | "now">;

/** Every init container did its part: from then on it is not looked at again. */
export function isInitialized(snapshot: PodContainerViews): boolean {
  const { pod, containers } = snapshot;
  const didItsPart = ({ name }: Container): boolean => {
    const view = containers.get(name);
    return isSidecar(pod, name) ? isStarted(view) : hasSucceeded(view);
  };
  return hasBegun(snapshot) || (pod.spec.initContainers ?? []).every(didItsPart);
}

/** A container that is a process has been started. */
const hasBegun = ({ pod, containers, handlers }: PodContainerViews): boolean =>
  pod.spec.containers.some(({ name }) => !handlers.has(name) && hasStarted(containers.get(name)));

export const isLive = (view: ContainerView | undefined): boolean =>
  view?.state.kind === "running" || view?.state.kind === "starting";
const isStarted = (view: ContainerView | undefined): boolean => view?.state.kind === "running" && view.state.started;
const hasStarted = (view: ContainerView | undefined): boolean =>
  view !== undefined && (view.state.kind !== "waiting" || view.last !== undefined);
const hasSucceeded = (view: ContainerView | undefined): boolean =>
  view?.state.kind === "ended" && view.state.end.exitCode === 0;

class Plan {
  readonly #snapshot: PodSnapshot;
  readonly #actions: PodAction[] = [];
  #wakeAt: number | undefined;

  constructor(snapshot: PodSnapshot) {
    this.#snapshot = snapshot;
  }

  decision(): PodDecision {
    return { actions: this.#actions, ...(this.#wakeAt !== undefined && { wakeAt: this.#wakeAt }) };
  }

  run(): void {
    const { pod, containers, handlers } = this.#snapshot;
    if (isComplete(this.#snapshot)) return void this.#endInOrder();
    const own = containersOf(pod).filter(({ name }) => handlers.has(name));
    for (const { name } of own) this.#keepRunning(name);
    // What a process needs to know of a handler, such as its ports, it is told at its start.
    if (!hasBegun(this.#snapshot) && !own.every(({ name }) => isStarted(containers.get(name)))) return;
    if (!this.#initialize()) return;
    for (const { name } of pod.spec.containers) if (!handlers.has(name)) this.#keepRunning(name);
  }

  /** Brings the init containers forward by one; true when all have done their part. */
  #initialize(): boolean {
    const { pod, containers, handlers } = this.#snapshot;
    const initialized = isInitialized(this.#snapshot);
    for (const { name } of pod.spec.initContainers ?? []) {
      if (handlers.has(name)) continue;
      const view = containers.get(name);
      const sidecar = isSidecar(pod, name);
      if (sidecar || !initialized) this.#keepRunning(name);
      if (!initialized && !(sidecar ? isStarted(view) : hasSucceeded(view))) return false;
    }
    return true;
  }

  #keepRunning(name: string): void {
    const view = this.#snapshot.containers.get(name);
    if (!view) return;
    const { state } = view;
    if (state.kind === "waiting") this.#startAt(name, state.retryAt);
    else if (state.kind === "running" && (state.failed || state.stopping)) this.#stop(name, this.#snapshot.graceMs);
    else if (state.kind === "ended" && !isFinal(view, restartPolicyOf(this.#snapshot.pod, name)))
      this.#startAt(name, restartAt(view));
  }

  end(): void {
    if (this.#endInOrder()) this.#actions.push({ type: "finish" });
  }

  /** Stops the first group in the order of end that has something left; true when nothing is. */
  #endInOrder(): boolean {
    const { containers } = this.#snapshot;
    for (const [index, group] of this.#endOrder().entries()) {
      const live = group.filter((name) => isLive(containers.get(name)));
      if (live.length === 0) continue;
      for (const name of live) {
        const longest = index === 0 ? this.#snapshot.graceMs : this.#longestSidecarGrace();
        this.#stop(name, Math.min(longest, this.#graceLeft(index > 0)), longest);
      }
      return false;
    }
    return true;
  }

  #endOrder(): readonly (readonly string[])[] {
    const { pod, handlers } = this.#snapshot;
    const names = containersOf(pod).map(({ name }) => name);
    const late = (name: string) => handlers.has(name) || isSidecar(pod, name);
    const sidecars = names.filter((name) => isSidecar(pod, name) && !handlers.has(name)).reverse();
    return [
      names.filter((name) => !late(name)),
      ...sidecars.map((name) => [name]),
      names.filter((name) => handlers.has(name)),
    ];
  }

  /** The grace period is one for the whole pod; a sidecar gets what the others left of it. */
  #graceLeft(sidecar: boolean): number {
    const { graceMs, stoppingSince, now } = this.#snapshot;
    return Math.max(sidecar ? LEAST_SIDECAR_GRACE_MS : 0, (stoppingSince ?? now) + graceMs - now);
  }

  #longestSidecarGrace(): number {
    const { mode, graceMs } = this.#snapshot;
    return mode === "vanished" ? 0 : Math.max(LEAST_SIDECAR_GRACE_MS, graceMs);
  }

  #stop(name: string, graceMs: number, longestMs = graceMs): void {
    const state = this.#snapshot.containers.get(name)?.state;
    if (state?.kind !== "running") return;
    const { stopping } = state;
    if (stopping?.killed) return;
    if (!stopping && graceMs > 0) {
      this.#actions.push({ type: "stop", container: name, graceMs });
      this.#wake(this.#snapshot.now + graceMs);
      return;
    }
    // A second request to delete may shorten the grace period, never lengthen it.
    const killAt = stopping ? stopping.since + Math.min(stopping.graceMs, longestMs) : this.#snapshot.now;
    if (this.#snapshot.now >= killAt) this.#actions.push({ type: "kill", container: name });
    else this.#wake(killAt);
  }

  #startAt(name: string, at: number): void {
    if (this.#snapshot.now >= at) this.#actions.push({ type: "start", container: name });
    else this.#wake(at);
  }

  #wake(at: number): void {
    this.#wakeAt = Math.min(this.#wakeAt ?? at, at);
  }
}
