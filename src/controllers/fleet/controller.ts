import { gameServerSetFromFleet } from "#api/agones/children.ts";
import { FLEET_LABEL, GAMESERVERSET_LABEL } from "#api/agones/constants.ts";
import type { FeatureGates } from "#api/agones/feature-gates.ts";
import type { Fleet, GameServerSet } from "#api/agones/fleet.ts";
import { FLEETS, GAMESERVERS, GAMESERVERSETS } from "#api/agones/resources.ts";
import { deepEqual } from "#api/meta/equality.ts";
import { controllerOf, isControlledBy, objectKey } from "#api/meta/object.ts";
import { isAlreadyExists, isForbidden, isInvalid, isNotFound, isRefusal, type StatusError } from "#api/meta/status.ts";
import type { Client } from "#kube/client.ts";
import { type Controller, createController, ExpectedRetry, type Outcome } from "#kube/controller.ts";
import type { EventRecorder } from "#kube/event-recorder.ts";
import { fastLimiter } from "#kube/rate-limiter.ts";
import type { Clock } from "#runtime/clock.ts";
import type { Logger } from "#runtime/logger.ts";
import type { WorkQueueMetrics } from "#runtime/metrics.ts";
import { withoutPause } from "../decide-pause.ts";
import { BY_OWNER, type ControllerInformers } from "../informers.ts";
import { OwnWrites } from "../own-writes.ts";
import { turned } from "../turned.ts";
import { decideConditions } from "./decide-conditions.ts";
import { decideSets, type FleetDecision, hasTemplateOf } from "./decide-sets.ts";
import { decideStatus } from "./decide-status.ts";
import { setName } from "./set-name.ts";

export interface FleetOptions {
  readonly client: Client;
  readonly informers: ControllerInformers;
  readonly gates: FeatureGates;
  readonly recorder: EventRecorder;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics?: WorkQueueMetrics;
  readonly workers: number;
}

/** Rolls each Fleet's template out over its GameServerSets and keeps its status true. */
export function createFleetController(options: FleetOptions): Controller {
  const { informers, clock, log, metrics, workers } = options;
  const fleets = new FleetReconciler(options);
  const controller = createController({
    name: "agones.dev.FleetController",
    logKey: "fleetKey",
    reconcile: (key) => fleets.reconcile(key),
    workers,
    limiter: fastLimiter(),
    clock,
    log,
    ...(metrics && { metrics }),
  });
  const enqueueOwner = (set: GameServerSet): void => {
    const owner = controllerOf(set);
    const fleet = owner && informers.fleets.lister.get(`${set.metadata.namespace}/${owner.name}`);
    if (fleet && fleet.metadata.uid === owner.uid) controller.enqueue(objectKey(fleet));
  };
  informers.fleets.addHandler({
    add: (fleet) => controller.enqueue(objectKey(fleet)),
    update: (fleet) => controller.enqueue(objectKey(fleet)),
  });
  informers.gameServerSets.addHandler({ add: enqueueOwner, update: enqueueOwner, delete: enqueueOwner });
  return controller;
}

/** After so long a fleet is looked at again of which the cache does not show all. */
const LATE_MS = 1000;

/** Reasons of conditions that people should hear of. */
const TOLD: ReadonlySet<string> = new Set(["Stalled", "NewServersNotReady", "ServersInUse"]);

class FleetReconciler {
  readonly #options: FleetOptions;
  readonly #ownFleets: OwnWrites<Fleet>;
  readonly #ownSets: OwnWrites<GameServerSet>;
  /** UIDs of sets whose last write was not answered. */
  readonly #unsure = new Set<string>();
  /** By fleet: names of sets that were asked for and that the cache has not shown. */
  readonly #made = new Map<string, Set<string>>();

  constructor(options: FleetOptions) {
    this.#options = options;
    this.#ownFleets = new OwnWrites(options.informers.fleets);
    this.#ownSets = new OwnWrites(options.informers.gameServerSets);
  }

  async reconcile(key: string): Promise<Outcome> {
    const { gates } = this.#options;
    const fleet = this.#ownFleets.get(key);
    if (!fleet || fleet.metadata.deletionTimestamp) return void this.#made.delete(key);
    const sets = await this.#setsOf(fleet);
    const { active, inactive, rollout, remove } = decideSets(fleet, sets, gates.RollingUpdateFix);

    let again: Outcome | undefined;
    let failed: StatusError | undefined;
    try {
      again = await this.#carryOut(fleet, { active, inactive, rollout, remove }, sets);
    } catch (error) {
      if (!isForbidden(error) && !isInvalid(error)) throw error;
      failed = error;
    }
    // Also when a set was refused: then the fleet says so.
    await this.#writeStatus(fleet, active, inactive, failed?.message);
    if (failed) throw failed;
    return again;
  }

  /** The newest that is known of each set. The cache is read last: what it showed before a request was waited for is old. */
  async #setsOf(fleet: Fleet): Promise<readonly GameServerSet[]> {
    const { lister } = this.#options.informers.gameServerSets;
    const cached = (): readonly GameServerSet[] => lister.byIndex(BY_OWNER, fleet.metadata.uid ?? "");
    const unseen = await this.#unseen(fleet, cached());
    for (const set of [...cached(), ...unseen]) if (this.#unsure.has(set.metadata.uid ?? "")) await this.#settle(set);
    const sets = new Map([...unseen, ...cached()].map((set) => [set.metadata.uid, this.#ownSets.newest(set)]));
    return [...sets.values()].filter(({ metadata }) => metadata.labels?.[FLEET_LABEL] === fleet.metadata.name);
  }

  async #carryOut(
    fleet: Fleet,
    { active, rollout, remove }: FleetDecision,
    known: readonly GameServerSet[],
  ): Promise<Outcome> {
    for (const [set, replicas] of rollout.inactive)
      await this.#scale(fleet, set, { ...set.spec, replicas }, "inactive");
    let isRemoved = true;
    for (const set of remove) if (!(await this.#remove(fleet, set))) isRemoved = false;
    if (active) await this.#follow(fleet, active, rollout.active);
    else await this.#create(fleet, known, rollout.active);
    // Nobody tells what becomes of what the cache has not shown.
    if (!isRemoved || this.#made.has(objectKey(fleet))) return { requeueAfterMs: LATE_MS };
  }

  /**
   * The name follows from the template: two passes with an old cache make one set, not two. A set of an earlier template that
   * was not among `known` when its number was decided counts too, so the API is asked for all sets first.
   */
  async #create(fleet: Fleet, known: readonly GameServerSet[], replicas: number): Promise<void> {
    const { client, recorder, gates } = this.#options;
    const { namespace = "" } = fleet.metadata;
    const { items } = await client.list(GAMESERVERSETS, {
      namespace,
      labelSelector: `${FLEET_LABEL}=${fleet.metadata.name}`,
    });
    const uids = new Set(known.map(({ metadata }) => metadata.uid));
    const isUnknown = (set: GameServerSet): boolean => isControlledBy(set, fleet) && !uids.has(set.metadata.uid);
    if (items.some(isUnknown)) throw new ExpectedRetry("a set of the fleet is not in the cache yet");
    for (let collision = 0; ; collision++) {
      const name = setName(fleet, collision);
      this.#remember(fleet, name);
      try {
        await client.create(GAMESERVERSETS, gameServerSetFromFleet(fleet, { name, replicas, gates }));
        recorder.event(fleet, "Normal", "CreatingGameServerSet", `Created GameServerSet ${name}`);
        return;
      } catch (error) {
        if (!isAlreadyExists(error)) {
          if (isRefusal(error)) this.#made.get(objectKey(fleet))?.delete(name);
          throw error;
        }
        const there = await this.#look(namespace, name);
        const ours =
          there && isControlledBy(there, fleet) && !there.metadata.deletionTimestamp && hasTemplateOf(fleet, there);
        if (ours) return;
      }
    }
  }

  #remember(fleet: Fleet, name: string): void {
    const key = objectKey(fleet);
    this.#made.set(key, (this.#made.get(key) ?? new Set()).add(name));
  }

  /** Sets that were made and are not in the cache yet: the numbers of the others depend on them. */
  async #unseen(fleet: Fleet, cached: readonly GameServerSet[]): Promise<readonly GameServerSet[]> {
    const key = objectKey(fleet);
    const names = this.#made.get(key);
    if (!names) return [];
    for (const { metadata } of cached) names.delete(metadata.name ?? "");
    const found: GameServerSet[] = [];
    for (const name of [...names]) {
      const there = await this.#look(fleet.metadata.namespace ?? "", name);
      if (there && isControlledBy(there, fleet)) found.push(this.#ownSets.found(there));
      else names.delete(name);
    }
    if (names.size === 0) this.#made.delete(key);
    return found;
  }

  async #look(namespace: string, name: string): Promise<GameServerSet | undefined> {
    return this.#options.client.get(GAMESERVERSETS, namespace, name).catch((error: unknown) => {
      if (isNotFound(error)) return undefined;
      throw error;
    });
  }

  /** Asks what became of a write: the sets of a fleet are weighed against one another, so each must be known. */
  async #settle({ metadata: { namespace = "", name = "", uid = "" } }: GameServerSet): Promise<void> {
    const there = await this.#look(namespace, name);
    if (there) this.#ownSets.wrote(there);
    this.#unsure.delete(uid);
  }

  /** Brings number, scheduling, priorities and overflow marks of the active set to the fleet's in one write. */
  async #follow(fleet: Fleet, set: GameServerSet, replicas: number): Promise<void> {
    const { gates } = this.#options;
    const { scheduling, priorities, allocationOverflow } = fleet.spec;
    const { allocationOverflow: _, ...rest } = set.spec;
    await this.#scale(
      fleet,
      set,
      {
        ...rest,
        replicas,
        ...(scheduling && { scheduling }),
        ...(gates.CountsAndLists && { priorities }),
        ...(allocationOverflow && { allocationOverflow }),
      },
      "active",
    );
  }

  async #scale(
    fleet: Fleet,
    set: GameServerSet,
    spec: GameServerSet["spec"],
    which: "active" | "inactive",
  ): Promise<void> {
    const { client, recorder } = this.#options;
    const { name } = set.metadata;
    const scaled = spec.replicas !== set.spec.replicas || spec.scheduling !== set.spec.scheduling;
    const reordered = !deepEqual(spec.priorities ?? [], set.spec.priorities ?? []);
    const marked = !deepEqual(spec.allocationOverflow ?? null, set.spec.allocationOverflow ?? null);
    if (!scaled && !reordered && !marked) return;
    try {
      this.#ownSets.wrote(await client.update(GAMESERVERSETS, { ...set, spec }));
    } catch (error) {
      if (!isRefusal(error)) this.#unsure.add(set.metadata.uid ?? "");
      throw error;
    }
    if (scaled) {
      const message = `Scaling ${which} GameServerSet ${name} from ${set.spec.replicas} to ${spec.replicas}`;
      recorder.event(fleet, "Normal", "ScalingGameServerSet", message);
    }
    if (reordered) recorder.event(fleet, "Normal", "UpdatingGameServerSet", `Updated GameServerSet ${name} Priorities`);
  }

  /**
   * Only a set that owns no server at all goes, and only in the version that said so. The API is asked too: what a set makes on an
   * older word of ours is in no status and no cache yet, and would be taken along. False when there was such a server.
   */
  async #remove(fleet: Fleet, set: GameServerSet): Promise<boolean> {
    const { client, informers, recorder } = this.#options;
    const { namespace = "", name = "", uid = "", resourceVersion = "" } = set.metadata;
    if (informers.gameServers.lister.byIndex(BY_OWNER, uid).length > 0) return true;
    const { items } = await client.list(GAMESERVERS, { namespace, labelSelector: `${GAMESERVERSET_LABEL}=${name}` });
    if (items.some((server) => isControlledBy(server, set))) return false;
    await client.delete(GAMESERVERSETS, namespace, name, {
      propagationPolicy: "Background",
      preconditions: { uid, resourceVersion },
    });
    recorder.event(fleet, "Normal", "DeletingGameServerSet", `Deleting inactive GameServerSet ${name}`);
    return true;
  }

  /** What turned bad is told once, as an event. */
  async #writeStatus(
    fleet: Fleet,
    active: GameServerSet | undefined,
    inactive: readonly GameServerSet[],
    refusal: string | undefined,
  ): Promise<void> {
    const { client, clock, gates, recorder } = this.#options;
    const conditions = decideConditions({ fleet, active, inactive, refusal, now: clock.now() });
    const status = { ...decideStatus(fleet, [...(active ? [active] : []), ...inactive], gates), conditions };
    if (fleet.status && deepEqual(fleet.status, status)) return;
    this.#ownFleets.wrote(await client.updateStatus(FLEETS, { ...fleet, status }));
    const told = turned(fleet.status?.conditions, conditions, TOLD);
    // A rollout that is blocked says the same, and more.
    const blocked = told.find(({ type }) => type === "RolloutBlocked") ?? told[0];
    if (!blocked) return;
    const kind = blocked.reason === "ServersInUse" ? "Normal" : "Warning";
    const reason = blocked.type === "RolloutBlocked" ? blocked.type : blocked.reason;
    recorder.event(fleet, kind, reason, withoutPause(blocked.message));
  }
}
