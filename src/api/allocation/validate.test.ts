import { describe, expect, test } from "vitest";
import { featureGates } from "../agones/feature-gates.ts";
import { titled } from "../meta/promise-row.ts";
import { defaults, olderForms } from "./defaults.promises.ts";
import { convertSelectors, defaultAllocation } from "./defaults.ts";
import type { GameServerAllocation, GameServerAllocationSpec } from "./gameserverallocation.ts";
import { accepted, refusals } from "./validate.promises.ts";
import { validateAllocation } from "./validate.ts";

const request = (spec?: GameServerAllocationSpec): GameServerAllocation => ({
  apiVersion: "allocation.agones.dev/v1",
  kind: "GameServerAllocation",
  metadata: {},
  ...(spec && { spec }),
});

describe("a request is completed", () => {
  test.each(titled(defaults))("%s: %s", (_section, _name, { spec, gates, becomes }) => {
    const all = featureGates(gates);
    const once = defaultAllocation(request(spec), all);
    expect(once.spec).toEqual(becomes);
    expect(defaultAllocation(once, all)).toEqual(once);
  });

  test("without the status of an earlier answer", () => {
    const answered = {
      ...request({}),
      status: { state: "Allocated", gameServerName: "old", source: "local" },
    } as const;
    expect(defaultAllocation(answered, featureGates())).not.toHaveProperty("status");
  });
});

describe("the older form", () => {
  test.each(titled(olderForms))("%s: %s", (_section, _name, { spec, selectors }) => {
    const given = request(spec);
    const converted = convertSelectors(given);
    expect(converted.spec).toEqual({ ...spec, selectors });
    if (spec.selectors) expect(converted).toBe(given);
  });
});

test.each(titled([...refusals, ...accepted]))("%s: %s", (_section, _name, { spec, gates, faults }) => {
  const all = featureGates(gates);
  const found = validateAllocation(defaultAllocation(request(spec), all), all);
  expect(found.map(({ field, body }) => `${field}: ${body}`)).toEqual(faults);
});
