import { expect, test } from "vitest";
import { featureGates } from "../agones/feature-gates.ts";
import { stored } from "../agones/gameserver.fixture.ts";
import { membersOf, titled } from "../meta/promise-row.ts";
import { allocated, unallocated } from "./answer.ts";
import { applyAllocation } from "./apply.ts";
import { answers, effects } from "./effects.promises.ts";
import type { GameServerAllocation } from "./gameserverallocation.ts";

const now = Date.UTC(2030, 0, 1, 12, 0, 0, 123);
const server = Object.freeze(
  stored(
    {
      state: "Ready",
      address: "203.0.113.7",
      ports: [{ name: "play", port: 7012 }],
      nodeName: "node-a",
      counters: { rooms: { count: 4n, capacity: 10n } },
      lists: { players: { capacity: 3n, values: ["ann", "bo"] } },
    },
    { labels: { mode: "ranked" }, annotations: { owner: "x" } },
  ),
);

test.each(titled(effects))("%s: %s", (_section, _name, { spec, gates, shows, errors = [] }) => {
  const outcome = applyAllocation(server, spec, now, featureGates(gates));
  expect(membersOf(outcome.gameServer, shows)).toEqual(shows);
  expect([...outcome.errors.counters, ...outcome.errors.lists]).toEqual(errors);
  expect(server.status?.state).toBe("Ready");
});

test.each(titled(answers))("the answer: %s: %s", (_section, _name, { gates: given, state, shows }) => {
  const gates = featureGates(given);
  const request: GameServerAllocation = {
    apiVersion: "allocation.agones.dev/v1",
    kind: "GameServerAllocation",
    metadata: { namespace: "games" },
    spec: { scheduling: "Packed" },
  };
  const { gameServer } = applyAllocation(server, {}, now, gates);
  const answer = state ? unallocated(request, state) : allocated(request, gameServer, gates);
  expect(membersOf(answer, shows)).toEqual(shows);
});
