import { expect, test } from "vitest";
import { membersOf, titled } from "../meta/promise-row.ts";
import { servers, sets, template } from "./children.promises.ts";
import { gameServerFromSet, gameServerSetFromFleet } from "./children.ts";
import { featureGates } from "./feature-gates.ts";
import { fleet, gameServerSet } from "./gameserver.fixture.ts";

test.each(titled(servers))("%s: %s", (_section, _name, { set, labels, given, shows }) => {
  const made = gameServerFromSet(gameServerSet({ template, ...set }, { labels }), given);
  expect(membersOf(made, shows)).toEqual(shows);
});

test.each(titled(sets))("%s: %s", (_section, _name, { fleet: spec, gates, shows }) => {
  const made = gameServerSetFromFleet(fleet({ template, ...spec }), { replicas: 3, gates: featureGates(gates) });
  expect(membersOf(made, shows)).toEqual(shows);
  // The very same object: a template is large, and compared often.
  expect(made.spec.template).toBe(template);
});
