/** For tests: the pods of one node over a cluster in memory, with containers that are state machines and time that stands still. */
import type { Container, Pod, PodSpec } from "#api/core/pod.ts";
import { PODS } from "#api/core/resources.ts";
import { FakeEventRecorder } from "#kube/fake-event-recorder.ts";
import { createInformer } from "#kube/shared-informer.ts";
import { FakeClock } from "#runtime/clock.ts";
import { silentLogger } from "#runtime/logger.ts";
import type { ContainerRuntime } from "../container-runtime.ts";
import { createPodEvents } from "../pod-events.ts";
import { PodWorker, type PodWorkerOptions } from "../pod-worker.ts";
import { PodWorkers } from "../pod-workers.ts";
import { SimulatedContainers, type SimulatedContainersOptions } from "../simulated/simulated-containers.ts";
import { WriteTurns } from "../write-turns.ts";
import { FakeCluster } from "./fake-cluster.ts";
import { MemoryPodStore } from "./memory-pod-store.ts";

export class WorkerHarness {
  readonly clock = new FakeClock();
  readonly cluster = new FakeCluster(() => this.clock.now());
  readonly store = new MemoryPodStore();
  readonly recorder = new FakeEventRecorder();
  readonly containers: SimulatedContainers;
  readonly #more: Partial<PodWorkerOptions>;
  readonly #stop: AbortController[] = [];
  workers = new PodWorkers(() => {
    throw new Error("not started");
  });

  constructor(containers: Partial<SimulatedContainersOptions> = {}, more: Partial<PodWorkerOptions> = {}) {
    this.containers = new SimulatedContainers({ clock: this.clock, ...containers });
    this.#more = more;
  }

  /** Begins to look after the pods, as a new agent on the same machine would. */
  async start(runtime: ContainerRuntime = this.containers): Promise<void> {
    const { clock, cluster, store, recorder } = this;
    const options: PodWorkerOptions = {
      writer: cluster,
      turns: new WriteTurns(8),
      store,
      addresses: { hostIP: "10.0.0.7", podIPs: ["10.0.0.7"] },
      runtime,
      handlers: new Map(),
      events: createPodEvents(recorder),
      clock,
      log: silentLogger,
      ...this.#more,
    };
    const abort = new AbortController();
    this.#stop.push(abort);
    this.workers = new PodWorkers((pod, gone) => new PodWorker(pod, options, gone));
    const informer = createInformer<Pod>(cluster, PODS, { clock, log: silentLogger, freeze: true });
    this.workers.follow(informer);
    void informer.run(abort.signal);
    await this.settle();
  }

  async stop(): Promise<void> {
    for (const abort of this.#stop.splice(0)) abort.abort();
    await this.workers.detach();
  }

  /** Lets everything that waits for nothing but its turn happen. */
  async settle(ms = 0): Promise<void> {
    for (let turn = 0; turn < 12; turn++) await this.clock.advance(0);
    if (ms > 0) await this.clock.advance(ms);
    for (let turn = 0; turn < 12; turn++) await this.clock.advance(0);
  }

  async create(spec: Partial<PodSpec> = {}, name = "a"): Promise<Pod> {
    const pod = await this.cluster.create(PODS, podOf(spec, name));
    await this.settle();
    return pod;
  }

  pod(name = "a"): Pod | undefined {
    return this.cluster.find(PODS, `ns/${name}`);
  }

  status(name = "a"): NonNullable<Pod["status"]> {
    return this.pod(name)?.status ?? {};
  }

  /** `container/run` of all that run. */
  get running(): readonly string[] {
    return this.containers.running().map(({ container, run }) => `${container}/${run}`);
  }

  get events(): readonly string[] {
    return this.recorder.events.map(({ reason, message }) => `${reason}: ${message}`);
  }
}

export const container = (name: string, more: Partial<Container> = {}): Container => ({ name, image: name, ...more });

export function podOf(spec: Partial<PodSpec>, name = "a"): Pod {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { namespace: "ns", name },
    spec: { nodeName: "node", containers: [container("game")], ...spec },
  };
}
