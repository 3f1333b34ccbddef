/** Runs containers as handlers in the agent itself. They end with the agent, and are started again with what they saved. */

import { expandVariables } from "#api/core/expand-variables.ts";
import type { Reader } from "#kube/client.ts";
import type { Clock } from "#runtime/clock.ts";
import { containerEnvironment } from "./container-environment.ts";
import type {
  ContainerEnd,
  ContainerRuntime,
  LiveContainer,
  RecoveredRun,
  StartRequest,
  StartResult,
} from "./container-runtime.ts";
import { ContainerConfigError, type NodeFacts } from "./downward-api.ts";
import type { HandlerContainer, StartHandlerContainer } from "./handler-container.ts";
import type { PodEvents } from "./pod-events.ts";
import type { StateFolder } from "./state-folder.ts";

export interface HandlerRuntimeOptions {
  readonly start: StartHandlerContainer;
  readonly folder: Pick<StateFolder, "loadHandlerState" | "saveHandlerState">;
  readonly reader: Pick<Reader, "get">;
  readonly node: NodeFacts;
  readonly events: Pick<PodEvents, "skippedVariables">;
  readonly clock: Clock;
}

export function createHandlerRuntime(options: HandlerRuntimeOptions): ContainerRuntime {
  return {
    start: (request) => start(request, options),
    // A handler lives in its agent: after a new start of the agent it begins its present run again.
    recover: async (): Promise<RecoveredRun> => ({ kind: "resumes" }),
  };
}

async function start(request: StartRequest, options: HandlerRuntimeOptions): Promise<StartResult> {
  const { pod, container } = request;
  const uid = pod.metadata.uid ?? "";
  const { folder, events, clock } = options;
  const skipped = (message: string) => events.skippedVariables(pod, message);
  try {
    const environment = await containerEnvironment({
      ...options,
      pod,
      container,
      defaults: {},
      overrides: {},
      skipped,
    });
    const handler = await options.start({
      pod,
      container,
      environment,
      args: (container.args ?? []).map((arg) => expandVariables(arg, environment)),
      saved: await folder.loadHandlerState(uid, container.name),
      save: (state) => folder.saveHandlerState(uid, container.name, state),
    });
    return { kind: "running", container: live(handler, `handler://${uid}/${container.name}/${request.run}`, clock) };
  } catch (error) {
    const reason = error instanceof ContainerConfigError ? "CreateContainerConfigError" : "RunContainerError";
    return { kind: "waiting", reason, message: error instanceof Error ? error.message : String(error) };
  }
}

function live(handler: HandlerContainer, id: string, clock: Clock): LiveContainer {
  const { promise: ended, resolve } = Promise.withResolvers<ContainerEnd>();
  let stopping = false;
  const stop = () => {
    if (stopping) return;
    stopping = true;
    const end = (rest: Pick<ContainerEnd, "exitCode" | "reason" | "message">) =>
      resolve({ ...rest, finishedAt: clock.now() });
    handler.stop().then(
      () => end({ exitCode: 0, reason: "Completed" }),
      (error: unknown) => end({ exitCode: 1, reason: "Error", message: String(error) }),
    );
  };
  return {
    id,
    ended,
    stop,
    kill: stop,
    environment: handler.environment,
    probe: (port, path) => handler.probe(port, path),
  };
}
