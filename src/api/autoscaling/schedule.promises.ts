/** When a schedule is active. */
import type { PromiseRow } from "../meta/promise-row.ts";
import type { SchedulePolicy } from "./policy.ts";

export interface SchedulePromise extends PromiseRow {
  readonly schedule: Omit<SchedulePolicy, "policy">;
  /** Times at which it is, and is not. */
  readonly active: readonly string[];
  readonly inactive: readonly string[];
}

const start = "2030-05-01T00:00:00Z";
const end = "2030-05-02T00:00:00Z";
const evening = { timezone: "Europe/Oslo", startCron: "30 17 * * 6,0", duration: "5h30m" };

export const promises: readonly SchedulePromise[] = [
  {
    section: "8.4",
    name: "without times it is always active",
    schedule: {},
    active: ["1970-01-01T00:00:00Z", "2100-01-01T00:00:00Z"],
    inactive: [],
  },
  {
    section: "8.4",
    name: "without a start it has begun, and its end is still within",
    schedule: { between: { end } },
    active: ["1970-01-01T00:00:00Z", end],
    inactive: ["2030-05-02T00:00:00.001Z"],
  },
  {
    section: "8.4",
    name: "without an end it goes on for ever, from its start on",
    schedule: { between: { start } },
    active: [start, "2100-01-01T00:00:00Z"],
    inactive: ["2030-04-30T23:59:59.999Z"],
  },
  {
    section: "8.4",
    name: "without a cron the duration means nothing",
    schedule: { between: { start, end }, activePeriod: { duration: "1s", startCron: "" } },
    active: [start, "2030-05-01T12:00:00Z"],
    inactive: ["2030-04-30T12:00:00Z"],
  },
  {
    section: "8.4",
    name: "with a cron and no duration it is active whatever the cron",
    schedule: { between: { start }, activePeriod: { startCron: "0 12 * * 1", duration: "" } },
    active: [start, "2030-05-03T03:00:00Z"],
    inactive: ["2030-04-30T12:00:00Z"],
  },
  {
    section: "8.4",
    name: "it begins 90 seconds before the cron's instant and ends a duration after it, by the clocks of its zone",
    schedule: { activePeriod: evening },
    active: ["2030-05-04T15:28:30.001Z", "2030-05-04T15:30:00Z", "2030-05-04T20:59:59.999Z", "2030-05-05T18:00:00Z"],
    inactive: ["2030-05-04T15:28:30Z", "2030-05-04T21:00:00Z", "2030-05-06T18:00:00Z"],
  },
  {
    section: "8.4",
    name: "an empty zone is UTC",
    schedule: { activePeriod: { ...evening, timezone: "" } },
    active: ["2030-05-04T17:30:00Z"],
    inactive: ["2030-05-04T15:30:00Z"],
  },
  {
    section: "8.4",
    name: "outside between the cron does not count",
    schedule: { between: { start: "2030-05-04T16:00:00Z", end: "2030-05-04T17:00:00Z" }, activePeriod: evening },
    active: ["2030-05-04T16:00:00Z", "2030-05-04T17:00:00Z"],
    inactive: ["2030-05-04T15:59:59Z", "2030-05-04T17:00:01Z"],
  },
  {
    section: "8.4",
    name: "a duration longer than the cron's pause leaves no gap",
    schedule: { activePeriod: { startCron: "@daily", duration: "25h" } },
    active: ["2030-05-01T00:00:00Z", "2030-05-01T23:59:59Z", "2030-05-02T00:30:00Z"],
    inactive: [],
  },
  {
    section: "8.4",
    name: "a duration of nothing leaves the time before",
    schedule: { activePeriod: { startCron: "@daily", duration: "0s" } },
    active: ["2030-05-01T23:58:31Z", "2030-05-01T23:59:59Z"],
    inactive: ["2030-05-01T00:00:00Z", "2030-05-01T23:58:30Z", "2030-05-01T12:00:00Z"],
  },
  {
    section: "8.4",
    name: "the longest duration is as good as none",
    schedule: { activePeriod: { startCron: "0 0 1 1 *", duration: "2500000h" } },
    active: ["2030-05-01T00:00:00Z"],
    inactive: [],
  },
  {
    section: "8.4",
    name: "a cron that never comes true is never active",
    schedule: { activePeriod: { startCron: "0 0 30 2 *", duration: "1000h" } },
    active: [],
    inactive: ["2030-05-01T00:00:00Z"],
  },
  {
    section: "8.4",
    name: "every so often, less 90 seconds, is a pause in which the duration counts",
    schedule: { activePeriod: { startCron: "@every 1h", duration: "30m" } },
    active: [],
    inactive: ["2030-05-01T00:00:00Z", "2030-05-01T00:45:00Z"],
  },
];
