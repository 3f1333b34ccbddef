/**
 * Whatever happens, in whatever order: no container runs twice at once, nothing runs that the API does not know, and what should
 * run runs in the end. Agents are killed in the middle of anything: between note and start, between start and note.
 */
import fc from "fast-check";
import { expect, test } from "vitest";
import { PODS } from "#api/core/resources.ts";
import { type Fault, withFaults } from "#kube/fault-injection.ts";
import { createInformer } from "#kube/shared-informer.ts";
import { TransportError } from "#kube/transport.ts";
import { FakeClock } from "#runtime/clock.ts";
import { silentLogger } from "#runtime/logger.ts";
import type { ContainerRuntime } from "./container-runtime.ts";
import { isComplete } from "./decide-pod.ts";
import { createPodEvents } from "./pod-events.ts";
import { PodWorker } from "./pod-worker.ts";
import { PodWorkers } from "./pod-workers.ts";
import { SimulatedContainers } from "./simulated/simulated-containers.ts";
import type { PodRecord, PodStore } from "./state-folder.ts";
import { FakeCluster } from "./testing/fake-cluster.ts";
import { MemoryPodStore } from "./testing/memory-pod-store.ts";
import { container, podOf } from "./testing/worker-harness.ts";
import { WriteTurns } from "./write-turns.ts";

const names = ["a", "b"];
const agent = <T extends string>(...what: readonly T[]) => fc.record({ do: fc.constantFrom(...what) });
const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant("create" as const),
      name: fc.constantFrom(...names),
      policy: fc.constantFrom("Always" as const, "Never" as const),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constantFrom("delete" as const, "remove" as const),
      name: fc.constantFrom(...names),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant("exit" as const), pick: fc.nat(5), code: fc.constantFrom(0, 1) }),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant("wait" as const),
      ms: fc.constantFrom(0, 1, 2, 4, 6, 11, 300, 2_000, 15_000),
    }),
  },
  { weight: 4, arbitrary: agent("kill agent" as const, "kill agent" as const, "stop agent" as const) },
  { weight: 4, arbitrary: agent("start agent" as const) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("outage" as const), on: fc.boolean() }) },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** The machine: what outlives every agent. */
class Machine {
  readonly clock = new FakeClock();
  readonly cluster = new FakeCluster(() => this.clock.now());
  readonly store = new MemoryPodStore();
  readonly containers = new SimulatedContainers({ clock: this.clock, stopMs: 700 });
  readonly faults: string[] = [];
  #writes = 0;
  #agent: { readonly workers: PodWorkers; readonly kill: () => void; readonly abort: AbortController } | undefined;

  async take(action: Step): Promise<void> {
    switch (action.do) {
      case "create": {
        const sdk = container("sdk", { restartPolicy: "Always" });
        const spec = { restartPolicy: action.policy, initContainers: [sdk] };
        return void (await this.cluster.create(PODS, podOf(spec, action.name)).catch(() => {}));
      }
      case "delete":
        return this.cluster.delete(PODS, "ns", action.name, { gracePeriodSeconds: 1 }).catch(() => {});
      case "remove":
        return this.cluster.delete(PODS, "ns", action.name, { gracePeriodSeconds: 0 }).catch(() => {});
      case "exit": {
        const running = this.containers.running();
        const one = running[action.pick % Math.max(1, running.length)];
        if (one) this.containers.exit(one.uid, one.container, action.code);
        return;
      }
      case "wait":
        return this.clock.advance(action.ms);
      case "outage":
        this.cluster.outage = action.on ? new TransportError("down") : undefined;
        return;
      case "kill agent":
        this.#agent?.kill();
        this.#agent = undefined;
        return;
      case "stop agent":
        this.#agent?.abort.abort();
        // It stops in its own time; what it may still do ends where a kill would end it.
        void this.#agent?.workers.detach();
        this.#agent?.kill();
        this.#agent = undefined;
        return;
      case "start agent":
        if (!this.#agent) this.#startAgent();
    }
  }

  /** An agent's hold on the machine ends with it: what it awaits never comes, what it orders never happens. */
  #startAgent(): void {
    let dead = false;
    const { clock, cluster, containers } = this;
    const alive = async <T>(value: T): Promise<T> => (dead ? new Promise<never>(() => {}) : value);
    const pause = async (ms: number): Promise<void> => alive(await clock.sleep(ms));
    const runtime: ContainerRuntime = {
      start: async (request) => {
        await pause(2);
        this.#checkAlone(request.pod.metadata.uid ?? "", request.container.name);
        const result = await containers.start(request);
        await pause(2);
        return this.#held(result, () => dead);
      },
      recover: async (...run) => this.#held(await alive(await containers.recover(...run)), () => dead),
    };
    const store: PodStore = {
      list: async () => alive(await this.store.list()),
      load: async (uid) => alive(await this.store.load(uid)),
      save: async (record: PodRecord) => {
        await pause(1);
        await this.store.save(record);
        await pause(1);
      },
      remove: async (uid) => alive(await this.store.remove(uid)),
    };
    const writer = withFaults(cluster, () => this.#fault(dead));
    const options = {
      writer,
      turns: new WriteTurns(2),
      store,
      addresses: { hostIP: "10.0.0.7", podIPs: ["10.0.0.7"] },
      runtime,
      handlers: new Map(),
      events: createPodEvents({ event: () => {} }),
      clock,
      log: silentLogger,
    };
    const abort = new AbortController();
    const workers = new PodWorkers((pod, gone) => new PodWorker(pod, options, gone));
    const informer = createInformer(cluster, PODS, { clock, log: silentLogger });
    workers.follow(informer);
    void informer.run(abort.signal);
    void informer
      .ready()
      .then(() => alive(undefined))
      .then(() => workers.endLeftovers(store, () => (dead ? [] : this.#unclaimed())));
    const kill = () => {
      dead = true;
      abort.abort();
    };
    this.#agent = { workers, abort, kill };
  }

  /** Writes take a moment; of some the answer is lost, others lose a race. */
  #fault(dead: boolean): Fault {
    if (dead) return { type: "delay", until: new Promise<never>(() => {}) };
    const kind = this.#writes++ % 7;
    if (kind === 3) return { type: "lose-answer" };
    return kind === 5 ? { type: "conflict" } : { type: "delay", until: this.clock.sleep(1) };
  }

  #held<T extends Awaited<ReturnType<ContainerRuntime["start" | "recover"]>>>(result: T, dead: () => boolean): T {
    if (result.kind !== "running") return result;
    const { container: live } = result;
    const only = (act: () => void) => () => void (dead() || act());
    return { ...result, container: { ...live, stop: only(live.stop), kill: only(live.kill) } };
  }

  #unclaimed() {
    const known = new Set(this.cluster.all(PODS).map(({ metadata }) => metadata.uid));
    return this.containers
      .running()
      .filter(({ uid }) => !known.has(uid))
      .map(({ uid, container: name }) => ({
        signal: () => void this.containers.exit(uid, name, 137),
        ended: Promise.resolve(undefined),
      }));
  }

  #checkAlone(uid: string, name: string): void {
    const twin = this.containers.running().find((each) => each.uid === uid && each.container === name);
    if (twin) this.faults.push(`${uid}/${name} started while run ${twin.run} lives`);
  }

  /** What does not fit between the API and the machine, once all is calm. */
  disagreements(): readonly string[] {
    const pods = this.cluster.all(PODS);
    const running = new Set(this.containers.running().map(({ uid, container: name }) => `${uid}/${name}`));
    const wanted = pods
      .filter((pod) => !isComplete({ pod, containers: new Map() }))
      .flatMap(({ metadata: { uid } }) => [`${uid}/sdk`, `${uid}/game`]);
    return [
      ...this.faults,
      ...pods
        .filter(({ metadata }) => metadata.deletionTimestamp)
        .map(({ metadata }) => `${metadata.name} is not gone`),
      ...wanted.filter((each) => !running.has(each)).map((each) => `${each} does not run`),
      ...[...running].filter((each) => !wanted.includes(each)).map((each) => `${each} runs, unowned`),
    ];
  }

  async stop(): Promise<void> {
    await this.take({ do: "kill agent" });
    await this.clock.advance(0);
  }
}

test("a node never runs a container twice nor one unowned, and comes right whatever happened", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 60, size: "max" }), async (steps) => {
      const machine = new Machine();
      await machine.take({ do: "start agent" });
      for (const each of steps) {
        await machine.take(each);
        expect(machine.faults).toEqual([]);
      }
      await machine.take({ do: "outage", on: false });
      await machine.take({ do: "start agent" });
      for (let turn = 0; turn < 3; turn++) await machine.clock.advance(400_000);
      const disagreements = machine.disagreements();
      await machine.stop();
      expect(disagreements).toEqual([]);
    }),
    { numRuns: 200 },
  );
}, 60_000);
