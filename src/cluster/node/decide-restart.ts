/** A container as the node sees it, and the rules of its restarts: which policy holds, and how long it waits. */
import type { Pod, RestartPolicy } from "#api/core/pod.ts";

/** One run of a container that is over. Times are milliseconds since 1970. */
export interface Termination {
  readonly exitCode: number;
  readonly reason: string;
  readonly message?: string;
  readonly containerID?: string;
  readonly startedAt?: number;
  readonly finishedAt: number;
}

export interface Stopping {
  readonly since: number;
  readonly graceMs: number;
  readonly killed: boolean;
}

export type ContainerState =
  /** Not started, or refused before anything ran; `attempts` counts the refusals. */
  | {
      readonly kind: "waiting";
      readonly reason: string;
      readonly message?: string;
      readonly attempts: number;
      readonly retryAt: number;
    }
  | { readonly kind: "starting"; readonly since: number }
  | {
      readonly kind: "running";
      readonly containerID: string;
      readonly startedAt: number;
      /** Its startup probe succeeded, or it has none. */
      readonly started: boolean;
      readonly ready: boolean;
      /** Its liveness or startup probe gave it up. */
      readonly failed: boolean;
      readonly stopping?: Stopping;
    }
  | { readonly kind: "ended"; readonly end: Termination };

export interface ContainerView {
  readonly state: ContainerState;
  /** Runs before the present one: also the number of the present run. */
  readonly restartCount: number;
  /** How the run before the present one ended. */
  readonly last?: Termination;
  /** How long the next restart waits, unless the present run lasts. */
  readonly backoffMs?: number;
  /** Waits to go on with a run that began then, in an earlier agent; milliseconds since 1970. */
  readonly resumesFrom?: number;
}

const FIRST_BACKOFF_MS = 10_000;
const LONGEST_BACKOFF_MS = 300_000;
const BACKOFF_RESET_MS = 600_000;

/** An init container that stays: Kubernetes' native sidecar. */
export function isSidecar(pod: Pod, name: string): boolean {
  return pod.spec.initContainers?.find((container) => container.name === name)?.restartPolicy === "Always";
}

/** The policy that holds for one container: init containers that ended well are never repeated. */
export function restartPolicyOf(pod: Pod, name: string): RestartPolicy {
  const policy = pod.spec.restartPolicy ?? "Always";
  const init = pod.spec.initContainers?.find((container) => container.name === name);
  if (!init) return policy;
  if (init.restartPolicy === "Always") return "Always";
  return policy === "Always" ? "OnFailure" : policy;
}

/** Ended, and not to be started again. */
export function isFinal(view: ContainerView | undefined, policy: RestartPolicy): boolean {
  return view?.state.kind === "ended" && !mayRestart(policy, view.state.end);
}

const mayRestart = (policy: RestartPolicy, end: Termination): boolean =>
  policy === "Always" || (policy === "OnFailure" && end.exitCode !== 0);

/** When an ended container may start again: at once after its first run and after a long one, else after its back-off. */
export function restartAt({ state, backoffMs = 0 }: ContainerView): number {
  if (state.kind !== "ended") return 0;
  const { finishedAt, startedAt = finishedAt } = state.end;
  return finishedAt - startedAt > BACKOFF_RESET_MS ? finishedAt : finishedAt + backoffMs;
}

/** The back-off that a restart sets for the one after it: 10 s, doubled up to 5 min, forgotten after a run of 10 min. */
export function nextBackoff({ state, backoffMs }: ContainerView): number {
  const { finishedAt, startedAt } = state.kind === "ended" ? state.end : { finishedAt: 0, startedAt: undefined };
  const lasted = startedAt !== undefined && finishedAt - startedAt > BACKOFF_RESET_MS;
  return backoffMs === undefined || lasted ? FIRST_BACKOFF_MS : Math.min(2 * backoffMs, LONGEST_BACKOFF_MS);
}

/** How long after the n-th refusal (from 1) a container that could not be made is tried again. */
export const refusalBackoff = (attempts: number): number =>
  Math.min(FIRST_BACKOFF_MS * 2 ** (attempts - 1), LONGEST_BACKOFF_MS);
