/** Runs containers as operating-system processes: image to command, environment, working directory, log. */
import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import { expandVariables } from "#api/core/expand-variables.ts";
import type { Container, Pod } from "#api/core/pod.ts";
import type { Reader } from "#kube/client.ts";
import type { Clock } from "#runtime/clock.ts";
import { containerEnvironment, type Environment, portEnvironment } from "./container-environment.ts";
import { logTail } from "./container-log.ts";
import {
  type ContainerEnd,
  type ContainerRuntime,
  type LiveContainer,
  type RecoveredRun,
  type StartRequest,
  type StartResult,
  unknownEnd,
} from "./container-runtime.ts";
import { ContainerConfigError, type NodeFacts } from "./downward-api.ts";
import { CommandError, findExecutable } from "./find-executable.ts";
import { type ImageCommand, type ImageResolver, unmappedImage } from "./image-resolver.ts";
import type { PodEvents } from "./pod-events.ts";
import { type HostProcess, logFileOf, type ProcessEnd, type ProcessHost, SpawnError } from "./process-host.ts";
import type { StateFolder } from "./state-folder.ts";

export interface ProcessRuntimeOptions {
  readonly host: ProcessHost;
  readonly images: ImageResolver;
  readonly folder: StateFolder;
  readonly reader: Pick<Reader, "get">;
  readonly node: NodeFacts;
  readonly clock: Clock;
  readonly events: Pick<PodEvents, "skippedVariables">;
  /** What every process gets beneath its image's and its pod's own entries, such as PATH and HOME. */
  readonly baseEnvironment: Environment;
  /** Further variables for a container, such as `STADION_PORT_<NAME>` for ports that only the game server names. */
  readonly environmentFor?: (pod: Pod, container: Container) => Promise<Environment> | Environment;
  /** Runs that `ProcessHost.recover` found; each is taken out when its container claims it. */
  readonly recovered: Map<string, HostProcess>;
}

/** What the shell answers for a command it cannot run (POSIX, "Command Search and Execution"). */
const CANNOT_EXECUTE = 126;
const START_ERROR = 128;

export function createProcessRuntime(options: ProcessRuntimeOptions): ContainerRuntime {
  return new ProcessRuntime(options);
}

class ProcessRuntime implements ContainerRuntime {
  readonly #options: ProcessRuntimeOptions;

  constructor(options: ProcessRuntimeOptions) {
    this.#options = options;
  }

  async start(request: StartRequest): Promise<StartResult> {
    const { image = "" } = request.container;
    const command = await this.#options.images.resolve(image);
    if (!command) return { kind: "waiting", reason: "ErrImagePull", message: unmappedImage(image) };
    try {
      return await this.#startCommand(request, command);
    } catch (error) {
      const { message } = error as Error;
      if (error instanceof CommandError || error instanceof SpawnError)
        return { kind: "ended", end: this.#startError(message) };
      const reason = error instanceof ContainerConfigError ? "CreateContainerConfigError" : "CreateContainerError";
      return { kind: "waiting", reason, message };
    }
  }

  async #startCommand({ pod, container, run, environment }: StartRequest, image: ImageCommand): Promise<StartResult> {
    const { host, folder } = this.#options;
    const variables = await this.#environmentOf(pod, container, image, environment);
    const { uid = "" } = pod.metadata;
    const runFile = folder.runFile(uid, container.name, run);
    await folder.prune(uid, container.name, run);
    const start = image.cwd ?? (await folder.makeScratchFolder(uid, container.name));
    const workingDirectory = resolve(start, container.workingDir ?? ".");
    if (image.cwd !== undefined || workingDirectory !== start) await checkFolder(workingDirectory);
    const [program = "", ...rest] = commandOf(container, image, variables);
    const command = [await findExecutable(program, workingDirectory, variables.PATH ?? ""), ...rest];
    const process = await host.spawn({ runFile, command, environment: variables, workingDirectory });
    return { kind: "running", container: this.#live(process, idOf(uid, container.name, run)) };
  }

  async #environmentOf(
    pod: Pod,
    container: Container,
    image: ImageCommand,
    overrides: Environment,
  ): Promise<Environment> {
    const { baseEnvironment, environmentFor, events, node, reader } = this.#options;
    const defaults = {
      ...baseEnvironment,
      ...image.env,
      ...portEnvironment(container),
      ...(await environmentFor?.(pod, container)),
    };
    const skipped = (message: string) => events.skippedVariables(pod, message);
    return containerEnvironment({ pod, container, node, defaults, overrides, reader, skipped });
  }

  async recover(uid: string, container: string, run: number): Promise<RecoveredRun> {
    const { host, folder, recovered, clock } = this.#options;
    const runFile = folder.runFile(uid, container, run);
    const process = recovered.get(runFile);
    if (process) {
      recovered.delete(runFile);
      return { kind: "running", container: this.#live(process, idOf(uid, container, run)) };
    }
    if (!folder.mayHold(uid) || !(await host.wasSpawned(runFile))) return { kind: "never" };
    return { kind: "ended", end: await this.#endOf(runFile, await host.endOf(runFile), clock.now()) };
  }

  #live(process: HostProcess, id: string): LiveContainer {
    return {
      id,
      ended: process.ended.then((end) => this.#endOf(process.runFile, end, this.#options.clock.now())),
      stop: () => process.signal("SIGTERM"),
      kill: () => process.signal("SIGKILL"),
      pid: () => process.mainProcess(),
    };
  }

  async #endOf(runFile: string, end: ProcessEnd | undefined, now: number): Promise<ContainerEnd> {
    if (!end) return unknownEnd(now);
    const { exitCode, finishedAt } = end;
    if (exitCode === 0) return { exitCode, reason: "Completed", finishedAt };
    const message = await logTail(logFileOf(runFile));
    const reason = exitCode === CANNOT_EXECUTE ? "StartError" : "Error";
    return { exitCode, reason, ...(message && { message }), finishedAt };
  }

  #startError(message: string): ContainerEnd {
    return { exitCode: START_ERROR, reason: "StartError", message, finishedAt: this.#options.clock.now() };
  }
}

const idOf = (uid: string, container: string, run: number): string => `process://${uid}/${container}/${run}`;

/** `command` replaces the image's command and arguments, `args` follow whichever holds (core/v1 Container). */
function commandOf({ command, args = [] }: Container, image: ImageCommand, variables: Environment): readonly string[] {
  const words = [...(command?.length ? command : image.command), ...args];
  return words.map((word) => expandVariables(word, variables));
}

async function checkFolder(folder: string): Promise<void> {
  const found = await stat(folder).catch((cause: unknown) => {
    throw new CommandError(`working directory "${folder}" cannot be used`, { cause });
  });
  if (!found.isDirectory()) throw new CommandError(`working directory "${folder}" is not a folder`);
}
