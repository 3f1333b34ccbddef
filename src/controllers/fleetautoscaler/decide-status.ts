import type { FLEETAUTOSCALER_CONDITIONS } from "#api/autoscaling/condition-types.ts";
import type { FleetAutoscaler, FleetAutoscalerStatus } from "#api/autoscaling/fleetautoscaler.ts";
import type { EventType } from "#api/core/event.ts";
import { type Condition, conditionOf, setCondition } from "#api/meta/conditions.ts";
import { timeText } from "#api/meta/time.ts";
import type { Limit, Size } from "./decide-size.ts";

/** What a policy said. */
export type Evaluation =
  | {
      readonly type: "sized";
      readonly size: Size;
      /** The policy's type; of a chain the entry's. */
      readonly policy: string;
      readonly chainId?: string;
    }
  | { readonly type: "inactive" }
  | {
      readonly type: "failed";
      readonly message: string;
      readonly inChain: boolean;
      /** No schedule of the chain is active, and nothing else went wrong. */
      readonly onlyInactive: boolean;
      /** For the log. */
      readonly cause: unknown;
    };

/** What became of one look at a fleet. */
export type Finding =
  | (Evaluation & {
      /** Servers of the fleet. */
      readonly currentReplicas: number;
      /** When its size was changed, in milliseconds since 1970. */
      readonly scaledAt?: number;
    })
  | { readonly type: "fleetNotFound" }
  | { readonly type: "fleetBeingDeleted" }
  /** An older autoscaler sets the fleet's size. */
  | { readonly type: "fleetTaken"; readonly by: string }
  | { readonly type: "notWritable"; readonly from: number; readonly to: number; readonly message: string };

export interface ToldEvent {
  readonly type: EventType;
  readonly reason: string;
  readonly message: string;
}

export interface StatusDecision {
  /** The very status that was there when nothing changed. */
  readonly status: FleetAutoscalerStatus | undefined;
  /** What changed since the status that is there, for people. */
  readonly events: readonly ToldEvent[];
}

/** What a condition of a type says. */
interface Told<Type extends keyof typeof FLEETAUTOSCALER_CONDITIONS> {
  readonly status: Condition["status"];
  readonly reason: (typeof FLEETAUTOSCALER_CONDITIONS)[Type][number];
  readonly message: string;
}

/** What one finding makes of the status. */
interface Effect {
  /** Conditions by type; undefined: not determined. `status.ableToScale` says the same as this one. */
  readonly able: Told<"AbleToScale">;
  readonly active?: Told<"ScalingActive">;
  readonly limited?: Told<"ScalingLimited">;
  /** Members beside the conditions; absent: they stay as they are. */
  readonly members?: Omit<FleetAutoscalerStatus, "ableToScale" | "conditions">;
  /** Told when the condition of that type changed. */
  readonly events?: readonly (ToldEvent & { readonly when: "able" | "active" | "limited" | "policy" })[];
}

const TYPES = { able: "AbleToScale", active: "ScalingActive", limited: "ScalingLimited" } as const;

/** The autoscaler's status after a finding, and what is to be told of it: each thing once, when it changes. */
export function decideStatus(autoscaler: FleetAutoscaler, finding: Finding, now: number): StatusDecision {
  const before = autoscaler.status;
  const { generation } = autoscaler.metadata;
  const effect = effectOf(autoscaler, finding);
  const changed = new Set<string>();
  let conditions = before?.conditions ?? [];
  for (const which of ["able", "active", "limited"] as const) {
    const type = TYPES[which];
    const told = effect[which];
    const old = conditionOf(before?.conditions, type);
    if (told?.reason !== old?.reason || told?.message !== old?.message) changed.add(which);
    conditions = told
      ? setCondition(
          conditions,
          { type, ...told, ...(generation !== undefined && { observedGeneration: generation }) },
          now,
        )
      : conditions.filter((each) => each.type !== type);
  }
  if (effect.members?.lastAppliedPolicy !== before?.lastAppliedPolicy) changed.add("policy");
  const status = { ...before, ...effect.members, ableToScale: effect.able.status === "True", conditions };
  const events = (effect.events ?? []).filter(({ when }) => changed.has(when));
  return {
    status: isSame(before, status) ? before : status,
    events: events.map(({ type, reason, message }) => ({ type, reason, message })),
  };
}

/** Conditions that did not change are the same objects. */
function isSame(before: FleetAutoscalerStatus | undefined, after: FleetAutoscalerStatus): boolean {
  const { conditions: old = [], ...members } = before ?? {};
  const { conditions = [], ...others } = after;
  const names = Object.keys({ ...members, ...others }) as (keyof typeof others)[];
  return (
    before !== undefined &&
    names.every((name) => members[name] === others[name]) &&
    old.length === conditions.length &&
    conditions.every((each, place) => each === old[place])
  );
}

function effectOf(autoscaler: FleetAutoscaler, finding: Finding): Effect {
  const { fleetName } = autoscaler.spec;
  const { name } = autoscaler.metadata;
  switch (finding.type) {
    case "fleetNotFound": {
      const message = `could not fetch fleet: ${fleetName}`;
      return {
        able: { status: "False", reason: "FleetNotFound", message },
        members: UNABLE,
        events: [{ when: "able", type: "Warning", reason: "FailedGetFleet", message }],
      };
    }
    case "fleetBeingDeleted":
      return { able: { status: "False", reason: "FleetBeingDeleted", message: `fleet ${fleetName} is being deleted` } };
    case "fleetTaken": {
      const message = `FleetAutoscaler ${finding.by}, which is older, sets the size of fleet ${fleetName}`;
      return {
        able: { status: "False", reason: "FleetTaken", message },
        members: UNABLE,
        events: [{ when: "able", type: "Warning", reason: "FleetTaken", message }],
      };
    }
    case "notWritable": {
      const { from, to, message: why } = finding;
      const message = `Error on scaling fleet ${fleetName} from ${from} to ${to}. Error: ${why}`;
      return {
        able: { status: "False", reason: "FleetNotWritable", message },
        events: [{ when: "able", type: "Warning", reason: "AutoScalingFleetError", message }],
      };
    }
    case "inactive":
      return {
        able: found(fleetName),
        active: { status: "False", reason: "ScheduleInactive", message: "the schedule's time is not now" },
      };
    case "failed": {
      const message = `Error calculating desired fleet size on FleetAutoscaler ${name}. Error: ${finding.message}`;
      const chain = `FleetAutoscaler '${name}' failed to apply ChainPolicy | ID: Unknown | Type: `;
      return {
        able: { status: "False", reason: "PolicyFailed", message: finding.message },
        active: { status: "False", reason: "PolicyFailed", message: finding.message },
        members: UNABLE,
        events: [
          ...(finding.inChain
            ? [{ when: "active", type: "Warning", reason: "ChainPolicy", message: chain } as const]
            : []),
          { when: "active", type: "Warning", reason: "FleetAutoscaler", message },
        ],
      };
    }
    case "sized":
      return sized(autoscaler, finding);
  }
}

/** `lastScaleTime` stays. */
const UNABLE: Effect["members"] = {
  scalingLimited: false,
  currentReplicas: 0,
  desiredReplicas: 0,
  lastAppliedPolicy: "",
};

function sized(
  { metadata: { name }, spec: { fleetName } }: FleetAutoscaler,
  {
    size: { replicas, limit },
    policy,
    chainId,
    currentReplicas,
    scaledAt,
  }: Extract<Finding, { readonly type: "sized" }>,
): Effect {
  const applied = chainId === undefined ? policy : `Chain:${chainId}:${policy}`;
  const chain = `FleetAutoscaler '${name}' successfully applied ChainPolicy | ID: ${chainId} | Type: ${policy}`;
  const limited = limit && `Scaling fleet ${fleetName} was limited to ${limit} size of ${replicas}`;
  return {
    able: found(fleetName),
    active: { status: "True", reason: "PolicyApplied", message: `policy ${applied} gives ${replicas} servers` },
    limited: limited
      ? { status: "True", reason: reasons[limit], message: limited }
      : { status: "False", reason: "WithinLimits", message: "" },
    members: {
      currentReplicas,
      desiredReplicas: replicas,
      scalingLimited: limited !== undefined,
      lastAppliedPolicy: applied,
      ...(scaledAt !== undefined && { lastScaleTime: timeText(scaledAt) }),
    },
    events: [
      ...(chainId === undefined
        ? []
        : [{ when: "policy", type: "Normal", reason: "ChainPolicy", message: chain } as const]),
      ...(limited ? [{ when: "limited", type: "Warning", reason: "ScalingLimited", message: limited } as const] : []),
    ],
  };
}

const reasons = { minimum: "AtMinimum", maximum: "AtMaximum" } as const satisfies Readonly<Record<Limit, string>>;
const found = (fleetName: string): Told<"AbleToScale"> => ({
  status: "True",
  reason: "FleetFound",
  message: `fleet ${fleetName} can be scaled`,
});
