/** The rules of a schedule's times. The policy that it applies is left to its schema. */
import type { FeatureGates } from "../agones/feature-gates.ts";
import { DurationError, parseDuration } from "../meta/duration.ts";
import { child, type FieldError, forbidden, invalid, required } from "../meta/field.ts";
import { CronError, parseCron } from "./cron.ts";
import type { SchedulePolicy } from "./policy.ts";
import { timeZoneFault } from "./time-zone.ts";

const NO_ZONE_IN_CRON =
  "CRON_TZ or TZ used in activePeriod is not supported, please use the .schedule.timezone field to specify a timezone";

/** In milliseconds since 1970. */
export interface ScheduleTimes {
  readonly now: number;
  /** Ends that the object had before this write: they may have passed meanwhile. */
  readonly endsBefore: ReadonlySet<number>;
}

export function validateSchedule(
  schedule: SchedulePolicy | null | undefined,
  gates: FeatureGates,
  times: ScheduleTimes,
  path: string,
): readonly FieldError[] {
  if (!schedule) return [required(path, "schedule policy config params are missing")];
  if (!gates.ScheduledAutoscaler) return [forbidden(path, "feature ScheduledAutoscaler must be enabled")];
  const { timezone, startCron, duration } = schedule.activePeriod ?? {};
  const period = child(path, "activePeriod");
  const zoneFault = timeZoneFault(timezone ?? "");
  return [
    ...(zoneFault ? [invalid(child(period, "timezone"), timezone, `Error parsing timezone: ${zoneFault}\n`)] : []),
    ...validateBetween(schedule.between, times, child(path, "between")),
    ...(startCron ? validateCron(startCron, child(period, "startCron")) : []),
    // The value that is told is the cron's: so the contract has it.
    ...(duration ? validateDuration(duration, startCron ?? "", child(period, "duration")) : []),
  ];
}

function validateBetween(
  between: SchedulePolicy["between"],
  { now, endsBefore }: ScheduleTimes,
  path: string,
): readonly FieldError[] {
  if (!between?.end) return [];
  const { start, end } = between;
  const ends = Date.parse(end);
  if (ends < now) {
    const rule = "end time must be after the current time";
    return endsBefore.has(ends) ? [] : [invalid(child(path, "end"), end, rule)];
  }
  const reversed = start && ends < Date.parse(start);
  return reversed ? [invalid(path, between, "start time must be before end time")] : [];
}

function validateCron(cron: string, path: string): readonly FieldError[] {
  const fault = faultOf(() => parseCron(cron.replace(/^(CRON_)?TZ=\S*\s+/, "")), CronError);
  return [
    ...(fault === undefined ? [] : [invalid(path, cron, `invalid startCron: ${fault}`)]),
    ...(cron.includes("TZ") ? [invalid(path, cron, NO_ZONE_IN_CRON)] : []),
  ];
}

function validateDuration(duration: string, cron: string, path: string): readonly FieldError[] {
  const fault = faultOf(() => parseDuration(duration), DurationError);
  return fault === undefined ? [] : [invalid(path, cron, `invalid duration: ${fault}`)];
}

/** The message of the expected error, if there is one. */
function faultOf(parse: () => unknown, expected: typeof CronError | typeof DurationError): string | undefined {
  try {
    parse();
    return undefined;
  } catch (error) {
    if (error instanceof expected) return error.message;
    throw error;
  }
}
