import { expect, test } from "vitest";
import { featureGates } from "../agones/feature-gates.ts";
import { stored } from "../agones/gameserver.fixture.ts";
import { SelectorError } from "../meta/label-selector.ts";
import { titled } from "../meta/promise-row.ts";
import { matching } from "./match.promises.ts";
import { matches } from "./match.ts";

const server = stored(
  {
    state: "Ready",
    players: { count: 3n, capacity: 10n },
    counters: { rooms: { count: 4n, capacity: 10n } },
    lists: { players: { capacity: 5n, values: ["ann", "bo"] } },
  },
  { labels: { mode: "ranked" } },
);

test.each(titled(matching))("%s: %s", (_section, _name, { selector, gates, matches: expected }) => {
  expect(matches(selector, server, featureGates(gates))).toBe(expected);
});

test("players are not looked at on a server that does not track them", () => {
  const gates = featureGates({ PlayerAllocationFilter: true });
  expect(matches({ players: { minAvailable: 8n, maxAvailable: 9n } }, stored(), gates)).toBe(true);
});

test("labels that validation would refuse cannot be matched", () => {
  const selector = { matchExpressions: [{ key: "a", operator: "Like" }] };
  expect(() => matches(selector, server, featureGates())).toThrow(SelectorError);
});
