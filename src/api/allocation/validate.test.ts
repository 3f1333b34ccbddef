import { describe, expect, test } from "vitest";
import { featureGates } from "../agones/feature-gates.ts";
import { convertSelectors, defaultAllocation } from "./defaults.ts";
import type { GameServerAllocation, GameServerAllocationSpec, GameServerSelector } from "./gameserverallocation.ts";
import { validateAllocation } from "./validate.ts";

const gates = featureGates();
const off = featureGates({ CountsAndLists: false });
const players = featureGates({ PlayerAllocationFilter: true });
const request = (spec?: GameServerAllocationSpec): GameServerAllocation => ({
  apiVersion: "allocation.agones.dev/v1",
  kind: "GameServerAllocation",
  metadata: {},
  ...(spec && { spec }),
});
const defaulted = (spec?: GameServerAllocationSpec, on = gates) => defaultAllocation(request(spec), on).spec;
const faults = (spec: GameServerAllocationSpec, on = gates) =>
  validateAllocation(defaultAllocation(request(spec), on), on).map(({ field, body }) => `${field}: ${body}`);
const any = (text: string) => text as "Packed" & "Counter" & "Ascending";

describe("what a request leaves unsaid", () => {
  test("is Packed, any Ready server", () => {
    expect(defaulted()).toEqual({
      multiClusterSetting: { policySelector: {} },
      required: { gameServerState: "Ready" },
      scheduling: "Packed",
      metadata: {},
    });
  });

  test("is filled in selectors, where there are any, and only there", () => {
    const spec = { required: {}, preferred: [{}], selectors: [{}, { gameServerState: "Allocated" }] };
    expect(defaulted(spec)).toMatchObject({
      required: {},
      preferred: [{}],
      selectors: [{ gameServerState: "Ready" }, { gameServerState: "Allocated" }],
    });
    expect(defaulted({ ...spec, selectors: [] })).toMatchObject({
      required: { gameServerState: "Ready" },
      preferred: [{ gameServerState: "Ready" }],
    });
  });

  test("of priorities is the order, of selectors players while the gate is on", () => {
    expect(defaulted({ priorities: [{ type: "List", key: "a" }] })?.priorities).toEqual([
      { type: "List", key: "a", order: "Ascending" },
    ]);
    expect(defaulted({ selectors: [{}] }, players)?.selectors).toEqual([{ gameServerState: "Ready", players: {} }]);
  });

  test("stays the same when filled in again, and an earlier answer's status is dropped", () => {
    const spec = {
      priorities: [{}],
      preferred: [{ gameServerState: "Allocated" }],
      scheduling: "Distributed",
    } as const;
    const once = defaultAllocation(
      { ...request(spec), status: { state: "Allocated", gameServerName: "old", source: "local" } },
      players,
    );
    expect(once).not.toHaveProperty("status");
    expect(defaultAllocation(once, players)).toEqual(once);
  });
});

describe("the older form", () => {
  test("becomes selectors, preferred first and required last", () => {
    const [first, second, last] = [
      { matchLabels: { a: "1" } },
      { matchLabels: { a: "2" } },
      { matchLabels: { a: "3" } },
    ];
    const converted = convertSelectors(request({ preferred: [first, second], required: last }));
    expect(converted.spec).toEqual({ preferred: [first, second], required: last, selectors: [first, second, last] });
    expect(convertSelectors(request()).spec?.selectors).toEqual([{}]);
  });

  test("is ignored where selectors are given", () => {
    const given = request({ selectors: [{}], required: { matchLabels: { a: "1" } } });
    expect(convertSelectors(given)).toBe(given);
  });
});

describe("a request", () => {
  test("in its fullest form is valid", () => {
    const full: GameServerAllocationSpec = {
      multiClusterSetting: { enabled: false, policySelector: { matchLabels: { region: "north" } } },
      scheduling: "Distributed",
      selectors: [
        {
          matchLabels: { "agones.dev/fleet": "duel-full" },
          gameServerState: "Allocated",
          counters: { rooms: { minAvailable: 1n, maxCount: 10n } },
          lists: { roster: { minAvailable: 2n, containsValue: "ann" } },
        },
        { matchExpressions: [{ key: "mode", operator: "NotIn", values: ["casual"] }], gameServerState: "Ready" },
      ],
      priorities: [{ type: "List", key: "roster" }],
      metadata: { labels: { match: "m-77" }, annotations: { map: "harbour" } },
      counters: { rooms: { action: "Increment", amount: 1n, capacity: 15n } },
      lists: { roster: { addValues: ["cy"], deleteValues: ["bo"], capacity: 6000n } },
    };
    expect(faults(full)).toEqual([]);
    expect(faults({ counters: { rooms: { action: "Double", amount: 1n } } })).toEqual([]);
  });

  const negative = "must be greater than or equal to 0";
  const selector = (selector: GameServerSelector) => ({ selectors: [selector] });
  const rows: readonly [
    what: string,
    spec: GameServerAllocationSpec,
    expected: readonly string[],
    gates?: typeof off,
  ][] = [
    [
      "scheduling",
      { scheduling: any("wrong") },
      ['spec.scheduling: Unsupported value: "wrong": supported values: "Packed", "Distributed"'],
    ],
    [
      "labels",
      selector({ matchExpressions: [{ key: "a", operator: "Like" }] }),
      [
        'spec.selectors[0].labelSelector: Invalid value: {"matchExpressions":[{"key":"a","operator":"Like"}]}: ' +
          'Error converting label selector: "Like" is not a valid label selector operator',
      ],
    ],
    [
      "state",
      { required: { gameServerState: "Shutdown" } },
      ['spec.required.gameServerState: Invalid value: "Shutdown": GameServerState must be either Allocated or Ready'],
    ],
    [
      "ignored selectors too",
      { selectors: [{}], preferred: [{ gameServerState: "" }] },
      ['spec.preferred[0].gameServerState: Invalid value: "": GameServerState must be either Allocated or Ready'],
    ],
    [
      "players",
      selector({ players: { minAvailable: -1n, maxAvailable: -2n } }),
      [
        `spec.selectors[0].players.minAvailable: Invalid value: -1: ${negative}`,
        `spec.selectors[0].players.maxAvailable: Invalid value: -2: ${negative}`,
        "spec.selectors[0].players.minAvailable: Invalid value: -1: minAvailable cannot be greater than maxAvailable",
      ],
      players,
    ],
    [
      "players without a maximum",
      selector({ players: { minAvailable: 1n } }),
      ["spec.selectors[0].players.minAvailable: Invalid value: 1: minAvailable cannot be greater than maxAvailable"],
      players,
    ],
    [
      "gated selectors",
      selector({ counters: {}, lists: {} }),
      [
        "spec.selectors[0].counters: Forbidden: Feature CountsAndLists must be enabled",
        "spec.selectors[0].lists: Forbidden: Feature CountsAndLists must be enabled",
      ],
      off,
    ],
    [
      "counter bounds",
      selector({ counters: { k: { minCount: -1n, maxCount: -1n, minAvailable: -1n, maxAvailable: -2n } } }),
      [
        `spec.selectors[0].counters[k].minCount: Invalid value: -1: ${negative}`,
        `spec.selectors[0].counters[k].maxCount: Invalid value: -1: ${negative}`,
        `spec.selectors[0].counters[k].minAvailable: Invalid value: -1: ${negative}`,
        `spec.selectors[0].counters[k].maxAvailable: Invalid value: -2: ${negative}`,
        "spec.selectors[0].counters[k]: Invalid value: -2: maxAvailable must zero or greater than minAvailable -1",
      ],
    ],
    [
      "counter maxima",
      selector({ counters: { k: { minCount: 5n, maxCount: 4n, minAvailable: 3n, maxAvailable: 2n } } }),
      [
        "spec.selectors[0].counters[k]: Invalid value: 4: maxCount must zero or greater than minCount 5",
        "spec.selectors[0].counters[k]: Invalid value: 2: maxAvailable must zero or greater than minAvailable 3",
      ],
    ],
    [
      "list bounds",
      selector({ lists: { k: { minAvailable: 3n, maxAvailable: 2n } } }),
      ["spec.selectors[0].lists[k]: Invalid value: 2: maxAvailable must zero or greater than minAvailable 3"],
    ],
    [
      "gated members",
      { priorities: [], counters: {}, lists: {} },
      [
        "spec.priorities: Forbidden: Feature CountsAndLists must be enabled if Priorities is specified",
        "spec.counters: Forbidden: Feature CountsAndLists must be enabled if Counters is specified",
        "spec.lists: Forbidden: Feature CountsAndLists must be enabled if Lists is specified",
      ],
      off,
    ],
    [
      "priorities",
      { priorities: [{ type: any("Player"), order: any("Up") }] },
      [
        'spec.priorities[0]: Invalid value: "Player": type must be "Counter" or "List"',
        'spec.priorities[0]: Invalid value: "Player": key must not be nil',
        'spec.priorities[0]: Invalid value: "Up": order must be "Ascending" or "Descending"',
      ],
    ],
    [
      "counter actions",
      { counters: { k: { amount: -1n, capacity: -2n } } },
      [
        `spec.counters[k].amount: Invalid value: -1: ${negative}`,
        `spec.counters[k].capacity: Invalid value: -2: ${negative}`,
        'spec.counters[k]: Invalid value: null: action must be "Increment" or "Decrement" if the amount is not nil',
      ],
    ],
    [
      "counter amount",
      { counters: { k: { action: "Increment" } } },
      ["spec.counters[k]: Invalid value: null: amount must not be nil if action is not nil"],
    ],
    ["list capacity", { lists: { k: { capacity: -1n } } }, [`spec.lists[k].capacity: Invalid value: -1: ${negative}`]],
    [
      "metadata",
      { metadata: { labels: { $$$$$$$: "v" }, annotations: { $$$$$$$: "v" } } },
      [
        expect.stringMatching(/^spec\.metadata\.labels: Invalid value: "\$\$\$\$\$\$\$": name part must consist of/),
        expect.stringMatching(
          /^spec\.metadata\.annotations: Invalid value: "\$\$\$\$\$\$\$": name part must consist of/,
        ),
      ],
    ],
  ];
  test.each(rows)("is refused for its %s", (...[, spec, expected, on]: (typeof rows)[number]) => {
    expect(faults(spec, on)).toEqual(expected);
  });
});
