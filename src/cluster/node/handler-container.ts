/**
 * A container that the node agent runs as a handler in itself instead of as a process, known by its name.
 * `bin/node-agent` registers the SDK server under `agones-gameserver-sidecar`.
 */
import type { Container, Pod } from "#api/core/pod.ts";
import type { JsonObject } from "#api/meta/json.ts";

export interface HandlerContainerContext {
  readonly pod: Pod;
  readonly container: Container;
  /** The container's environment with downward API and `$(VAR)` resolved, and its arguments. */
  readonly environment: Readonly<Record<string, string>>;
  readonly args: readonly string[];
  /** What `save` wrote last, also by an earlier agent process; absent at first. */
  readonly saved: JsonObject | undefined;
  /** Keeps a small state on disk beside the pod's; resolves when it survives the death of every process. One call at a time. */
  save(state: JsonObject): Promise<void>;
}

export interface HandlerContainer {
  /** Environment for every other container of the pod; wins over the pod's own entries of the same names. */
  readonly environment: Readonly<Record<string, string>>;
  /** Answers an HTTP probe of any container of the pod on one of this container's ports, without a socket. */
  probe(port: number, path: string): Promise<{ readonly status: number; readonly body: string }>;
  /** Ends it: sockets closed, what is queued written within a short budget. */
  stop(): Promise<void>;
}

/** Resolves when the container serves. A rejection is a failed start: reported, and tried again with back-off. */
export type StartHandlerContainer = (context: HandlerContainerContext) => Promise<HandlerContainer>;
