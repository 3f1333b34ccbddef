/** Sees every write in order, knows which the controllers made, and says which must never have happened. */
import { FLEET_LABEL, GAMESERVERSET_LABEL } from "#api/agones/constants.ts";
import type { Fleet, GameServerSet } from "#api/agones/fleet.ts";
import type { GameServer } from "#api/agones/gameserver.ts";
import { isBeforeReady, isBeingDeleted, isTerminal } from "#api/agones/predicates.ts";
import type { Pod } from "#api/core/pod.ts";
import { semanticEqual } from "#api/meta/equality.ts";
import { scaledValue } from "#api/meta/int-or-string.ts";
import { controllerOf, isControlledBy, type KubeObject, objectKey } from "#api/meta/object.ts";
import { isInvalid } from "#api/meta/status.ts";
import type { ObjectStore } from "#cluster/store/object-store.ts";
import type { Change } from "#cluster/store/objects.ts";
import type { Client } from "#kube/client.ts";
import type { FakeClock } from "#runtime/clock.ts";

const COLLECTIONS = ["agones.dev/gameservers", "agones.dev/gameserversets", "agones.dev/fleets", "/pods"] as const;
type Collection = (typeof COLLECTIONS)[number];

interface Seen {
  readonly collection: Collection;
  readonly change: Change;
  /** When it happened, by the clock. */
  readonly at: number;
}

export class Witness {
  /** What must never have happened. */
  readonly violations: string[] = [];
  readonly #objects: ObjectStore;
  readonly #clock: FakeClock;
  /** How old a view of the world a controller may act on. */
  readonly #staleMs: number;
  readonly #seen: Seen[] = [];
  readonly #ours = new Set<string>();
  readonly #stop = new AbortController();
  readonly #servers = new Map<string, GameServer>();
  readonly #sets = new Map<string, GameServerSet>();
  readonly #fleets = new Map<string, Fleet>();
  readonly #pods = new Map<string, Pod>();
  /** By UID of the server: the last phase of its Pod, also when that has gone. */
  readonly #phases = new Map<string, string | undefined>();
  /** By UID: the numbers a set or fleet was asked for, and since when. */
  readonly #asked = new Map<string, { readonly replicas: number; readonly since: number }[]>();

  constructor(objects: ObjectStore, clock: FakeClock, staleMs: number) {
    this.#objects = objects;
    this.#clock = clock;
    this.#staleMs = staleMs;
    for (const collection of COLLECTIONS) void this.#follow(collection);
  }

  stop(): void {
    this.#stop.abort();
  }

  /** The client whose writes are the controllers'. */
  client(real: Client): Client {
    const written = async <T extends KubeObject>(request: Promise<T>): Promise<T> => {
      try {
        const object = await request;
        this.#ours.add(object.metadata.resourceVersion ?? "");
        return object;
      } catch (error) {
        if (isInvalid(error)) this.violations.push(`an invalid write: ${error.message}`);
        throw error;
      }
    };
    return {
      ...real,
      create: (type, object) => written(real.create(type, object)),
      update: (type, object) => written(real.update(type, object)),
      updateStatus: (type, object) => written(real.updateStatus(type, object)),
      delete: (type, namespace, name, options) => {
        this.#deleting(type.plural, `${namespace}/${name}`);
        return real.delete(type, namespace, name, options);
      },
    };
  }

  /** Looks at all that happened since the last time. */
  check(): void {
    const seen = this.#seen.splice(0).sort((a, b) => a.change.stored.revision - b.change.stored.revision);
    for (const { collection, change, at } of seen) {
      const object = change.stored.object as unknown as KubeObject;
      const ours = this.#ours.has(object.metadata.resourceVersion ?? "");
      if (collection === "agones.dev/gameservers") this.#server(change, object as GameServer, ours, at);
      else if (collection === "agones.dev/gameserversets") this.#set(change, object as GameServerSet, ours, at);
      else if (collection === "agones.dev/fleets") {
        keep(this.#fleets, change, object as Fleet);
        this.#askedFor(object as Fleet, at);
      } else {
        keep(this.#pods, change, object as Pod);
        this.#phases.set(controllerOf(object)?.uid ?? "", (object as Pod).status?.phase);
      }
    }
    this.#checkPorts();
  }

  async #follow(collection: Collection): Promise<void> {
    for await (const batch of this.#objects.watch(collection, { since: 0, signal: this.#stop.signal }))
      for (const change of batch) this.#seen.push({ collection, change, at: this.#clock.now() });
  }

  /** A deletion that the controllers are about to ask for. */
  #deleting(plural: string, key: string): void {
    const current = (collection: Collection) =>
      this.#objects.get(collection, key)?.object as unknown as GameServer | undefined;
    const server = current("agones.dev/gameservers");
    if (!server) return;
    if (plural === "gameservers" && !isBeingDeleted(server))
      this.violations.push(`${key} is deleted in state ${server.status?.state}`);
    if (plural === "pods" && !server.metadata.deletionTimestamp)
      this.violations.push(`the Pod of ${key} is deleted in state ${server.status?.state}`);
  }

  #server(change: Change, server: GameServer, ours: boolean, at: number): void {
    const before = change.previous?.object as unknown as GameServer | undefined;
    const key = objectKey(server);
    const state = server.status?.state;
    const was = before?.status?.state;
    const pod = this.#podOf(server);
    if (change.type === "DELETED" && pod) this.violations.push(`${key} is gone before its Pod`);
    keep(this.#servers, change, server);
    if (!ours || change.type === "DELETED") return;
    const phase = this.#phases.get(server.metadata.uid ?? "");
    if (was === "Allocated" || was === "Reserved") {
      if (state === "Shutdown" && phase !== "Succeeded" && !before?.metadata.deletionTimestamp)
        this.violations.push(`${key} was ${was} and is shut down`);
      if (state === "Unhealthy" && pod && phase !== "Failed")
        this.violations.push(`${key} was ${was} and is Unhealthy, with its Pod ${phase}`);
    }
    if (before && isTerminal(before) && state !== was && state !== "Shutdown")
      this.violations.push(`${key} came back from ${was} to ${state}`);
    if (change.type !== "ADDED") return;
    const set = server.metadata.labels?.[GAMESERVERSET_LABEL];
    const owner = controllerOf(server)?.uid ?? "";
    const living = [...this.#servers.values()].filter(
      (each) => controllerOf(each)?.uid === owner && !isBeingDeleted(each) && !isTerminal(each),
    );
    const most = this.#most(owner, at);
    if (living.length > most) this.violations.push(`set ${set} wants ${most} servers and has ${living.length}`);
  }

  #set(change: Change, set: GameServerSet, ours: boolean, at: number): void {
    const before = change.previous?.object as unknown as GameServerSet | undefined;
    const { name } = set.metadata;
    keep(this.#sets, change, set);
    const owned = [...this.#servers.values()].filter((server) => isControlledBy(server, set));
    if (change.type === "DELETED") {
      // One that was on its way when the set went is made for nothing, and nobody has it yet.
      const lost = owned.filter((server) => !isBeforeReady(server) && !isBeingDeleted(server));
      if (lost.length > 0) this.violations.push(`set ${name} is deleted with ${lost.length} servers`);
      return;
    }
    this.#askedFor(set, at);
    if (!ours || (before && before.spec.replicas >= set.spec.replicas)) return;
    const fleet = controllerOf(set)?.uid ?? "";
    const sets = [...this.#sets.values()].filter((each) => controllerOf(each)?.uid === fleet);
    const twins = sets.filter((each) => semanticEqual(each.spec.template, set.spec.template));
    if (twins.length > 1) this.violations.push(`fleet ${set.metadata.labels?.[FLEET_LABEL]} has one template twice`);
    const sum = sets.reduce((total, { spec }) => total + spec.replicas, 0);
    const most = this.#most(fleet, at);
    const { rollingUpdate } = this.#fleets.get(fleet)?.spec.strategy ?? {};
    const surge = scaledValue(rollingUpdate?.maxSurge ?? "25%", most, true);
    if (sum > most + surge) this.violations.push(`a fleet of ${most} asks its sets for ${sum} servers`);
  }

  #askedFor({ metadata, spec }: Fleet | GameServerSet, since: number): void {
    const asked = this.#asked.get(metadata.uid ?? "") ?? [];
    this.#asked.set(metadata.uid ?? "", [...asked, { replicas: spec.replicas ?? 0, since }]);
  }

  /** The highest number asked for that a controller may still act on. */
  #most(uid: string, now: number): number {
    const asked = this.#asked.get(uid) ?? [];
    const current = asked.filter((_, at) => (asked[at + 1]?.since ?? now) >= now - this.#staleMs);
    return Math.max(0, ...current.map(({ replicas }) => replicas));
  }

  #podOf(server: GameServer): Pod | undefined {
    return [...this.#pods.values()].find((pod) => isControlledBy(pod, server));
  }

  /** Ports are many and nodes few: no number needs to be given twice, and none may be bound twice on a node. */
  #checkPorts(): void {
    const given = new Map<number, string>();
    for (const server of this.#servers.values())
      for (const { hostPort } of server.spec.ports ?? []) {
        if (hostPort === undefined) continue;
        const other = given.get(hostPort);
        if (other !== undefined)
          this.violations.push(`${other} and ${server.metadata.name} both have port ${hostPort}`);
        given.set(hostPort, server.metadata.name ?? "");
      }
    const bound = new Map<string, string>();
    for (const { metadata, spec, status } of this.#pods.values()) {
      if (!spec.nodeName || status?.phase === "Failed" || status?.phase === "Succeeded") continue;
      for (const { hostPort, protocol } of spec.containers.flatMap(({ ports }) => ports ?? [])) {
        const place = `${spec.nodeName} ${protocol} ${hostPort}`;
        if (bound.has(place)) this.violations.push(`${bound.get(place)} and ${metadata.name} both hold ${place}`);
        bound.set(place, metadata.name ?? "");
      }
    }
  }
}

function keep<T extends KubeObject>(all: Map<string, T>, { type }: Change, object: T): void {
  const uid = object.metadata.uid ?? "";
  if (type === "DELETED") all.delete(uid);
  else all.set(uid, object);
}
