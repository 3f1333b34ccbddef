/**
 * One pod on this node, from the moment it is seen until nothing is left of it.
 *
 *     API object, ends of containers, probes, timers ──▶ poke ──▶ decidePod ──▶ PodContainers: start, stop, kill
 *                                                             └──▶ podStatus ──▶ PodPublisher
 *
 * Level-triggered: every poke decides anew from all that is known, so nothing depends on which event came, or how often.
 */
import type { Pod } from "#api/core/pod.ts";
import type { Clock } from "#runtime/clock.ts";
import type { Logger } from "#runtime/logger.ts";
import { decidePod, isComplete, type PodAction, type PodMode, type PodSnapshot } from "./decide-pod.ts";
import type { ContainerView } from "./decide-restart.ts";
import { PodContainers, type PodContainersOptions } from "./pod-containers.ts";
import { PodPublisher, type PodWriter } from "./pod-publisher.ts";
import { podStatus } from "./pod-status.ts";
import { recordOf, recoverViews } from "./recover-pod.ts";
import type { PodRecord, PodStore } from "./state-folder.ts";
import type { WriteTurns } from "./write-turns.ts";

export interface PodWorkerOptions extends Omit<PodContainersOptions, "pod" | "changed" | "save"> {
  readonly writer: PodWriter;
  readonly turns: WriteTurns;
  readonly store: PodStore;
  readonly clock: Clock;
  readonly log: Logger;
}

const DEFAULT_GRACE_SECONDS = 30;
const RECOVERY_RETRY_MS = 5_000;

export class PodWorker {
  readonly #options: PodWorkerOptions;
  readonly #publisher: PodPublisher;
  readonly #containers: PodContainers;
  readonly #gone: () => void;
  #mode: PodMode = "run";
  #longestGraceMs = Number.POSITIVE_INFINITY;
  #stoppingSince: number | undefined;
  /** The node's stop ended its containers, in this life of the agent or the one before. */
  #nodeStopped = false;
  #isRecovered = false;
  readonly #recovered = Promise.withResolvers<void>();
  #poked = false;
  #closed = false;
  #cancelWake = () => {};
  #saves: Promise<void> = Promise.resolve();
  #nextSave: Promise<void> | undefined;
  readonly #stopped = Promise.withResolvers<void>();

  /** `gone` is called once nothing is left of the pod: no process, no file, no object. */
  constructor(pod: Pod, options: PodWorkerOptions, gone: () => void) {
    this.#options = options;
    this.#gone = gone;
    const changed = () => this.poke();
    this.#publisher = new PodPublisher(pod, { ...options, changed });
    this.#containers = new PodContainers({ ...options, changed, pod: () => this.pod, save: () => this.#save() });
    void this.#recover();
  }

  get pod(): Pod {
    return this.#publisher.pod;
  }

  /** The containers as they are now, by name. */
  get views(): ReadonlyMap<string, ContainerView> {
    return this.#containers.views;
  }

  /** Resolves once it is known what an earlier agent left of the pod. */
  get recovered(): Promise<void> {
    return this.#recovered.promise;
  }

  isHandler(container: string): boolean {
    return this.#containers.handlerNames.has(container);
  }

  /** The process that a person would look for. */
  pidOf(container: string): number | undefined {
    return this.#containers.pidOf(container);
  }

  /** The API shows the pod like this now; `undefined`: it shows it no longer. */
  observe(pod: Pod | undefined): void {
    if (pod) this.#publisher.observe(pod);
    else this.#publisher.forget();
    this.poke();
  }

  retryImages(): void {
    this.#containers.retryImages();
    this.poke();
  }

  /**
   * Ends every container, within the pod's own grace period but at most `longestGraceMs`, and resolves when none is left. The API
   * is not told: a later agent finds the ends in the record, and that they are no fault of the containers.
   */
  async shutdown(longestGraceMs: number): Promise<void> {
    if (this.#mode === "run" && this.#isRecovered && !isComplete(this.#snapshot())) this.#nodeStopped = true;
    if (this.#mode !== "vanished") this.#mode = "shutdown";
    this.#longestGraceMs = longestGraceMs;
    this.poke();
    await this.#stopped.promise;
    await this.detach();
  }

  /** Leaves the processes alone and acts no more. Handlers end, for they live in the agent. */
  async detach(): Promise<void> {
    this.#closed = true;
    this.#cancelWake();
    this.#publisher.close();
    await this.#containers.detach();
    await this.#saves;
  }

  /** Decides again, once for all pokes of this turn. */
  poke(): void {
    if (this.#poked || this.#closed) return;
    this.#poked = true;
    queueMicrotask(() => {
      this.#poked = false;
      if (!this.#closed && this.#isRecovered) this.#step();
    });
  }

  async #recover(): Promise<void> {
    const { store, clock, log } = this.#options;
    try {
      const recovered = await recoverViews(this.pod, store, (name) => this.#containers.runtimeOf(name), clock.now());
      this.#stoppingSince = recovered.stoppingSince;
      this.#nodeStopped = recovered.nodeStopped;
      this.#containers.adopt(recovered);
      this.#isRecovered = true;
      this.#recovered.resolve();
      this.poke();
    } catch (error) {
      log.error({ pod: this.#key, error }, "What an earlier agent left of a pod cannot be read; trying again");
      clock.after(RECOVERY_RETRY_MS, () => void this.#recover());
    }
  }

  get #key(): string {
    return `${this.pod.metadata.namespace}/${this.pod.metadata.name}`;
  }

  #step(): void {
    this.#mode = this.#nextMode();
    const snapshot = this.#snapshot();
    const { actions, wakeAt } = decidePod(snapshot);
    for (const action of actions) this.#act(action);
    this.#cancelWake();
    if (wakeAt !== undefined)
      this.#cancelWake = this.#options.clock.after(Math.max(1, wakeAt - snapshot.now), () => this.poke());
    this.#publish();
  }

  #nextMode(): PodMode {
    if (this.#mode === "shutdown") return "shutdown";
    if (this.#publisher.forgotten) return "vanished";
    return this.pod.metadata.deletionTimestamp === undefined ? this.#mode : "delete";
  }

  #snapshot(): PodSnapshot {
    const { metadata, spec } = this.pod;
    const seconds = metadata.deletionGracePeriodSeconds ?? spec.terminationGracePeriodSeconds ?? DEFAULT_GRACE_SECONDS;
    return {
      pod: this.pod,
      mode: this.#mode,
      graceMs: this.#mode === "vanished" ? 0 : Math.min(seconds * 1000, this.#longestGraceMs),
      stoppingSince: this.#stoppingSince,
      nodeStopped: this.#nodeStopped,
      containers: this.#containers.views,
      handlers: this.#containers.handlerNames,
      now: this.#options.clock.now(),
    };
  }

  #act(action: PodAction): void {
    if (action.type === "start") {
      this.#nodeStopped = false;
      this.#containers.start(action.container);
    } else if (action.type === "finish") this.#finish();
    else {
      this.#noteStopping();
      if (action.type === "stop") this.#containers.stop(action.container, action.graceMs);
      else this.#containers.kill(action.container);
    }
  }

  /** A later agent goes on counting the grace period from here. */
  #noteStopping(): void {
    if (this.#mode === "run" || this.#stoppingSince !== undefined) return;
    this.#stoppingSince = this.#options.clock.now();
    void this.#save();
  }

  #finish(): void {
    this.#stopped.resolve();
    if (this.#mode === "delete") this.#publisher.finish();
    if (this.#mode !== "vanished") return;
    this.#closed = true;
    this.#cancelWake();
    void this.#saves
      .then(() => this.#options.store.remove(this.pod.metadata.uid ?? ""))
      .catch((error: unknown) =>
        this.#options.log.warn({ pod: this.#key, error }, "Files of a pod that is gone remain"),
      )
      .then(this.#gone);
  }

  /** Of a pod whose deletion is about to be told, only that is told. */
  #publish(): void {
    if (this.#mode === "vanished" || this.#mode === "shutdown") return;
    if (this.#mode === "delete" && !this.#containers.hasLiveProcess && !this.#publisher.finished) return;
    const status = () => podStatus(this.#snapshot(), this.#options.addresses);
    this.#publisher.publish(status, this.#containers.isStarting);
  }

  /** A later agent goes on with a deletion, but begins anew after a stop of the node. */
  #stopping(): Pick<PodRecord, "stoppingSince" | "nodeStopped"> {
    if (this.#nodeStopped) return { nodeStopped: true };
    return this.#stoppingSince === undefined ? {} : { stoppingSince: this.#stoppingSince };
  }

  /**
   * One write after another, each of what is known when it begins: calls made before then share it. A failed one is reported here
   * and to whoever waits for it.
   */
  #save(): Promise<void> {
    this.#nextSave ??= this.#saves.then(() => {
      this.#nextSave = undefined;
      return this.#options.store.save(recordOf(this.pod, this.#containers.views, this.#stopping()));
    });
    this.#saves = this.#nextSave.catch((error: unknown) => {
      this.#options.log.error({ pod: this.#key, error }, "The state of a pod cannot be written");
    });
    return this.#nextSave;
  }
}
