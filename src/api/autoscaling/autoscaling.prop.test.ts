import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { featureGates } from "../agones/feature-gates.ts";
import { type JsonObject, parseJson, stringifyJson } from "../meta/json.ts";
import { autoscaler, CA_BUNDLE, NOW } from "./autoscaler.fixture.ts";
import { canonicalTimes, defaultFleetAutoscaler } from "./defaults.ts";
import type { FleetAutoscaler } from "./fleetautoscaler.ts";
import type { FleetAutoscalerPolicy } from "./policy.ts";
import { FLEETAUTOSCALERS } from "./resources.ts";
import { validateFleetAutoscaler } from "./validate.ts";

/** Present, absent or null. */
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(fc.option(value), { nil: undefined });
const int32 = fc.integer({ min: -5, max: 200 });
const int64 = fc.oneof(fc.constantFrom(2n ** 63n - 1n, -(2n ** 63n)), fc.bigInt({ min: -5n, max: 200n }));
const bufferSize = maybe(fc.oneof(int32, fc.constantFrom("10%", "0%", "100%", "5", "nonsense", "")));
const text = fc.oneof(fc.constantFrom("", "a", "rooms"), fc.string());
const time = fc
  .date({ min: new Date("2029-01-01"), max: new Date("2031-01-01"), noInvalidDate: true })
  .map((date) => date.toISOString().replace("Z", "+02:00"));
const capacity = maybe(fc.record({ key: text, bufferSize, minCapacity: maybe(int64), maxCapacity: int64 }));
const url = maybe(
  fc.record({
    url: maybe(fc.oneof(fc.webUrl(), text)),
    service: maybe(fc.record({ name: text, namespace: text, path: maybe(text), port: maybe(int32) })),
    caBundle: maybe(fc.oneof(fc.constant(CA_BUNDLE), fc.base64String())),
  }),
);
const simple = {
  buffer: maybe(fc.record({ bufferSize, minReplicas: maybe(int32), maxReplicas: int32 })),
  webhook: url,
  counter: capacity,
  list: capacity,
  wasm: maybe(fc.record({ from: fc.record({ url }), hash: maybe(text) })),
};
const types = ["Buffer", "Webhook", "Counter", "List", "Wasm"] as const;
const simplePolicy = fc.record({ type: fc.constantFrom(...types), ...simple });
const schedule = maybe(
  fc.record({
    between: maybe(fc.record({ start: maybe(time), end: maybe(time) })),
    activePeriod: maybe(
      fc.record({
        timezone: maybe(fc.oneof(fc.constantFrom("Europe/Oslo", "Mars/Base"), text)),
        startCron: maybe(fc.oneof(fc.constantFrom("0 9 * * 1-5", "TZ=UTC @daily"), text)),
        duration: maybe(fc.oneof(fc.constantFrom("2h", "1d"), text)),
      }),
    ),
    policy: simplePolicy,
  }),
);
const entry = fc.record({ id: maybe(text), type: fc.constantFrom(...types, "Schedule"), ...simple, schedule });
const policy = fc.record({
  type: fc.constantFrom(...types, "Schedule", "Chain"),
  ...simple,
  schedule,
  chain: maybe(fc.array(fc.option(entry), { maxLength: 3 })),
});
const anyAutoscaler = fc
  .tuple(
    policy,
    maybe(fc.record({ type: fc.constant("FixedInterval"), fixedInterval: maybe(fc.record({ seconds: int32 })) })),
  )
  .map(([policy, sync]) => autoscaler(policy as Partial<FleetAutoscalerPolicy>, { sync: sync as never }));
const gates = fc
  .record({ CountsAndLists: fc.boolean(), ScheduledAutoscaler: fc.boolean(), WasmAutoscaler: fc.boolean() })
  .map(featureGates);

const wire = (object: object): JsonObject => parseJson(stringifyJson(object)) as JsonObject;

describe("whatever the schema lets through", () => {
  test("validation answers, in the same words each time, with paths inside the policy", () => {
    fc.assert(
      fc.property(anyAutoscaler, gates, (given, gates) => {
        const faults = validateFleetAutoscaler(given, { gates, now: NOW });
        expect(validateFleetAutoscaler(given, { gates, now: NOW })).toEqual(faults);
        for (const { field, body } of faults) {
          expect(field).toMatch(/^spec\.(policy\.[a-z]|sync\.)/);
          expect(body).not.toMatch(/undefined|NaN|\[object/);
        }
      }),
    );
  });

  test("defaults and times are stored once: the second time nothing changes", () => {
    fc.assert(
      fc.property(anyAutoscaler, (given) => {
        const once = canonicalTimes(defaultFleetAutoscaler(given));
        expect(canonicalTimes(defaultFleetAutoscaler(once))).toBe(once);
        // Of times as they are stored: a start that is less than a second after its end becomes the same second.
        const rules = { gates: featureGates(), now: NOW };
        expect(validateFleetAutoscaler(once, rules).map(({ field }) => field)).toEqual(
          validateFleetAutoscaler(canonicalTimes(given), rules).map(({ field }) => field),
        );
      }),
    );
  });

  test("what is read from the wire and written again is the same, int64 and all", () => {
    fc.assert(
      fc.property(anyAutoscaler, (given) => {
        const read = FLEETAUTOSCALERS.decode(wire(given));
        expect(wire(read)).toEqual(wire(given));
        const written: FleetAutoscaler = defaultFleetAutoscaler(read);
        expect(wire(FLEETAUTOSCALERS.decode(wire(written)))).toEqual(wire(written));
        const capacities = [read, given].map(({ spec }) => spec.policy.counter?.maxCapacity);
        expect(capacities[0]).toBe(capacities[1]);
      }),
    );
  });
});
