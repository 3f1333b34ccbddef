/**
 * The node agent: runs the pods that are bound to its node as processes of this machine. The processes outlive it, and the next
 * agent on the same state folder goes on with them.
 */
import type { NodeAddress } from "#api/core/node.ts";
import type { Container, Pod, ResourceList } from "#api/core/pod.ts";
import { PODS } from "#api/core/resources.ts";
import type { Client } from "#kube/client.ts";
import { createEventRecorder } from "#kube/event-recorder.ts";
import { createInformer } from "#kube/shared-informer.ts";
import { type Clock, rfc3339 } from "#runtime/clock.ts";
import type { Logger } from "#runtime/logger.ts";
import { aborted, type Runnable, runGroups } from "#runtime/runnable.ts";
import { type ContainerInfo, createAgentServer, type Keep } from "./agent-server.ts";
import type { Environment } from "./container-environment.ts";
import { containersOf } from "./decide-pod.ts";
import type { NodeFacts } from "./downward-api.ts";
import type { StartHandlerContainer } from "./handler-container.ts";
import { createHandlerRuntime } from "./handler-runtime.ts";
import type { ImageResolver } from "./image-resolver.ts";
import { LogKeeper } from "./log-keeper.ts";
import { createNodeRegistration, machineInfo, machineLabels } from "./node-registration.ts";
import { createPodEvents } from "./pod-events.ts";
import { openPodLog } from "./pod-log.ts";
import { PodWorker, type PodWorkerOptions } from "./pod-worker.ts";
import { PodWorkers } from "./pod-workers.ts";
import { attemptProbe } from "./probe-attempt.ts";
import { type HostProcess, logFileOf, type ProcessHost } from "./process-host.ts";
import { createProcessRuntime } from "./process-runtime.ts";
import { openStateFolder, type StateFolder } from "./state-folder.ts";
import { WriteTurns } from "./write-turns.ts";

export interface NodeAgentOptions {
  readonly client: Client;
  readonly nodeName: string;
  /** The first InternalIP (else ExternalIP) is where pods are said to be reached. */
  readonly addresses: readonly NodeAddress[];
  /** `cpu`, `memory`, `pods`; see `machineCapacity`. */
  readonly capacity: ResourceList;
  /** Belongs to one node alone. */
  readonly stateFolder: string;
  readonly socketPath: string;
  readonly images: ImageResolver;
  /** Containers that the agent runs in itself, by container name. */
  readonly handlers: ReadonlyMap<string, StartHandlerContainer>;
  readonly host: ProcessHost;
  readonly clock: Clock;
  readonly log: Logger;
  /** Of Stadion, as the node shows it. */
  readonly version: string;
  /** Which program of that version it is, for whoever wants to know whether it is still the one that is wanted. */
  readonly build?: string;
  /** The arguments it was started with, for whoever wants to know whether they are still those that are wanted. */
  readonly settings?: readonly string[];
  /** What every process gets: PATH, HOME and the like. Nothing else of the agent's environment reaches it. */
  readonly baseEnvironment: Environment;
  /** Further variables for a container, such as `STADION_PORT_<NAME>` for ports that only the game server names. */
  readonly environmentFor?: (pod: Pod, container: Container) => Promise<Environment> | Environment;
  /** Resolves when there is all that pods need, such as filled caches; none is looked after before. Absent: at once. */
  readonly prepared?: () => Promise<unknown>;
  /** The socket was told to stop the agent: abort the signal that `run` was given. */
  readonly onStop: () => void;
  /** What happens to running pods when the signal aborts without a word from the socket. Default `servers`: they go on. */
  readonly keep?: Keep;
  /** The most that a pod's processes get to end in a stop that keeps none. Default 10 s. */
  readonly stopGraceMs?: number;
  /** A container's log beyond this is moved aside. Default 10 MiB. */
  readonly maxLogBytes?: number;
}

const WRITES_AT_ONCE = 32;
const DEFAULT_STOP_GRACE_MS = 10_000;
const STOP_SLACK_MS = 5_000;
const DEFAULT_LOG_BYTES = 10 * 1024 * 1024;

export interface NodeAgent extends Runnable {
  /** Resolves once it knows its pods and what an earlier agent left; rejects when it cannot run. */
  ready(): Promise<void>;
}

/** Its `run` rejects with `AgentRunningError` when another agent answers at the socket. */
export function createNodeAgent(options: NodeAgentOptions): NodeAgent {
  return new ProcessNodeAgent(options);
}

class ProcessNodeAgent implements NodeAgent {
  readonly name = "node agent";
  readonly #options: NodeAgentOptions;
  readonly #node: NodeFacts;
  readonly #ready = Promise.withResolvers<void>();
  #isReady = false;
  /** The watch of its pods is open. */
  #hears = false;
  #keep: Keep;

  constructor(options: NodeAgentOptions) {
    this.#options = options;
    this.#keep = options.keep ?? "servers";
    this.#node = factsOf(options);
    this.#ready.promise.catch(() => {});
  }

  ready(): Promise<void> {
    return this.#ready.promise;
  }

  async run(signal: AbortSignal): Promise<void> {
    const { stateFolder, log } = this.#options;
    try {
      const folder = await openStateFolder(stateFolder, (file, error) =>
        log.error({ file, error }, "A part of what was kept of pods is damaged and passed over"),
      );
      try {
        await this.#runAll(folder, signal);
      } finally {
        await folder.close();
      }
    } catch (error) {
      this.#ready.reject(error);
      throw error;
    }
  }

  async #runAll(folder: StateFolder, signal: AbortSignal): Promise<void> {
    const { client, clock, log, socketPath, onStop, version, build } = this.#options;
    const { settings = [], maxLogBytes = DEFAULT_LOG_BYTES } = this.#options;
    const recovered = new Map<string, HostProcess>();
    const recorder = createEventRecorder(client, { component: "kubelet", clock, log });
    const workers = this.#workers(folder, recovered, createPodEvents(recorder));
    const containers = () => describeContainers(workers, folder);
    const files = () => containers().flatMap(({ state, logFile }) => (state === "running" ? [logFile] : []));
    const keeper = new LogKeeper({ files, maxBytes: maxLogBytes, clock, log });
    const startedAt = rfc3339(clock.now());
    const server = createAgentServer({
      socketPath,
      containers,
      identity: () => ({
        node: this.#node.nodeName,
        pid: process.pid,
        version,
        ...(build !== undefined && { build }),
        settings,
        startedAt,
        ready: this.#isReady && this.#hears,
      }),
      openLog: (query, gone) =>
        openPodLog(query, { workers, folder, keeper, clock, recovered: () => this.#isReady }, gone),
      stop: (keep) => {
        this.#keep = keep;
        onStop();
      },
      clock,
    });
    const pods: Runnable = { name: "pods", run: (own) => this.#runPods(workers, folder, recovered, own) };
    await runGroups([[server], [recorder, keeper, this.#registration()], [pods]], signal, log);
  }

  #workers(
    folder: StateFolder,
    recovered: Map<string, HostProcess>,
    events: ReturnType<typeof createPodEvents>,
  ): PodWorkers {
    const { client, clock, log, host, images, baseEnvironment, environmentFor } = this.#options;
    const shared = { reader: client, node: this.#node, folder, events, clock };
    const runtime = createProcessRuntime({ ...shared, host, images, baseEnvironment, environmentFor, recovered });
    const handlers = new Map(
      [...this.#options.handlers].map(([name, start]) => [name, createHandlerRuntime({ ...shared, start })]),
    );
    const each: PodWorkerOptions = {
      writer: client,
      turns: new WriteTurns(WRITES_AT_ONCE),
      store: folder,
      addresses: this.#node,
      runtime,
      handlers,
      attempt: attemptProbe,
      events,
      clock,
      log,
    };
    return new PodWorkers((pod, gone) => new PodWorker(pod, each, gone));
  }

  #registration(): Runnable {
    const { client, clock, log, nodeName, addresses, capacity, host, version } = this.#options;
    const lacking = Object.entries(host.capabilities()).flatMap(([name, has]) => (has ? [] : [name]));
    return createNodeRegistration({
      client,
      clock,
      log,
      node: {
        name: nodeName,
        addresses,
        capacity,
        labels: machineLabels(nodeName),
        annotations: { "stadion.dev/not-enforced": lacking.join(",") },
        nodeInfo: machineInfo(version),
      },
    });
  }

  async #runPods(
    workers: PodWorkers,
    folder: StateFolder,
    recovered: Map<string, HostProcess>,
    signal: AbortSignal,
  ): Promise<void> {
    const { client, clock, log, host, images, prepared } = this.#options;
    const informer = createInformer(this.#heard(client), PODS, {
      fieldSelector: `spec.nodeName=${this.#node.nodeName}`,
      clock,
      log,
    });
    const watching = informer.run(signal);
    await Promise.race([prepared?.(), aborted(signal)]);
    for (const [runFile, process] of await host.recover(folder.path)) recovered.set(runFile, process);
    if (!signal.aborted) workers.follow(informer);
    const forget = images.onChange?.(() => workers.retryImages());
    const synced = informer.ready().then(async () => {
      if (signal.aborted) return;
      await workers.endLeftovers(folder, () => recovered.values());
      this.#isReady = true;
      this.#ready.resolve();
    });
    synced.catch((error: unknown) => log.error({ error }, "What is left of pods that are gone cannot be removed"));
    await watching;
    forget?.();
    if (this.#keep === "none") await this.#shutdown(workers);
    await workers.detach();
  }

  /** The client, noting whether a watch is open. */
  #heard(client: Client): Pick<Client, "list" | "watch"> {
    const noted = async function* <T>(batches: AsyncIterable<T>, ended: () => void): AsyncGenerator<T> {
      try {
        yield* batches;
      } finally {
        ended();
      }
    };
    return {
      list: (type, options) => client.list(type, options),
      watch: async (type, options) => {
        const batches = await client.watch(type, options);
        this.#hears = true;
        return noted(batches, () => {
          this.#hears = false;
        });
      },
    };
  }

  /** A container that is just starting, and never gets there, must not keep the agent. */
  async #shutdown(workers: PodWorkers): Promise<void> {
    const { clock, stopGraceMs = DEFAULT_STOP_GRACE_MS } = this.#options;
    const ended = new AbortController();
    const enough = clock.sleep(stopGraceMs + STOP_SLACK_MS, ended.signal).catch(() => {});
    await Promise.race([workers.shutdown(stopGraceMs), enough]);
    ended.abort();
  }
}

function factsOf({ nodeName, addresses, capacity }: NodeAgentOptions): NodeFacts {
  const ofType = (type: string) => addresses.flatMap((each) => (each.type === type ? [each.address] : []));
  const internal = ofType("InternalIP");
  const podIPs = internal.length > 0 ? internal : ofType("ExternalIP").slice(0, 1);
  const [hostIP = ""] = podIPs;
  return { nodeName, hostIP, podIPs, allocatable: capacity };
}

function describeContainers(workers: PodWorkers, folder: StateFolder): readonly ContainerInfo[] {
  return workers.list().flatMap((worker) => {
    const { namespace = "", name: pod = "", uid = "" } = worker.pod.metadata;
    return containersOf(worker.pod).flatMap(({ name: container }) => {
      const view = worker.views.get(container);
      if (!view || worker.isHandler(container)) return [];
      const { state, restartCount } = view;
      const logFile = logFileOf(folder.runFile(uid, container, restartCount));
      const pid = worker.pidOf(container);
      return [
        { namespace, pod, container, state: state.kind, restartCount, ...(pid !== undefined && { pid }), logFile },
      ];
    });
  });
}
