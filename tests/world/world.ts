/** A cluster in memory in which the real controllers run: what they do can be counted, disturbed and checked. */
import { AllocationEngine, type AllocationResult } from "#allocation/engine/engine.ts";
import type { FeatureGates } from "#api/agones/feature-gates.ts";
import type { Fleet, GameServerSet } from "#api/agones/fleet.ts";
import type { GameServer } from "#api/agones/gameserver.ts";
import { FLEETS, GAMESERVERS, GAMESERVERSETS } from "#api/agones/resources.ts";
import { FLEETAUTOSCALERS } from "#api/autoscaling/resources.ts";
import { NODES, PODS } from "#api/core/resources.ts";
import type { KubeObject } from "#api/meta/object.ts";
import type { ResourceType } from "#api/meta/resource-type.ts";
import { createScheduler } from "#cluster/scheduler/scheduler.ts";
import { createFleetController } from "#controllers/fleet/controller.ts";
import { createFleetAutoscalerController } from "#controllers/fleetautoscaler/controller.ts";
import { openReviewers } from "#controllers/fleetautoscaler/open-reviewers.ts";
import { createGameServerControllers } from "#controllers/gameserver/controller.ts";
import { createPodFollowers } from "#controllers/gameserver/pod-followers.ts";
import { createGameServerSetController } from "#controllers/gameserverset/controller.ts";
import { createControllerInformers } from "#controllers/informers.ts";
import type { Client } from "#kube/client.ts";
import { FakeEventRecorder } from "#kube/fake-event-recorder.ts";
import { createInformer } from "#kube/shared-informer.ts";
import { PortAllocator } from "#ports/port-allocator.ts";
import { portRanges } from "#ports/port-range.ts";
import { FakeClock } from "#runtime/clock.ts";
import { type Logger, silentLogger } from "#runtime/logger.ts";
import type { CreationMetrics } from "#runtime/metrics.ts";
import { type Runnable, runGroups } from "#runtime/runnable.ts";
import { NodeCounts } from "#views/node-counts.ts";
import { changeObject } from "./changes.ts";
import { type EmbeddedTestApi, gates, openTestApi } from "./embedded-api.ts";
import { Nodes } from "./nodes.ts";
import { seededRandom } from "./random.ts";

export interface WorldOptions {
  readonly seed?: number;
  /** What stands between the controllers and the API. */
  readonly disturb?: (client: Client, clock: FakeClock) => Client;
  readonly gates?: FeatureGates;
  readonly ports?: { readonly min: number; readonly max: number };
  readonly log?: Logger;
  readonly creationMetrics?: CreationMetrics;
}

/** How long one turn of nodes and games takes; who waits for long looks less often. */
const TURN_MS = 100;
const LONG_TURN_MS = 2000;
const PATIENCE_MS = 20_000;

export class World {
  readonly clock: FakeClock;
  readonly api: EmbeddedTestApi;
  readonly nodes: Nodes;
  readonly recorder = new FakeEventRecorder();
  readonly gates: FeatureGates;
  readonly #options: WorldOptions;
  readonly #random: () => number;
  readonly #stop: (() => Promise<void>)[] = [];
  #controllers: { readonly engine: AllocationEngine; readonly stop: () => Promise<void> } | undefined;

  /** Use `openWorld`. */
  constructor(api: EmbeddedTestApi, clock: FakeClock, options: WorldOptions) {
    this.api = api;
    this.clock = clock;
    this.nodes = new Nodes(api.client);
    this.gates = options.gates ?? gates;
    this.#options = options;
    this.#random = seededRandom(options.seed ?? 1);
    this.#stop.push(this.#run(this.#scheduler()));
  }

  /** A new controller process: it knows nothing but what the API tells. */
  startControllers(): void {
    const { clock, recorder, gates } = this;
    const { disturb, log = silentLogger, creationMetrics } = this.#options;
    const random = this.#random;
    const client = disturb?.(this.api.client, clock) ?? this.api.client;
    const cache = { clock, log: silentLogger, random, freeze: true };
    const informers = createControllerInformers(client, cache);
    const autoscalers = createInformer(client, FLEETAUTOSCALERS, cache);
    const nodeCounts = new NodeCounts();
    nodeCounts.follow(informers);
    const ports = new PortAllocator(portRanges(this.#options.ports ?? { min: 7000, max: 7099 }), {
      namedRanges: true,
      random,
    });
    ports.follow(informers);
    const shared = { client, informers, gates, clock, log, workers: 8, recorder, random };
    const pod = { gates, version: "0.0.0", sidecar: { image: "sdk", requestsRateLimit: "500ms" } };
    const controllers = [
      ...createGameServerControllers({ ...shared, ports, pod }),
      ...createPodFollowers({ ...shared, recorderFor: () => recorder }),
      createGameServerSetController({ ...shared, nodeCounts, ...(creationMetrics && { creationMetrics }) }),
      createFleetController(shared),
      createFleetAutoscalerController({
        ...shared,
        autoscalers,
        nodeCounts,
        reviewers: openReviewers({ clock, log: silentLogger }),
      }),
    ];
    const engine = new AllocationEngine({ ...shared, gameServers: informers.gameServers, nodeCounts });
    this.#controllers = { engine, stop: this.#run([[...Object.values(informers), autoscalers], controllers]) };
  }

  /** Ends the controllers once what they have under way is done. */
  async stopControllers(): Promise<void> {
    const stopped = this.#controllers?.stop();
    this.#controllers = undefined;
    await this.#until(stopped);
  }

  /** Takes a server of the fleet, as the allocation service would. */
  async allocate(
    fleet: string,
    more: Parameters<AllocationEngine["allocate"]>[1]["spec"] = {},
  ): Promise<AllocationResult> {
    if (!this.#controllers) throw new Error("no controllers run");
    const allocation = {
      apiVersion: "allocation.agones.dev/v1",
      kind: "GameServerAllocation",
      metadata: {},
      spec: { selectors: [{ matchLabels: { "agones.dev/fleet": fleet }, gameServerState: "Ready" }], ...more },
    };
    const result = this.#controllers.engine.allocate("default", allocation);
    await this.#until(result.catch(() => {}));
    return result;
  }

  /** Lets time pass. */
  async pass(ms: number, turnMs = TURN_MS): Promise<void> {
    for (let left = ms; left > 0; left -= turnMs) {
      await this.clock.advance(Math.min(turnMs, left));
      await this.nodes.play();
    }
  }

  /** Lets time pass until `reached` holds. Throws what it last said against it when `limitMs` are over. */
  async passUntil(reached: () => Promise<string | undefined>, limitMs: number): Promise<void> {
    for (let passed = 0; ; ) {
      const missing = await reached();
      if (missing === undefined) return;
      if (passed >= limitMs) throw new Error(`after ${limitMs / 1000} s ${missing}`);
      const turnMs = passed < PATIENCE_MS ? TURN_MS : LONG_TURN_MS;
      await this.pass(turnMs, turnMs);
      passed += turnMs;
    }
  }

  async all<T extends KubeObject>(type: ResourceType<T>): Promise<readonly T[]> {
    return (await this.api.client.list(type)).items;
  }

  servers = (): Promise<readonly GameServer[]> => this.all(GAMESERVERS);
  sets = (): Promise<readonly GameServerSet[]> => this.all(GAMESERVERSETS);

  /** Changes the fleet as a person would: again with the newest version when somebody else was faster. */
  changeFleet(name: string, to: (fleet: Fleet) => Fleet): Promise<void> {
    return changeObject(this.api.client, FLEETS, name, to);
  }

  scale(name: string, replicas: number): Promise<void> {
    return this.changeFleet(name, (fleet) => ({ ...fleet, spec: { ...fleet.spec, replicas } }));
  }

  async close(): Promise<void> {
    await this.stopControllers();
    for (const stop of this.#stop) await this.#until(stop());
    await this.api.close();
  }

  #scheduler(): readonly (readonly Runnable[])[] {
    const cache = { clock: this.clock, log: silentLogger, random: this.#random };
    const informers = {
      pods: createInformer(this.api.client, PODS, cache),
      nodes: createInformer(this.api.client, NODES, cache),
    };
    const { clock, recorder } = this;
    const scheduler = createScheduler({ client: this.api.client, informers, recorder, clock, log: silentLogger });
    return [Object.values(informers), [scheduler]];
  }

  #run(groups: readonly (readonly Runnable[])[]): () => Promise<void> {
    const abort = new AbortController();
    const running = runGroups(groups, abort.signal, silentLogger);
    return () => {
      abort.abort();
      return running;
    };
  }

  /** Lets time pass until the promise is settled: it may wait for the clock. */
  async #until(promise: Promise<unknown> | undefined): Promise<void> {
    let waiting = true;
    void promise?.finally(() => {
      waiting = false;
    });
    while (promise && waiting) await this.clock.advance(10);
    await promise;
  }
}

export async function openWorld(options: WorldOptions = {}): Promise<World> {
  const clock = new FakeClock();
  const api = await openTestApi({ clock, random: seededRandom((options.seed ?? 1) + 1), gates: options.gates });
  return new World(api, clock, options);
}
