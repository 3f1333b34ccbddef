import { describe, expect, test } from "vitest";
import { buildFleet, buildSet } from "../fixtures.ts";
import { decideSets } from "./decide-sets.ts";
import { setName } from "./set-name.ts";

const template = (image: string, cpu?: string) => ({
  spec: {
    template: { spec: { containers: [{ name: "game", image, ...(cpu && { resources: { limits: { cpu } } }) }] } },
  },
});
const made = (name: string, at: string, image: string, status = {}) =>
  buildSet(name, 1, status, {
    metadata: { name, uid: name, creationTimestamp: at },
    spec: { template: template(image) },
  });

describe("the sets of a fleet", () => {
  test("the set with the fleet's template is active, the others are not", () => {
    const fleet = buildFleet(1, { spec: { template: template("v2") } });
    const [old, current] = [made("a", "2030-01-01T00:00:00Z", "v1"), made("b", "2030-01-02T00:00:00Z", "v2")];
    const { active, inactive } = decideSets(fleet, [current, old], true);
    expect([active, inactive]).toEqual([current, [old]]);
  });

  test("a quantity written another way is the same template", () => {
    const fleet = buildFleet(1, { spec: { template: template("v1", "1000m") } });
    const set = buildSet("a", 1, {}, { spec: { template: template("v1", "1") } });
    expect(decideSets(fleet, [set], true).active).toBe(set);
  });

  test("of two sets with the fleet's template the older is active and the other is drained", () => {
    const fleet = buildFleet(1, { spec: { template: template("v1") } });
    const [older, younger] = [made("a", "2030-01-01T00:00:00Z", "v1"), made("b", "2030-01-02T00:00:00Z", "v1")];
    const { active, inactive } = decideSets(fleet, [younger, older], true);
    expect([active, inactive]).toEqual([older, [younger]]);
  });

  test("only an inactive set that wants none and has none left is removed", () => {
    const fleet = buildFleet(1, { spec: { template: template("v2") } });
    const zero = { replicas: 0, shutdownReplicas: 0 };
    const sets = [
      buildSet("empty", 0, zero),
      buildSet("wanted", 1, zero),
      buildSet("allocated", 0, { replicas: 1, allocatedReplicas: 1 }),
      buildSet("ending", 0, { replicas: 0, shutdownReplicas: 1 }),
      buildSet("unknown", 0),
    ];
    expect(decideSets(fleet, sets, true).remove.map(({ metadata }) => metadata.name)).toEqual(["empty"]);
  });
});

describe("setName", () => {
  test("is the same for the same template, another for another, and another after a collision", () => {
    const [one, two] = [
      buildFleet(1, { spec: { template: template("v1") } }),
      buildFleet(9, { spec: { template: template("v2") } }),
    ];
    expect(setName(one, 0)).toMatch(/^arena-[a-z0-9]{5}$/);
    expect(setName({ ...one, spec: { ...one.spec, replicas: 5 } }, 0)).toBe(setName(one, 0));
    expect(setName(two, 0)).not.toBe(setName(one, 0));
    expect(setName(one, 1)).not.toBe(setName(one, 0));
  });
});
