/** What runs a container: operating-system processes, handlers in the agent, or nothing but a state machine. */
import type { Container, Pod } from "#api/core/pod.ts";

export interface ContainerEnd {
  readonly exitCode: number;
  /** `Completed`, `Error`, `StartError`, `ContainerStatusUnknown`. */
  readonly reason: string;
  readonly message?: string;
  /** Milliseconds since 1970. */
  readonly finishedAt: number;
}

/** A container that runs, or did until `ended` resolved. */
export interface LiveContainer {
  readonly id: string;
  /** Never rejects. */
  readonly ended: Promise<ContainerEnd>;
  /** Asks it to end; it may take its time. */
  stop(): void;
  /** Ends it. */
  kill(): void;
  /** The process a person would look for, when it is one. */
  pid?(): number | undefined;
  /** What a handler container adds to the environment of every other container. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Answers an HTTP probe without a socket; only handler containers do. */
  probe?(port: number, path: string): Promise<{ readonly status: number; readonly body: string }>;
}

export interface StartRequest {
  readonly pod: Pod;
  readonly container: Container;
  /** 0 for the first; one more at each restart. */
  readonly run: number;
  /** From the pod's handler containers. */
  readonly environment: Readonly<Record<string, string>>;
}

export type StartResult =
  | { readonly kind: "running"; readonly container: LiveContainer }
  /** Nothing ran, and the container is not to blame: tried again later. */
  | { readonly kind: "waiting"; readonly reason: string; readonly message: string }
  /** It could not run: counts as a failed run. */
  | { readonly kind: "ended"; readonly end: ContainerEnd };

/** What became of a run that an earlier agent began. */
export type RecoveredRun =
  | { readonly kind: "running"; readonly container: LiveContainer }
  | { readonly kind: "ended"; readonly end: ContainerEnd }
  /** It never got as far as starting, or left no trace. */
  | { readonly kind: "never" }
  /** It ended with the agent and is begun again as the same run. */
  | { readonly kind: "resumes" };

export interface ContainerRuntime {
  start(request: StartRequest): Promise<StartResult>;
  recover(uid: string, container: string, run: number): Promise<RecoveredRun>;
}

/** An end that nobody witnessed: reported as the kubelet does. */
export function unknownEnd(finishedAt: number): ContainerEnd {
  return {
    exitCode: 137,
    reason: "ContainerStatusUnknown",
    message: "The container's process was gone and nobody saw how it ended.",
    finishedAt,
  };
}
