import { randomUUID } from "node:crypto";
import type { FeatureGates } from "#api/agones/feature-gates.ts";
import type { Fleet } from "#api/agones/fleet.ts";
import { FLEETS } from "#api/agones/resources.ts";
import { DEFAULT_SYNC_SECONDS } from "#api/autoscaling/defaults.ts";
import type { FleetAutoscaler } from "#api/autoscaling/fleetautoscaler.ts";
import { FLEETAUTOSCALERS } from "#api/autoscaling/resources.ts";
import { isJsonObject } from "#api/meta/json.ts";
import { objectKey } from "#api/meta/object.ts";
import { isConflict, isNotFound, isRefusal } from "#api/meta/status.ts";
import type { Client } from "#kube/client.ts";
import { type Controller, createController, ExpectedRetry, type Outcome } from "#kube/controller.ts";
import type { EventRecorder } from "#kube/event-recorder.ts";
import type { Informer } from "#kube/informer.ts";
import { fastLimiter } from "#kube/rate-limiter.ts";
import { pathOf } from "#kube/resource.ts";
import type { Clock } from "#runtime/clock.ts";
import type { Logger } from "#runtime/logger.ts";
import type { WorkQueueMetrics } from "#runtime/metrics.ts";
import type { NodeCounts } from "#views/node-counts.ts";
import type { ControllerInformers } from "../informers.ts";
import { OwnWrites } from "../own-writes.ts";
import { decideObstacle } from "./decide-obstacle.ts";
import { decideStatus, type Finding } from "./decide-status.ts";
import { evaluate } from "./evaluate.ts";
import { type Answer, PolicyState, type ReviewerPorts } from "./policy-state.ts";
import { serversOfFleet } from "./servers-of-fleet.ts";

export interface FleetAutoscalerOptions {
  readonly client: Client;
  readonly informers: Pick<ControllerInformers, "fleets" | "gameServerSets" | "gameServers">;
  /** Its index by fleet is added here: call before it runs. */
  readonly autoscalers: Informer<FleetAutoscaler>;
  readonly nodeCounts: Pick<NodeCounts, "counts">;
  readonly gates: FeatureGates;
  readonly reviewers: ReviewerPorts;
  readonly recorder: EventRecorder;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics?: WorkQueueMetrics;
  readonly workers: number;
  /** Makes the identity of a review. Default: a random UUID. */
  readonly uid?: () => string;
}

/** Index of FleetAutoscalers by `namespace/name` of the Fleet whose size they set. */
const BY_FLEET = "fleet";

/**
 * Sets the size of Fleets by the policies of their FleetAutoscalers, each in its own interval. No worker waits for a policy: a
 * webhook that does not answer holds up its own autoscaler alone, and is asked one question at a time.
 */
export function createFleetAutoscalerController(options: FleetAutoscalerOptions): Controller {
  const { autoscalers, informers, clock, log, metrics, workers } = options;
  autoscalers.addIndex(BY_FLEET, (autoscaler) => [fleetKey(autoscaler)]);
  const reconciler = new FleetAutoscalerReconciler(options, (key) => controller.enqueue(key));
  const controller = createController({
    name: "autoscaling.agones.dev.FleetAutoscalerController",
    logKey: "fasKey",
    reconcile: (key) => reconciler.reconcile(key),
    workers,
    limiter: fastLimiter(),
    clock,
    log,
    ...(metrics && { metrics }),
  });
  autoscalers.addHandler({
    add: (autoscaler) => controller.enqueue(objectKey(autoscaler)),
    update: (autoscaler, old) => {
      if (autoscaler.metadata.generation !== old.metadata.generation) controller.enqueue(objectKey(autoscaler));
      if (fleetKey(autoscaler) !== fleetKey(old)) reconciler.wake(fleetKey(old));
    },
    delete: (old) => {
      reconciler.forget(objectKey(old));
      reconciler.wake(fleetKey(old));
    },
  });
  informers.fleets.addHandler({ add: (fleet) => reconciler.wake(objectKey(fleet)) });
  return {
    name: controller.name,
    enqueue: (key) => controller.enqueue(key),
    enqueueAfter: (key, ms) => controller.enqueueAfter(key, ms),
    healthy: () => controller.healthy(),
    run: async (signal) => {
      try {
        await controller.run(signal);
      } finally {
        reconciler.close();
      }
    },
  };
}

class FleetAutoscalerReconciler {
  readonly #options: FleetAutoscalerOptions;
  readonly #enqueue: (key: string) => void;
  readonly #own: OwnWrites<FleetAutoscaler>;
  readonly #ownFleets: OwnWrites<Fleet>;
  /** By key of the autoscaler. */
  readonly #states = new Map<string, PolicyState>();
  /** How soon a policy that failed is asked again. */
  readonly #retries = fastLimiter();

  constructor(options: FleetAutoscalerOptions, enqueue: (key: string) => void) {
    this.#options = options;
    this.#enqueue = enqueue;
    this.#own = new OwnWrites(options.autoscalers);
    this.#ownFleets = new OwnWrites(options.informers.fleets);
  }

  /** The autoscalers of a fleet look again at once: something happened that they wait for. */
  wake(fleet: string): void {
    for (const autoscaler of this.#options.autoscalers.lister.byIndex(BY_FLEET, fleet)) {
      const key = objectKey(autoscaler);
      const state = this.#states.get(key);
      if (state) state.dueAt = 0;
      this.#enqueue(key);
    }
  }

  forget(key: string): void {
    this.#states.get(key)?.close();
    this.#states.delete(key);
    this.#retries.forget(key);
  }

  close(): void {
    for (const key of [...this.#states.keys()]) this.forget(key);
  }

  async reconcile(key: string): Promise<Outcome> {
    const { clock, autoscalers } = this.#options;
    const autoscaler = this.#own.get(key);
    if (!autoscaler || autoscaler.metadata.deletionTimestamp) return this.forget(key);
    const state = this.#stateOf(key, autoscaler);
    if (state.asking) return;
    const now = clock.monotonic();
    if (state.answer && now >= state.answer.freshUntil) state.answer = undefined;
    if (!state.answer) {
      if (now < state.dueAt) return { requeueAfterMs: state.dueAt - now };
      state.dueAt = now + intervalOf(autoscaler);
    }
    const fleet = this.#ownFleets.get(fleetKey(autoscaler));
    const rivals = autoscalers.lister.byIndex(BY_FLEET, fleetKey(autoscaler));
    const obstacle = decideObstacle(autoscaler, fleet, rivals);
    if (obstacle) await this.#leave(autoscaler, state, obstacle);
    else if (!fleet) return;
    else if (state.answer) await this.#act(autoscaler, fleet, state, state.answer);
    else return void this.#ask(key, autoscaler, fleet, state);
    return { requeueAfterMs: Math.max(0, state.dueAt - clock.monotonic()) };
  }

  #stateOf(key: string, autoscaler: FleetAutoscaler): PolicyState {
    const known = this.#states.get(key);
    if (known?.isOf(autoscaler)) return known;
    this.forget(key);
    const state = new PolicyState(autoscaler, this.#options.reviewers);
    this.#states.set(key, state);
    return state;
  }

  /** Looks again at the next interval; at once when this could not be told. */
  async #leave(autoscaler: FleetAutoscaler, state: PolicyState, obstacle: Finding): Promise<void> {
    state.answer = undefined;
    try {
      await this.#tell(autoscaler, obstacle);
    } catch (error) {
      state.dueAt = 0;
      throw error;
    }
  }

  /** In the background; the key comes back with the answer. */
  async #ask(key: string, autoscaler: FleetAutoscaler, fleet: Fleet, state: PolicyState): Promise<void> {
    const { informers, nodeCounts, gates, clock, uid = randomUUID } = this.#options;
    state.asking = true;
    const evaluation = await evaluate(autoscaler.spec.policy, {
      view: { fleet, servers: () => serversOfFleet(informers, fleet), nodes: nodeCounts.counts },
      gates,
      now: clock.now(),
      reviewers: state,
      uid,
      signal: state.signal,
    });
    state.asking = false;
    if (state.signal.aborted) return;
    state.answer = {
      evaluation,
      currentReplicas: fleet.status?.replicas ?? 0,
      freshUntil: clock.monotonic() + intervalOf(autoscaler),
    };
    this.#enqueue(key);
  }

  /** An answer whose writes failed stays for the next try, until it is time for another. */
  async #act(autoscaler: FleetAutoscaler, fleet: Fleet, state: PolicyState, answer: Answer): Promise<void> {
    const { clock } = this.#options;
    const key = objectKey(autoscaler);
    let { scaledAt } = answer;
    const { evaluation, currentReplicas } = answer;
    if (evaluation.type === "sized" && evaluation.size.replicas !== (fleet.spec.replicas ?? 0)) {
      await this.#scale(autoscaler, fleet, evaluation.size.replicas);
      scaledAt = clock.now();
      state.answer = { ...answer, scaledAt };
    }
    await this.#tell(autoscaler, {
      ...evaluation,
      currentReplicas,
      ...(scaledAt !== undefined && { scaledAt }),
    });
    state.answer = undefined;
    if (evaluation.type === "failed" && !evaluation.onlyInactive) {
      state.dueAt = Math.min(state.dueAt, clock.monotonic() + this.#retries.delayOf(key));
    } else this.#retries.forget(key);
  }

  /** Through the scale subresource, guarded by the version of the fleet that was looked at. */
  async #scale(autoscaler: FleetAutoscaler, fleet: Fleet, replicas: number): Promise<void> {
    const { client, recorder } = this.#options;
    const { namespace = "", name = "", uid, resourceVersion } = fleet.metadata;
    const from = fleet.spec.replicas ?? 0;
    try {
      const scale = await client.raw("PUT", pathOf(FLEETS, namespace, name, "scale"), {
        apiVersion: "autoscaling/v1",
        kind: "Scale",
        metadata: { namespace, name, uid, resourceVersion },
        spec: { replicas },
      });
      const written = isJsonObject(scale) && isJsonObject(scale.metadata) ? scale.metadata.resourceVersion : undefined;
      this.#ownFleets.wrote({
        ...fleet,
        metadata: { ...fleet.metadata, resourceVersion: String(written) },
        spec: { ...fleet.spec, replicas },
      });
    } catch (error) {
      if (isNotFound(error)) throw new ExpectedRetry("the fleet has gone", { cause: error });
      if (!isConflict(error) && isRefusal(error)) {
        await this.#tell(autoscaler, { type: "notWritable", from, to: replicas, message: error.message });
      }
      throw error;
    }
    recorder.event(autoscaler, "Normal", "AutoScalingFleet", `Scaling fleet ${name} from ${from} to ${replicas}`);
  }

  /** Writes the status where a finding changes it, then tells what is new. */
  async #tell(autoscaler: FleetAutoscaler, finding: Finding): Promise<void> {
    const { client, recorder, clock, log } = this.#options;
    const { status, events } = decideStatus(autoscaler, finding, clock.now());
    if (status === autoscaler.status || !status) return;
    if (finding.type === "failed")
      log.warn({ fasKey: objectKey(autoscaler), error: finding.cause }, "policy gave no size");
    this.#own.wrote(await client.updateStatus(FLEETAUTOSCALERS, { ...autoscaler, status }));
    for (const { type, reason, message } of events) recorder.event(autoscaler, type, reason, message);
  }
}

const fleetKey = ({ metadata, spec }: FleetAutoscaler): string => `${metadata.namespace}/${spec.fleetName}`;

const intervalOf = ({ spec }: FleetAutoscaler): number =>
  (spec.sync?.fixedInterval?.seconds || DEFAULT_SYNC_SECONDS) * 1000;
