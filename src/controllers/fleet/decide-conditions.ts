import type { FLEET_CONDITIONS } from "#api/agones/condition-types.ts";
import type { Fleet, GameServerSet } from "#api/agones/fleet.ts";
import { type Condition, conditionOf, setCondition } from "#api/meta/conditions.ts";
import { type Numbers, numbersOf, sum } from "./decide-shrink.ts";

export interface ConditionsSnapshot {
  readonly fleet: Fleet;
  /** The set with the fleet's template; undefined before it is made. */
  readonly active: GameServerSet | undefined;
  readonly inactive: readonly GameServerSet[];
  /** What the API server said when it refused to write a set of the fleet; undefined when it did not. */
  readonly refusal: string | undefined;
  /** Milliseconds since 1970. */
  readonly now: number;
}

type Types = typeof FLEET_CONDITIONS;
interface Verdict<T extends keyof Types> {
  readonly status: "True" | "False";
  readonly reason: Types[T][number];
  readonly message: string;
}

/** What the conditions are made of. */
interface View {
  readonly wanted: number;
  readonly now: Numbers;
  readonly rest: readonly Numbers[];
  /** Why servers of the present template do not come up; undefined while they do. */
  readonly trouble: string | undefined;
  /** What keeps a server from starting, and may be mended soon: a cluster that grows has a node for it, an image comes. */
  readonly waiting: string | undefined;
  /** Old sets have servers that are not in use, or want some. */
  readonly rolling: boolean;
  readonly busyInOld: number;
}

/** What a fleet says of itself; the very list it has when nothing changed. */
export function decideConditions(snapshot: ConditionsSnapshot): readonly Condition[] {
  const { fleet, active, inactive, refusal, now } = snapshot;
  const rest = inactive.map(numbersOf);
  const view: View = {
    wanted: fleet.spec.replicas ?? 0,
    now: numbersOf(active),
    rest,
    trouble: refusal ?? troubleOf(active),
    waiting: waitingOf(active),
    rolling: rest.some(({ spec, replicas, busy }) => spec > busy || replicas > busy),
    busyInOld: sum(rest, ({ busy }) => busy),
  };
  const { generation } = fleet.metadata;
  const observed = generation === undefined ? {} : { observedGeneration: generation };
  const verdicts = { Available: available(view), Progressing: progressing(view), RolloutBlocked: rolloutBlocked(view) };
  return Object.entries(verdicts).reduce<readonly Condition[]>(
    (conditions, [type, verdict]) => setCondition(conditions, { type, ...verdict, ...observed }, now),
    fleet.status?.conditions ?? [],
  );
}

/** Why a set's servers do not come up, in its own words. */
function troubleOf(set: GameServerSet | undefined): string | undefined {
  const backingOff = conditionOf(set?.status?.conditions, "BackingOff");
  if (backingOff?.status === "True") return backingOff.message;
  const available = conditionOf(set?.status?.conditions, "Available");
  const stuck = available?.reason === "ServersStuck" || available?.reason === "CreationRefused";
  return stuck ? available?.message : undefined;
}

function waitingOf(set: GameServerSet | undefined): string | undefined {
  const available = conditionOf(set?.status?.conditions, "Available");
  // What the set goes on to say of its numbers, the fleet says of its own.
  const waits = available?.reason === "ServersUnschedulable" || available?.reason === "ContainersWaiting";
  return waits ? available?.message.replace(/; [^;]*$/, "") : undefined;
}

function available({ wanted, now, rest, trouble, waiting, busyInOld }: View): Verdict<"Available"> {
  const ready = sum([...rest, now], (each) => each.ready);
  if (ready > 0) return { status: "True", reason: "ServersReady", message: `${ready} servers are Ready` };
  if (wanted === 0) return { status: "False", reason: "NoServersWanted", message: "" };
  const used = now.busy + busyInOld;
  const why = trouble ?? waiting;
  const message = `${why ? `${why}; ` : ""}${used} of ${wanted} servers are in use, none is Ready`;
  return { status: "False", reason: "NoServersReady", message };
}

function progressing({ wanted, now, trouble, waiting, rolling, busyInOld }: View): Verdict<"Progressing"> {
  const left = Math.max(0, wanted - busyInOld);
  const up = now.ready + now.busy;
  const complete = now.spec === left && now.replicas === Math.max(left, now.busy) && up === now.replicas;
  if (complete && !rolling) return { status: "False", reason: "UpToDate", message: "" };
  if (trouble !== undefined) return { status: "False", reason: "Stalled", message: trouble };
  const message = `${waiting ? `${waiting}; ` : ""}${up} of ${left} servers of the present template are Ready or in use`;
  return { status: "True", reason: rolling ? "RollingOut" : "Scaling", message };
}

function rolloutBlocked({ trouble, rolling, busyInOld }: View): Verdict<"RolloutBlocked"> {
  if (rolling && trouble !== undefined)
    return { status: "True", reason: "NewServersNotReady", message: `${trouble}; the old servers stay` };
  if (!rolling && busyInOld > 0)
    return {
      status: "True",
      reason: "ServersInUse",
      message: `${busyInOld} servers of older versions are Allocated or Reserved, and stay until they end`,
    };
  return { status: "False", reason: "NotBlocked", message: "" };
}
