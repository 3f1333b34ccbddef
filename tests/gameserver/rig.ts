/**
 * GameServers under their real controllers on the real API server, where the test itself is the scheduler, the kubelet and the game: it
 * says when a Pod is placed, what becomes of its containers, and what the SDK asks for.
 */
import { onTestFinished } from "vitest";
import type { CloudProduct } from "#api/agones/cloud-product/cloud-product.ts";
import { type FeatureGates, featureGates } from "#api/agones/feature-gates.ts";
import type { GameServer, GameServerSpec, GameServerState } from "#api/agones/gameserver.ts";
import { GAMESERVERS } from "#api/agones/resources.ts";
import type { NodeAddress } from "#api/core/node.ts";
import type { ContainerState, ContainerStatus, Pod, PodStatus } from "#api/core/pod.ts";
import { NODES, PODS } from "#api/core/resources.ts";
import type { ObjectMeta } from "#api/meta/object.ts";
import { isNotFound } from "#api/meta/status.ts";
import { createGameServerControllers } from "#controllers/gameserver/controller.ts";
import { createPodFollowers } from "#controllers/gameserver/pod-followers.ts";
import { createControllerInformers } from "#controllers/informers.ts";
import type { Client } from "#kube/client.ts";
import { FakeEventRecorder } from "#kube/fake-event-recorder.ts";
import { PortAllocator } from "#ports/port-allocator.ts";
import { type PortRange, portRanges } from "#ports/port-range.ts";
import { FakeClock } from "#runtime/clock.ts";
import { silentLogger } from "#runtime/logger.ts";
import { runGroups } from "#runtime/runnable.ts";
import { type EmbeddedTestApi, openTestApi } from "../world/embedded-api.ts";
import { seededRandom } from "../world/random.ts";

export interface RigOptions {
  /** Whether the controllers run from the start. Default: they do. */
  readonly running?: boolean;
  readonly gates?: Partial<FeatureGates>;
  readonly product?: CloudProduct;
  readonly ranges?: ReadonlyMap<string, PortRange>;
  /** What stands between the controllers and the API. */
  readonly disturb?: (client: Client, clock: FakeClock) => Client;
}

/** A process with the controllers of GameServers; it knows nothing but what the API tells. */
export interface RigProcess {
  readonly ports: PortAllocator;
  stop(): Promise<void>;
}

export class GameServerRig {
  readonly clock: FakeClock;
  readonly recorder = new FakeEventRecorder();
  readonly api: EmbeddedTestApi;
  readonly #options: RigOptions;
  readonly #gates: FeatureGates;
  readonly #random = seededRandom(11);

  private constructor(api: EmbeddedTestApi, clock: FakeClock, options: RigOptions) {
    this.api = api;
    this.clock = clock;
    this.#options = options;
    this.#gates = featureGates(options.gates);
  }

  /** With one node. Ends with the test. */
  static async open(options: RigOptions = {}): Promise<GameServerRig> {
    const clock = new FakeClock();
    const api = await openTestApi({ clock, random: seededRandom(12) });
    onTestFinished(() => api.close());
    const rig = new GameServerRig(api, clock, options);
    await rig.addNode("node-1");
    if (options.running ?? true) rig.start();
    await rig.settle();
    return rig;
  }

  /** Another process beside those that run. Ends with the test, or when it is stopped. */
  start(): RigProcess {
    const { clock, recorder } = this;
    const { disturb, product, ranges = portRanges({ min: 7000, max: 7099 }) } = this.#options;
    const client = disturb?.(this.api.client, clock) ?? this.api.client;
    const gates = this.#gates;
    const random = this.#random;
    const cache = { clock, log: silentLogger, random, freeze: true };
    const informers = createControllerInformers(client, cache);
    const ports = new PortAllocator(ranges, { namedRanges: gates.PortRanges, random, product });
    ports.follow(informers);
    const shared = { client, informers, gates, product, clock, log: silentLogger, workers: 8 };
    const pod = { gates, product, version: "1.2.3", sidecar: { image: "sdk", requestsRateLimit: "500ms" } };
    const controllers = [
      ...createGameServerControllers({ ...shared, ports, pod, recorder }),
      ...createPodFollowers({ ...shared, recorderFor: () => recorder }),
    ];
    const abort = new AbortController();
    const running = runGroups([Object.values(informers), controllers], abort.signal, silentLogger);
    const stop = async () => {
      abort.abort();
      let stopping = true;
      void running.finally(() => {
        stopping = false;
      });
      while (stopping) await clock.advance(10);
      await running;
    };
    onTestFinished(stop);
    return { ports, stop };
  }

  /** Lets what is on its way arrive, without letting time pass. */
  settle(): Promise<void> {
    return this.clock.advance(0);
  }

  async addNode(name: string, addresses: readonly NodeAddress[] = [{ type: "InternalIP", address: "10.0.0.1" }]) {
    const made = await this.api.client.create(NODES, { apiVersion: "v1", kind: "Node", metadata: { name }, spec: {} });
    await this.api.client.updateStatus(NODES, { ...made, status: { addresses } });
  }

  /** As somebody applies it: one container `game`, without health checks unless asked for. */
  async create(spec: Partial<GameServerSpec> = {}, metadata: ObjectMeta = { name: "duel" }): Promise<GameServer> {
    const made = await this.api.client.create(GAMESERVERS, {
      apiVersion: "agones.dev/v1",
      kind: "GameServer",
      metadata: { namespace: "default", ...metadata },
      spec: { template: { spec: { containers: [{ name: "game", image: "game:1" }] } }, ...spec },
    });
    await this.settle();
    return made;
  }

  /** Undefined when it has gone. */
  find(name = "duel"): Promise<GameServer | undefined> {
    return unlessGone(this.api.client.get(GAMESERVERS, "default", name));
  }

  async get(name = "duel"): Promise<GameServer> {
    return this.api.client.get(GAMESERVERS, "default", name);
  }

  async state(name = "duel"): Promise<GameServerState | "Deleting" | undefined> {
    const server = await this.find(name);
    return server?.metadata.deletionTimestamp ? "Deleting" : server?.status?.state;
  }

  /** Messages of all events so far, each once. */
  get messages(): readonly string[] {
    return [...new Set(this.recorder.events.map(({ message }) => message))];
  }

  findPod(name = "duel"): Promise<Pod | undefined> {
    return unlessGone(this.api.client.get(PODS, "default", name));
  }

  /** As a scheduler does. */
  async bind(name = "duel", node = "node-1"): Promise<void> {
    const binding = {
      apiVersion: "v1",
      kind: "Binding",
      metadata: { name, namespace: "default" },
      target: { kind: "Node", name: node },
    };
    await this.api.client.raw("POST", `/api/v1/namespaces/default/pods/${name}/binding`, binding);
    await this.settle();
  }

  /** As `kubectl drain` does. */
  async evict(name = "duel"): Promise<void> {
    const eviction = { apiVersion: "policy/v1", kind: "Eviction", metadata: { name, namespace: "default" } };
    await this.api.client.raw("POST", `/api/v1/namespaces/default/pods/${name}/eviction`, eviction);
    await this.settle();
  }

  /** As a kubelet does. */
  async podStatus(status: PodStatus, name = "duel"): Promise<void> {
    const pod = await this.api.client.get(PODS, "default", name);
    await this.api.client.updateStatus(PODS, { ...pod, status: { ...pod.status, ...status } });
    await this.settle();
  }

  /** The Pod runs, and with it the container `containerID` of the game. */
  run(containerID = "docker://1", name = "duel"): Promise<void> {
    const containerStatuses = [containerOf({ running: {} }, containerID)];
    return this.podStatus({ phase: "Running", podIPs: [{ ip: "10.8.0.1" }], containerStatuses }, name);
  }

  /** As the SDK server does, or a person. */
  async setState(state: GameServerState, name = "duel"): Promise<void> {
    const server = await this.get(name);
    await this.api.client.update(GAMESERVERS, { ...server, status: { ...server.status, state } });
    await this.settle();
  }

  /** Brings a new server to Ready. */
  async ready(spec?: Partial<GameServerSpec>, metadata?: ObjectMeta): Promise<GameServer> {
    const { name = "" } = (await this.create(spec, metadata)).metadata;
    await this.bind(name);
    await this.run("docker://1", name);
    await this.setState("RequestReady", name);
    return this.get(name);
  }

  /** Asks for deletion as `kubectl delete` does. */
  async deleteServer(name = "duel"): Promise<void> {
    await this.api.client.delete(GAMESERVERS, "default", name);
    await this.settle();
  }

  /** Also when it has gone already, as Pods that no node has do at once. */
  async deletePod(name = "duel", gracePeriodSeconds?: number): Promise<void> {
    const options = gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds };
    await unlessGone(this.api.client.delete(PODS, "default", name, options));
    await this.settle();
  }
}

export const containerOf = (
  state: ContainerState,
  containerID: string,
  lastState?: ContainerState,
): ContainerStatus => ({
  name: "game",
  image: "game:1",
  imageID: "",
  ready: state.running !== undefined,
  restartCount: lastState ? 1 : 0,
  containerID,
  state,
  ...(lastState && { lastState }),
});

const unlessGone = <T>(request: Promise<T>): Promise<T | undefined> =>
  request.catch((error: unknown) => {
    if (isNotFound(error)) return undefined;
    throw error;
  });
