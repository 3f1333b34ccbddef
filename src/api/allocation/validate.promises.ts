/** What is refused of a request for a server, and what is not: every rule with its path and text. */
import type { FeatureGates } from "../agones/feature-gates.ts";
import type { PromiseRow } from "../meta/promise-row.ts";
import type { GameServerAllocationSpec, GameServerSelector } from "./gameserverallocation.ts";

interface ValidationPromise extends PromiseRow {
  readonly spec: GameServerAllocationSpec;
  readonly gates?: Partial<FeatureGates>;
  /** `<path>: <body>` of each fault, in order; none: it is valid. */
  readonly faults: readonly string[];
}

const row = (
  name: string,
  spec: GameServerAllocationSpec,
  faults: readonly string[] = [],
  gates?: Partial<FeatureGates>,
): ValidationPromise => ({ section: "9.5", name, spec, faults, gates });

const off = { CountsAndLists: false };
const players = { PlayerAllocationFilter: true };
const any = (text: string) => text as "Packed" & "Counter" & "Ascending";
const negative = "must be greater than or equal to 0";
const selector = (selector: GameServerSelector) => ({ selectors: [selector] });

export const refusals: readonly ValidationPromise[] = [
  row("scheduling", { scheduling: any("wrong") }, [
    'spec.scheduling: Unsupported value: "wrong": supported values: "Packed", "Distributed"',
  ]),
  row("labels", selector({ matchExpressions: [{ key: "a", operator: "Like" }] }), [
    'spec.selectors[0].labelSelector: Invalid value: {"matchExpressions":[{"key":"a","operator":"Like"}]}: ' +
      'Error converting label selector: "Like" is not a valid label selector operator',
  ]),
  row("state", { required: { gameServerState: "Shutdown" } }, [
    'spec.required.gameServerState: Invalid value: "Shutdown": GameServerState must be either Allocated or Ready',
  ]),
  row("ignored selectors too", { selectors: [{}], preferred: [{ gameServerState: "" }] }, [
    'spec.preferred[0].gameServerState: Invalid value: "": GameServerState must be either Allocated or Ready',
  ]),
  row(
    "players",
    selector({ players: { minAvailable: -1n, maxAvailable: -2n } }),
    [
      `spec.selectors[0].players.minAvailable: Invalid value: -1: ${negative}`,
      `spec.selectors[0].players.maxAvailable: Invalid value: -2: ${negative}`,
      "spec.selectors[0].players.minAvailable: Invalid value: -1: minAvailable cannot be greater than maxAvailable",
    ],
    players,
  ),
  row(
    "players without a maximum",
    selector({ players: { minAvailable: 1n } }),
    ["spec.selectors[0].players.minAvailable: Invalid value: 1: minAvailable cannot be greater than maxAvailable"],
    players,
  ),
  row(
    "gated selectors",
    selector({ counters: {}, lists: {} }),
    [
      "spec.selectors[0].counters: Forbidden: Feature CountsAndLists must be enabled",
      "spec.selectors[0].lists: Forbidden: Feature CountsAndLists must be enabled",
    ],
    off,
  ),
  row(
    "counter bounds",
    selector({ counters: { k: { minCount: -1n, maxCount: -1n, minAvailable: -1n, maxAvailable: -2n } } }),
    [
      `spec.selectors[0].counters[k].minCount: Invalid value: -1: ${negative}`,
      `spec.selectors[0].counters[k].maxCount: Invalid value: -1: ${negative}`,
      `spec.selectors[0].counters[k].minAvailable: Invalid value: -1: ${negative}`,
      `spec.selectors[0].counters[k].maxAvailable: Invalid value: -2: ${negative}`,
      "spec.selectors[0].counters[k]: Invalid value: -2: maxAvailable must zero or greater than minAvailable -1",
    ],
  ),
  row(
    "counter maxima",
    selector({ counters: { k: { minCount: 5n, maxCount: 4n, minAvailable: 3n, maxAvailable: 2n } } }),
    [
      "spec.selectors[0].counters[k]: Invalid value: 4: maxCount must zero or greater than minCount 5",
      "spec.selectors[0].counters[k]: Invalid value: 2: maxAvailable must zero or greater than minAvailable 3",
    ],
  ),
  row(
    "negative maxima without minima",
    selector({ counters: { k: { maxCount: -1n } }, lists: { k: { maxAvailable: -1n } } }),
    [
      `spec.selectors[0].counters[k].maxCount: Invalid value: -1: ${negative}`,
      "spec.selectors[0].counters[k]: Invalid value: -1: maxCount must zero or greater than minCount 0",
      `spec.selectors[0].lists[k].maxAvailable: Invalid value: -1: ${negative}`,
      "spec.selectors[0].lists[k]: Invalid value: -1: maxAvailable must zero or greater than minAvailable 0",
    ],
  ),
  row("markup in a value", selector({ matchLabels: { "<a>": "b" } }), [
    'spec.selectors[0].labelSelector: Invalid value: {"matchLabels":{"\\u003ca\\u003e":"b"}}: Error converting label selector: ' +
      "key: Invalid value: \"<a>\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with " +
      "an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
  ]),
  row("list bounds", selector({ lists: { k: { minAvailable: 3n, maxAvailable: 2n } } }), [
    "spec.selectors[0].lists[k]: Invalid value: 2: maxAvailable must zero or greater than minAvailable 3",
  ]),
  row(
    "gated members",
    { priorities: [], counters: {}, lists: {} },
    [
      "spec.priorities: Forbidden: Feature CountsAndLists must be enabled if Priorities is specified",
      "spec.counters: Forbidden: Feature CountsAndLists must be enabled if Counters is specified",
      "spec.lists: Forbidden: Feature CountsAndLists must be enabled if Lists is specified",
    ],
    off,
  ),
  row("priorities", { priorities: [{ type: any("Player"), order: any("Up") }] }, [
    'spec.priorities[0]: Invalid value: "Player": type must be "Counter" or "List"',
    'spec.priorities[0]: Invalid value: "Player": key must not be nil',
    'spec.priorities[0]: Invalid value: "Up": order must be "Ascending" or "Descending"',
  ]),
  row("counter actions", { counters: { k: { amount: -1n, capacity: -2n } } }, [
    `spec.counters[k].amount: Invalid value: -1: ${negative}`,
    `spec.counters[k].capacity: Invalid value: -2: ${negative}`,
    'spec.counters[k]: Invalid value: null: action must be "Increment" or "Decrement" if the amount is not nil',
  ]),
  row("counter amount", { counters: { k: { action: "Increment" } } }, [
    "spec.counters[k]: Invalid value: null: amount must not be nil if action is not nil",
  ]),
  row("list capacity", { lists: { k: { capacity: -1n } } }, [`spec.lists[k].capacity: Invalid value: -1: ${negative}`]),
  row("a label's value", { metadata: { labels: { match: "y".repeat(64) } } }, [
    `spec.metadata.labels: Invalid value: "${"y".repeat(64)}": must be no more than 63 characters`,
  ]),
  row("annotations of more than 256 KiB", { metadata: { annotations: { big: "b".repeat(256 * 1024) } } }, [
    "spec.metadata.annotations: Too long: may not be more than 262144 bytes",
  ]),
];

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
  lists: { roster: { addValues: ["cy"], deleteValues: ["bo"], capacity: 6n } },
};

export const accepted: readonly ValidationPromise[] = [
  row("nothing said", {}),
  row("the fullest form", full),
  row("an unknown action, which fails when it is done", { counters: { rooms: { action: "Double", amount: 1n } } }),
  row("a list's capacity above 1000, which fails when it is set", { lists: { roster: { capacity: 6000n } } }),
  row("a maximum of 0 below a minimum", selector({ counters: { k: { minCount: 5n, minAvailable: 5n } } })),
  row("a selector for players without their gate", selector({ players: { minAvailable: -1n } })),
  {
    ...row("a selection of policies, whatever it says", { multiClusterSetting: { enabled: true, policySelector: {} } }),
    section: "9.8",
  },
];
