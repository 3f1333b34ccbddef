import { describe, expect, test } from "vitest";
import type { FieldError } from "../meta/field.ts";
import { titled } from "../meta/promise-row.ts";
import { defaultFleet, defaultGameServer } from "./defaults.ts";
import { featureGates } from "./feature-gates.ts";
import { fleet, gameServerSet, manifest } from "./gameserver.fixture.ts";
import { gameServers } from "./validate.promises.ts";
import { fleets, sets, templates } from "./validate-fleet.promises.ts";
import { validateFleet } from "./validate-fleet.ts";
import { validateGameServer } from "./validate-gameserver.ts";
import { validateGameServerSet, validateGameServerSetUpdate } from "./validate-gameserverset.ts";

const told = (faults: readonly FieldError[]) => faults.map(({ field, body }) => `${field}: ${body}`);
const named = (name64: boolean | undefined) => (name64 ? { name: "n".repeat(64) } : {});

test.each(titled(gameServers))("a GameServer at creation: %s: %s", (_section, _name, { given, gates, faults }) => {
  const all = featureGates(gates);
  const found = validateGameServer(defaultGameServer(given, { gates: all, version: "1" }), all);
  expect(found.map(({ field, reason, body }) => `${reason.replace("FieldValue", "")} ${field}: ${body}`)).toEqual(
    faults,
  );
});

describe("a template", () => {
  test.each(titled(templates))("%s: %s", (_section, _name, { metadata, spec, gates, faults }) => {
    const all = featureGates(gates);
    const template = { ...(metadata && { metadata }), spec: manifest(spec).spec };
    expect(told(validateFleet(defaultFleet(fleet({ template }), "1"), all)), "of a Fleet").toEqual(faults);
    expect(told(validateGameServerSet(gameServerSet({ template }), all)), "of a set").toEqual(faults);
  });
});

test.each(titled(fleets))("a Fleet: %s: %s", (_section, _name, { spec, name64, gates, asWritten, faults }) => {
  const given = fleet(spec, named(name64));
  expect(told(validateFleet(asWritten ? given : defaultFleet(given, "1"), featureGates(gates)))).toEqual(faults);
});

test.each(titled(sets))("a GameServerSet: %s: %s", (_section, _name, { spec, name64, gates, before, faults }) => {
  const given = gameServerSet(spec, named(name64));
  const found = before
    ? validateGameServerSetUpdate(gameServerSet(before), given)
    : validateGameServerSet(given, featureGates(gates));
  expect(told(found)).toEqual(faults);
});
