/** What a FleetAutoscaler is completed with, and how its times are stored. */
import type { PromiseRow } from "../meta/promise-row.ts";
import type { FleetAutoscalerSpec } from "./fleetautoscaler.ts";
import type { SchedulePolicy } from "./policy.ts";

interface SyncPromise extends PromiseRow {
  readonly sync: unknown;
  readonly becomes: FleetAutoscalerSpec["sync"];
}

const every = (seconds: number) => ({ type: "FixedInterval", fixedInterval: { seconds } }) as const;

export const syncs: readonly SyncPromise[] = [
  { section: "8.2", name: "nothing said", sync: undefined, becomes: every(30) },
  { section: "8.2", name: "a null", sync: null, becomes: every(30) },
  { section: "8.2", name: "an empty object", sync: {}, becomes: every(30) },
  { section: "8.2", name: "an empty type", sync: { type: "" }, becomes: every(30) },
  { section: "8.2", name: "no interval", sync: { type: "FixedInterval", fixedInterval: null }, becomes: every(30) },
  { section: "8.2", name: "an interval of 0", sync: every(0), becomes: every(30) },
  { section: "8.2", name: "an interval alone", sync: { fixedInterval: { seconds: 15 } }, becomes: every(15) },
  { section: "8.2", name: "a negative interval is kept, to be refused", sync: every(-1), becomes: every(-1) },
];

interface TimesPromise extends PromiseRow {
  readonly between: SchedulePolicy["between"] | { readonly start?: string | null; readonly end?: string | null };
  readonly becomes?: SchedulePolicy["between"] | object;
  readonly error?: string;
}

export const times: readonly TimesPromise[] = [
  {
    section: "2.3",
    name: "times of a schedule are stored in UTC",
    between: { start: "2030-05-01T02:00:00+02:00", end: "2099-05-02T00:00:00.250-01:00" },
    becomes: { start: "2030-05-01T00:00:00Z", end: "2099-05-02T01:00:00Z" },
  },
  { section: "2.4", name: "a null is no time", between: { start: null }, becomes: { start: null } },
  {
    section: "14",
    name: "an empty end cannot be read",
    between: { end: "" },
    error: '.between.end: "" is not a time of RFC 3339',
  },
  {
    section: "2.4",
    name: "a time without an offset cannot be read",
    between: { start: "2030-05-01T02:00:00" },
    error: '.between.start: "2030-05-01T02:00:00" is not a time of RFC 3339',
  },
];
