/** Whether a schedule's time is now. */
import { parseDuration } from "../meta/duration.ts";
import { parseCron } from "./cron.ts";
import { nextOccurrence } from "./cron-next.ts";
import type { SchedulePolicy } from "./policy.ts";

/** A schedule begins this long before its cron instant, so that servers are there in time. */
const AHEAD = 90_000;

/**
 * Whether the policy of a validated schedule applies at `now` (milliseconds since 1970): within `between`, and from 90 seconds
 * before an instant of `startCron` until `duration` after it. Without a cron it applies throughout `between`; with a cron and
 * no duration too, whatever the cron. Throws `CronError`, `DurationError`, or `RangeError` for an unknown time zone.
 */
export function isActive({ between, activePeriod }: SchedulePolicy, now: number): boolean {
  if (between?.start && now < Date.parse(between.start)) return false;
  if (between?.end && now > Date.parse(between.end)) return false;
  const { startCron, duration, timezone } = activePeriod ?? {};
  if (!startCron) return true;
  const cron = parseCron(startCron);
  if (!duration) return true;
  const milliseconds = parseDuration(duration);
  const start = nextOccurrence(cron, now - milliseconds, timezone || "UTC");
  return start !== undefined && start - AHEAD < now && now < start + milliseconds;
}
