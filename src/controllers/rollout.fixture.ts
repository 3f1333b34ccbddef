/** A fleet of which only the decisions are real: its sets and servers are plain objects that the test moves by hand. */
import { featureGates } from "#api/agones/feature-gates.ts";
import type { Fleet, GameServerSet } from "#api/agones/fleet.ts";
import type { GameServer, GameServerState } from "#api/agones/gameserver.ts";
import { isActive, isBeingDeleted, isDeletable } from "#api/agones/predicates.ts";
import { setCondition } from "#api/meta/conditions.ts";
import { type IntOrString, scaledValue } from "#api/meta/int-or-string.ts";
import { buildFleet, buildGameServer, buildSet } from "./fixtures.ts";
import { decideSets, hasTemplateOf } from "./fleet/decide-sets.ts";
import { decideStatus as decideFleetStatus } from "./fleet/decide-status.ts";
import { decideScale } from "./gameserverset/decide-scale.ts";
import { decideStatus } from "./gameserverset/decide-status.ts";

export interface ModelOptions {
  readonly replicas: number;
  readonly maxSurge: IntOrString;
  readonly maxUnavailable: IntOrString;
  readonly type: "RollingUpdate" | "Recreate";
  readonly scheduling: "Packed" | "Distributed";
  readonly fix: boolean;
}

type Asks = "allocate" | "reserve" | "end" | "fail" | "return";

const template = (version: number): Fleet["spec"]["template"] => ({
  spec: { template: { spec: { containers: [{ name: "game", image: `game:${version}` }] } } },
});
const limits = { maxCreations: 64, maxDeletions: 64, maxPending: 5000 };
const gates = featureGates();
const pick = <T>(from: readonly T[], which: number): T | undefined => from[which % Math.max(1, from.length)];

export class ModelFleet {
  /** What must never have happened. */
  readonly violations: string[] = [];
  /** Writes of both controllers. */
  writes = 0;
  readonly #fix: boolean;
  #fleet: Fleet;
  #sets: readonly GameServerSet[] = [];
  readonly #servers = new Map<string, readonly GameServer[]>();
  #named = 0;

  constructor({ replicas, maxSurge, maxUnavailable, type, scheduling, fix }: ModelOptions) {
    this.#fix = fix;
    const strategy = { type, ...(type === "RollingUpdate" && { rollingUpdate: { maxSurge, maxUnavailable } }) };
    this.#fleet = buildFleet(replicas, { spec: { strategy, scheduling, template: template(0) } });
  }

  get sets(): number {
    return this.#sets.length;
  }

  /** Servers that are Ready or in use. */
  get available(): number {
    return this.#living.filter(isActive).length;
  }

  /** Servers that are not being deleted. */
  get living(): number {
    return this.#living.length;
  }

  get leastAvailable(): number {
    const { replicas = 0, strategy } = this.#fleet.spec;
    const share = scaledValue(strategy?.rollingUpdate?.maxUnavailable ?? "25%", replicas, false);
    return replicas - Math.max(1, share);
  }

  get mostLiving(): number {
    const { replicas = 0, strategy } = this.#fleet.spec;
    return replicas + scaledValue(strategy?.rollingUpdate?.maxSurge ?? "25%", replicas, true);
  }

  get #living(): readonly GameServer[] {
    return [...this.#servers.values()].flat().filter((server) => !isBeingDeleted(server));
  }

  /** What a person writes: number and template, each as it was when undefined. */
  change(replicas = this.#fleet.spec.replicas, version: number | undefined): void {
    const spec = { ...this.#fleet.spec, replicas, ...(version !== undefined && { template: template(version) }) };
    this.#fleet = { ...this.#fleet, spec };
  }

  /** A pass of the fleet's controller; after so many writes it is cut off. */
  fleetPass(most: number): void {
    let left = most;
    const write = (work: () => void): void => {
      if (left-- <= 0) return;
      this.writes++;
      work();
    };
    const { active, inactive, rollout, remove } = decideSets(this.#fleet, this.#sets, this.#fix);
    this.#check(active, inactive, rollout);
    for (const [set, replicas] of rollout.inactive) write(() => this.#scale(set, replicas));
    for (const { metadata } of remove)
      if (this.#of(metadata.name).length === 0)
        write(() => {
          this.#sets = this.#sets.filter((set) => set.metadata.name !== metadata.name);
        });
    if (!active)
      write(() => {
        const { scheduling, template } = this.#fleet.spec;
        const at = new Date(Date.UTC(2030, 0, 1) + ++this.#named * 1000).toISOString();
        const set = buildSet(`set-${this.#named}`, rollout.active, undefined, {
          metadata: { name: `set-${this.#named}`, uid: `uid-set-${this.#named}`, creationTimestamp: at },
          spec: { template, ...(scheduling && { scheduling }) },
        });
        this.#sets = [...this.#sets, set];
      });
    else if (active.spec.replicas !== rollout.active) write(() => this.#scale(active, rollout.active));
    const status = decideFleetStatus(this.#fleet, this.#sets, gates);
    if (JSON.stringify(status) !== JSON.stringify(this.#fleet.status))
      write(() => {
        this.#fleet = { ...this.#fleet, status };
      });
  }

  /** A pass for each set; each is cut off after so many writes. */
  setPasses(most: number): void {
    for (const set of this.#sets) this.#setPass(set, most);
  }

  /** The status of one set becomes true. */
  tell(which: number): void {
    const set = pick(this.#sets, which);
    if (!set) return;
    const { generation = 1 } = set.metadata;
    const available = {
      type: "Available",
      status: "True",
      reason: "",
      message: "",
      observedGeneration: generation,
    } as const;
    const conditions = setCondition([], available, 0);
    const status = { ...decideStatus(set, this.#of(set.metadata.name), gates), conditions };
    if (JSON.stringify(status) === JSON.stringify(set.status)) return;
    this.writes++;
    this.#replace({ ...set, status });
  }

  /** One server that is on its way becomes Ready. */
  becomeReady(which: number): void {
    this.#change("Scheduled", "Ready", which);
  }

  game(asks: Asks, which: number): void {
    if (asks === "allocate") this.#change("Ready", "Allocated", which);
    else if (asks === "reserve") this.#change("Ready", "Reserved", which);
    else if (asks === "return") this.#change("Allocated", "Ready", which);
    else if (asks === "fail") this.#change("Ready", "Unhealthy", which);
    else this.#change("Allocated", "Shutdown", which);
  }

  /** All that can happen by itself happens. */
  round(): void {
    this.fleetPass(Number.POSITIVE_INFINITY);
    this.setPasses(Number.POSITIVE_INFINITY);
    for (const [name, servers] of this.#servers)
      this.#servers.set(
        name,
        servers
          .filter((server) => !isBeingDeleted(server))
          .map((server) => (server.status?.state === "Scheduled" ? withState(server, "Ready") : server)),
      );
    for (let each = 0; each < this.#sets.length; each++) this.tell(each);
  }

  /** What is missing to the goal; undefined when it is reached. */
  missing(): string | undefined {
    const desired = this.#fleet.spec.replicas ?? 0;
    const [active, ...twins] = this.#sets.filter((set) => hasTemplateOf(this.#fleet, set));
    if (!active || twins.length > 0) return `${twins.length} sets have the template`;
    let busy = 0;
    for (const set of this.#sets) {
      if (set === active) continue;
      const servers = this.#of(set.metadata.name);
      if (servers.some(isDeletable) || servers.length === 0) return `${set.metadata.name} is not done`;
      if (set.spec.replicas > (this.#fix ? 0 : servers.length)) return `${set.metadata.name} wants servers`;
      busy += servers.length;
    }
    const wanted = Math.max(0, desired - busy);
    const servers = this.#of(active.metadata.name);
    const used = servers.filter((server) => !isDeletable(server)).length;
    if (active.spec.replicas !== wanted || servers.length !== Math.max(wanted, used) || !servers.every(isActive))
      return `${active.metadata.name} should have ${wanted}, wants ${active.spec.replicas}, has ${servers.length}`;
    return undefined;
  }

  /** A decision that is made is one that may be carried out: what it costs at worst is looked at here. */
  #check(
    active: GameServerSet | undefined,
    inactive: readonly GameServerSet[],
    rollout: ReturnType<typeof decideSets>["rollout"],
  ): void {
    const { spec, status } = this.#fleet;
    const desired = spec.replicas ?? 0;
    const next = (set: GameServerSet) =>
      set === active ? rollout.active : (rollout.inactive.get(set) ?? set.spec.replicas);
    const sets = [...inactive, ...(active ? [active] : [])];
    for (const each of [rollout.active, ...rollout.inactive.values()])
      if (!Number.isInteger(each) || each < 0) this.violations.push(`a set is asked for ${each} servers`);
    if (spec.strategy?.type !== "RollingUpdate") return;

    const { maxSurge = "25%", maxUnavailable = "25%" } = spec.strategy.rollingUpdate ?? {};
    const busyIn = (set: GameServerSet) => (set.status?.allocatedReplicas ?? 0) + (set.status?.reservedReplicas ?? 0);
    const sum = (of: (set: GameServerSet) => number) => sets.reduce((total, set) => total + of(set), 0);
    const before = sum((set) => Math.max(set.spec.replicas, set.status?.replicas ?? 0));
    const after = sum((set) => Math.max(next(set), busyIn(set))) + (active ? 0 : rollout.active);
    const most = desired + scaledValue(maxSurge, desired, true);
    if (after > Math.max(most, before)) this.violations.push(`${after} servers are wanted, at most ${most}`);
    if (!this.#fix || desired === 0 || inactive.length === 0) return;

    const oldLoss = inactive.reduce((total, set) => total + lost(set, next(set)) - lost(set, set.spec.replicas), 0);
    const ready = sum((set) => (set.status?.readyReplicas ?? 0) - lost(set, set.spec.replicas));
    const share = Math.max(1, scaledValue(maxUnavailable, status?.readyReplicas ?? 0, false));
    const least = Math.min((status?.readyReplicas ?? 0) - Math.min(share, desired), desired);
    if (oldLoss > 0 && ready - oldLoss < least)
      this.violations.push(`${oldLoss} of ${ready} Ready servers go, ${least} must stay`);
  }

  #scale(set: GameServerSet, replicas: number): void {
    const { generation = 1 } = set.metadata;
    this.#replace({
      ...set,
      metadata: { ...set.metadata, generation: generation + 1 },
      spec: { ...set.spec, replicas },
    });
  }

  #replace(set: GameServerSet): void {
    this.#sets = this.#sets.map((each) => (each.metadata.name === set.metadata.name ? set : each));
  }

  #of(name: string | undefined): readonly GameServer[] {
    return this.#servers.get(name ?? "") ?? [];
  }

  #setPass(set: GameServerSet, most: number): void {
    const name = set.metadata.name ?? "";
    const servers = this.#of(name);
    const nodes = new Map([
      ["node-0", { ready: 3, allocated: 1 }],
      ["node-1", { ready: 1, allocated: 0 }],
    ]);
    const { create, remove } = decideScale({ set, servers, nodes, limits, now: 0, creationBudget: 64 });
    const going = new Set(remove.slice(0, most));
    for (const server of going)
      if (!isDeletable(server)) this.violations.push(`${server.status?.state} server is removed`);
    const coming = Array.from({ length: Math.min(create, Math.max(0, most - going.size)) }, () =>
      buildGameServer(`server-${++this.#named}`, "Scheduled", { status: { nodeName: `node-${this.#named % 2}` } }),
    );
    const living = servers.filter((server) => !isBeingDeleted(server)).length + coming.length;
    if (
      coming.length > 0 &&
      living > set.spec.replicas + servers.filter(({ status }) => status?.state === "Unhealthy").length
    )
      this.violations.push(`${living} servers live, ${set.spec.replicas} are wanted`);
    this.writes += going.size + coming.length;
    this.#servers.set(name, [
      ...servers.map((each) => (going.has(each) ? withState(each, "Shutdown") : each)),
      ...coming,
    ]);
  }

  #change(from: GameServerState, to: GameServerState, which: number): void {
    const all = [...this.#servers.values()].flat().filter(({ status }) => status?.state === from);
    const chosen = pick(all, which);
    if (!chosen) return;
    for (const [name, servers] of this.#servers)
      this.#servers.set(
        name,
        servers.map((each) => (each === chosen ? withState(each, to) : each)),
      );
  }
}

/** Ready servers that a set loses, at worst, on the way to a number. */
function lost({ status }: GameServerSet, spec: number): number {
  const { replicas = 0, readyReplicas = 0, allocatedReplicas = 0, reservedReplicas = 0 } = status ?? {};
  return Math.min(readyReplicas, Math.max(0, replicas - Math.max(spec, allocatedReplicas + reservedReplicas)));
}

const withState = (server: GameServer, state: GameServerState): GameServer => ({
  ...server,
  status: { ...server.status, state },
});
