import { describe, expect, test } from "vitest";
import { type FeatureGates, featureGates } from "#api/agones/feature-gates.ts";
import type { SchedulePolicy } from "#api/autoscaling/policy.ts";
import { decidePolicy, type LinkPolicy, linksOf } from "./decide-policy.ts";
import { PolicyError } from "./decide-size.ts";
import { viewOf } from "./fleet-view.fixture.ts";

const gates = featureGates({ WasmAutoscaler: true });
const view = viewOf("counter", [0, 10], [[5, 10, "Allocated"]]);
const buffer = { type: "Buffer", buffer: { bufferSize: 3, maxReplicas: 10 } } as const;
const capacity = { key: "key", bufferSize: 5, maxCapacity: 100n };
const at = (now: string | number, policy: LinkPolicy, some: FeatureGates = gates) =>
  decidePolicy(policy, { view, gates: some, now: typeof now === "string" ? Date.parse(now) : now });

describe("a policy", () => {
  test.each<readonly [string, LinkPolicy, object]>([
    ["Buffer looks at the Allocated servers", buffer, { type: "size", size: { replicas: 4 } }],
    ["Counter looks at a counter", { type: "Counter", counter: capacity }, { type: "size", size: { replicas: 1 } }],
    ["Webhook is asked", { type: "Webhook", webhook: { url: "u" } }, { type: "askWebhook", webhook: { url: "u" } }],
    ["Wasm is asked", { type: "Wasm", wasm: { from: { url: {} } } }, { type: "askWasm", wasm: { from: { url: {} } } }],
    [
      "Schedule applies another",
      { type: "Schedule", schedule: { policy: buffer } },
      { type: "size", size: { replicas: 4 } },
    ],
    [
      "Schedule is inactive after its end",
      { type: "Schedule", schedule: { between: { end: "1969-01-01T00:00:00Z" }, policy: buffer } },
      { type: "inactive" },
    ],
  ])("%s", (_name, policy, decision) => {
    expect(at(0, policy)).toEqual(decision);
  });

  const off = (gate: keyof FeatureGates) => ({ ...gates, [gate]: false });
  test.each<readonly [string, LinkPolicy, FeatureGates, string]>([
    ["without its member", { type: "Buffer" }, gates, "buffer policy config params are missing"],
    ["whose member is null", { type: "Webhook", webhook: null }, gates, "webhook policy config params are missing"],
    [
      "Counter without its gate",
      { type: "Counter", counter: capacity },
      off("CountsAndLists"),
      "feature CountsAndLists must be enabled",
    ],
    [
      "List without its gate",
      { type: "List", list: capacity },
      off("CountsAndLists"),
      "feature CountsAndLists must be enabled",
    ],
    [
      "Schedule without its gate",
      { type: "Schedule", schedule: { policy: buffer } },
      off("ScheduledAutoscaler"),
      "feature ScheduledAutoscaler must be enabled",
    ],
    ["Wasm without its gate", { type: "Wasm" }, off("WasmAutoscaler"), "feature WasmAutoscaler must be enabled"],
    [
      "of an unknown type",
      { type: "Dice" as "Buffer" },
      gates,
      "wrong policy type, should be one of: Buffer, Webhook, Counter, List, Schedule, Chain",
    ],
    ["Chain inside something", { type: "Chain" as "Buffer" }, gates, "wrong policy type"],
  ])("%s is an error", (_name, policy, some, message) => {
    expect(() => at(0, policy, some)).toThrow(PolicyError);
    expect(() => at(0, policy, some)).toThrow(message);
  });
});

describe("the entries of a chain", () => {
  test("are tried in their order, without those that are null; another policy is its own only one", () => {
    const chain = [{ id: "a", ...buffer }, null, { id: "b", ...buffer }];
    expect(linksOf({ type: "Chain", chain }, gates)).toEqual([chain[0], chain[2]]);
    expect(linksOf(buffer, gates)).toEqual([buffer]);
  });

  test("must be there, and their gate on", () => {
    expect(() => linksOf({ type: "Chain", chain: [] }, gates)).toThrow("the chain has no entries");
    expect(() => linksOf({ type: "Chain", chain: null }, gates)).toThrow("the chain has no entries");
    expect(() => linksOf({ type: "Chain" }, { ...gates, ScheduledAutoscaler: false })).toThrow("ScheduledAutoscaler");
  });
});

/** From 90 seconds before the cron's time until the duration after it, by the clocks of the zone. */
describe("a schedule on a day on which the clocks change", () => {
  const schedule = (timezone: string, startCron: string, duration: string): LinkPolicy => {
    const policy: SchedulePolicy = { activePeriod: { timezone, startCron, duration }, policy: buffer };
    return { type: "Schedule", schedule: policy };
  };
  interface Row {
    readonly name: string;
    readonly policy: LinkPolicy;
    readonly active: readonly string[];
    readonly inactive: readonly string[];
  }
  const rows: readonly Row[] = [
    {
      name: "Berlin, forward at 02:00: the evening is an hour earlier by UTC",
      policy: schedule("Europe/Berlin", "0 20 * * *", "1h"),
      active: ["2030-03-30T19:00:00Z", "2030-03-31T18:00:00Z", "2030-03-31T18:59:59Z"],
      inactive: ["2030-03-30T18:58:00Z", "2030-03-31T19:00:01Z"],
    },
    {
      name: "Berlin, forward at 02:00: a time that the clocks leap over does not happen that day",
      policy: schedule("Europe/Berlin", "30 2 * * *", "20m"),
      active: ["2030-03-30T01:30:00Z", "2030-04-01T00:30:00Z"],
      inactive: ["2030-03-31T00:30:00Z", "2030-03-31T01:30:00Z"],
    },
    {
      name: "Berlin, back at 03:00: a time that the clocks show twice happens twice",
      policy: schedule("Europe/Berlin", "30 2 * * *", "20m"),
      active: ["2030-10-27T00:30:00Z", "2030-10-27T01:30:00Z"],
      inactive: ["2030-10-27T00:51:00Z", "2030-10-27T01:51:00Z"],
    },
    {
      name: "Berlin, back at 03:00: a duration is time that passes, not what the clocks show",
      policy: schedule("Europe/Berlin", "0 1 * * *", "3h"),
      active: ["2030-10-26T23:00:00Z", "2030-10-27T01:59:59Z"],
      inactive: ["2030-10-27T02:00:01Z"],
    },
    {
      name: "New York, forward at 02:00: the morning is an hour earlier by UTC",
      policy: schedule("America/New_York", "0 9 * * *", "1h"),
      active: ["2030-03-09T14:00:00Z", "2030-03-10T13:00:00Z"],
      inactive: ["2030-03-10T14:00:01Z"],
    },
    {
      name: "New York, back at 02:00: 01:30 happens twice",
      policy: schedule("America/New_York", "30 1 * * *", "10m"),
      active: ["2030-11-03T05:30:00Z", "2030-11-03T06:30:00Z"],
      inactive: ["2030-11-03T05:45:00Z"],
    },
    {
      name: "Lord Howe, forward by half an hour at 02:00: 02:15 does not happen",
      policy: schedule("Australia/Lord_Howe", "15 2 * * *", "10m"),
      active: ["2030-10-04T15:45:00Z", "2030-10-06T15:15:00Z"],
      inactive: ["2030-10-05T15:45:00Z", "2030-10-05T15:15:00Z"],
    },
    {
      name: "Lord Howe, back by half an hour at 02:00: 01:45 happens twice, 01:15 once",
      policy: schedule("Australia/Lord_Howe", "15,45 1 * * *", "5m"),
      active: ["2030-04-06T14:15:00Z", "2030-04-06T14:45:00Z", "2030-04-06T15:15:00Z"],
      inactive: ["2030-04-06T14:30:00Z", "2030-04-06T15:45:00Z"],
    },
  ];

  test.each(rows.map((row) => [row.name, row] as const))("%s", (_name, { policy, active, inactive }) => {
    const isOn = (time: string) => at(time, policy).type === "size";
    expect([...active, ...inactive].filter(isOn)).toEqual(active);
  });
});
