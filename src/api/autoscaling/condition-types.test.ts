import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { type ConditionReasons, FLEET_CONDITIONS, GAMESERVERSET_CONDITIONS } from "../agones/condition-types.ts";
import { FLEETAUTOSCALER_CONDITIONS } from "./condition-types.ts";

const page = readFileSync(new URL("../../../docs/reference/conditions.md", import.meta.url), "utf8");
const sections = new Map(
  page
    .split(/^## /m)
    .slice(1)
    .map((section) => [section.slice(0, section.indexOf("\n")), section]),
);

test("every kind with conditions has its section, and no other", () => {
  expect([...sections.keys()]).toEqual(["Fleet", "GameServerSet", "FleetAutoscaler"]);
});

const kinds: readonly (readonly [string, ConditionReasons])[] = [
  ["Fleet", FLEET_CONDITIONS],
  ["GameServerSet", GAMESERVERSET_CONDITIONS],
  ["FleetAutoscaler", FLEETAUTOSCALER_CONDITIONS],
];

test.each(kinds)("the page lists the conditions of a %s with their reasons, and no others", (kind, conditions) => {
  const rows = [...(sections.get(kind) ?? "").matchAll(/^\| `(\w+)` \| (?:True|False) \| `(\w+)` \|/gm)];
  const listed = rows.map(([, type, reason]) => `${type} ${reason}`);
  const known = Object.entries(conditions).flatMap(([type, reasons]) => reasons.map((reason) => `${type} ${reason}`));
  expect(listed.toSorted()).toEqual(known.toSorted());
});
