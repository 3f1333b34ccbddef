/** What admission fills in and rewrites on every write of a FleetAutoscaler. */
import { filled, mapped } from "../agones/filled.ts";
import { canonicalTime } from "../meta/time.ts";
import type { FleetAutoscaler, FleetAutoscalerSpec, FleetAutoscalerSync } from "./fleetautoscaler.ts";
import type { FleetAutoscalerPolicy, SchedulePolicy } from "./policy.ts";

/** How often the policy is asked where nothing is said. */
export const DEFAULT_SYNC_SECONDS = 30;

/**
 * Completes `sync`; the same object when nothing was missing. Without a spec one is made that holds it alone, so that the
 * schema says what else is required.
 */
export function defaultFleetAutoscaler(autoscaler: FleetAutoscaler): FleetAutoscaler {
  const spec: FleetAutoscalerSpec = autoscaler.spec ?? ({} as FleetAutoscalerSpec);
  return filled(autoscaler, { spec: filled(spec, { sync: defaultSync(spec.sync) }) });
}

function defaultSync(sync: Partial<FleetAutoscalerSync> | null | undefined): FleetAutoscalerSync {
  const interval = sync?.fixedInterval ?? { seconds: 0 };
  return filled<FleetAutoscalerSync>((sync ?? {}) as FleetAutoscalerSync, {
    type: sync?.type || "FixedInterval",
    fixedInterval: filled(interval, { seconds: interval.seconds || DEFAULT_SYNC_SECONDS }),
  });
}

/** A time of a schedule that cannot be read; the message says where it stands. */
export class ScheduleTimeError extends Error {
  override readonly name = "ScheduleTimeError";
  readonly code = "InvalidScheduleTime";
}

/**
 * The times of all schedules in UTC and whole seconds, as a typed API would store them; the same object when they are.
 * Throws `ScheduleTimeError`.
 */
export function canonicalTimes(autoscaler: FleetAutoscaler): FleetAutoscaler {
  const { policy } = autoscaler.spec ?? {};
  if (!policy) return autoscaler;
  const path = "spec.policy";
  const changed: FleetAutoscalerPolicy = filled(policy, {
    ...(policy.schedule && { schedule: canonicalSchedule(policy.schedule, `${path}.schedule`) }),
    ...(policy.chain && {
      chain: mapped(policy.chain, (entry, position) =>
        entry?.schedule
          ? filled(entry, { schedule: canonicalSchedule(entry.schedule, `${path}.chain[${position}].schedule`) })
          : entry,
      ),
    }),
  });
  return filled(autoscaler, { spec: filled(autoscaler.spec, { policy: changed }) });
}

function canonicalSchedule(schedule: SchedulePolicy, path: string): SchedulePolicy {
  const { between } = schedule;
  if (!between) return schedule;
  const rewritten = (name: "start" | "end") => {
    const text = between[name];
    // A null stands for an absent time.
    if (typeof text !== "string") return undefined;
    const canonical = canonicalTime(text);
    if (canonical !== undefined) return { [name]: canonical };
    throw new ScheduleTimeError(`${path}.between.${name}: ${JSON.stringify(text)} is not a time of RFC 3339`);
  };
  return filled(schedule, { between: filled(between, { ...rewritten("start"), ...rewritten("end") }) });
}
