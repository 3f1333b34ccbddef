import { describe, expect, test } from "vitest";
import { featureGates } from "../agones/feature-gates.ts";
import { stored } from "../agones/gameserver.fixture.ts";
import { SelectorError } from "../meta/label-selector.ts";
import type { GameServerSelector } from "./gameserverallocation.ts";
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
const withPlayers = featureGates({ PlayerAllocationFilter: true });
const without = featureGates({ CountsAndLists: false });

describe("a selector", () => {
  const rows: readonly [what: string, selector: GameServerSelector, expected: boolean, gates?: typeof without][] = [
    ["empty takes everything", {}, true],
    ["label equal", { matchLabels: { mode: "ranked" } }, true],
    ["label other", { matchLabels: { mode: "casual" } }, false],
    ["expression", { matchExpressions: [{ key: "mode", operator: "NotIn", values: ["casual"] }] }, true],
    ["state equal", { gameServerState: "Ready" }, true],
    ["state other", { gameServerState: "Allocated" }, false],
    ["counter must exist", { counters: { kills: {} } }, false],
    ["counter that exists", { counters: { rooms: {} } }, true],
    ["inherited names are no counters", { counters: { toString: {} } }, false],
    ["counter minAvailable reached", { counters: { rooms: { minAvailable: 6n } } }, true],
    ["counter minAvailable missed", { counters: { rooms: { minAvailable: 7n } } }, false],
    ["counter maxAvailable reached", { counters: { rooms: { maxAvailable: 6n } } }, true],
    ["counter maxAvailable exceeded", { counters: { rooms: { maxAvailable: 5n } } }, false],
    ["counter minCount missed", { counters: { rooms: { minCount: 5n } } }, false],
    ["counter maxCount exceeded", { counters: { rooms: { maxCount: 3n } } }, false],
    ["a maximum of zero is none", { counters: { rooms: { maxCount: 0n, maxAvailable: 0n } } }, true],
    ["list must exist", { lists: { bans: {} } }, false],
    ["list minAvailable reached", { lists: { players: { minAvailable: 3n } } }, true],
    ["list minAvailable missed", { lists: { players: { minAvailable: 4n } } }, false],
    ["list maxAvailable exceeded", { lists: { players: { maxAvailable: 2n } } }, false],
    ["list contains", { lists: { players: { containsValue: "ann" } } }, true],
    ["list lacks", { lists: { players: { containsValue: "cy" } } }, false],
    ["an empty value is any", { lists: { players: { containsValue: "" } } }, true],
    [
      "counters are not looked at while the gate is off",
      { counters: { kills: {} }, lists: { bans: {} } },
      true,
      without,
    ],
    ["players within", { players: { minAvailable: 7n, maxAvailable: 7n } }, true, withPlayers],
    ["players too few free", { players: { minAvailable: 8n, maxAvailable: 9n } }, false, withPlayers],
    ["players without a maximum are not looked at", { players: { minAvailable: 8n } }, true, withPlayers],
    ["players while the gate is off", { players: { minAvailable: 8n, maxAvailable: 9n } }, true],
  ];
  test.each(rows)("%s", (...[, selector, expected, gates = featureGates()]: (typeof rows)[number]) => {
    expect(matches(selector, server, gates)).toBe(expected);
  });

  test("players are not looked at on a server that does not track them", () => {
    expect(matches({ players: { minAvailable: 8n, maxAvailable: 9n } }, stored(), withPlayers)).toBe(true);
  });

  test("with labels that validation would refuse throws", () => {
    expect(() => matches({ matchExpressions: [{ key: "a", operator: "Like" }] }, server, featureGates())).toThrow(
      SelectorError,
    );
  });
});
