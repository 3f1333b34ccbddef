/** What is refused of Fleets and GameServerSets besides the rules of their template's servers. */
import type { PromiseRow } from "../meta/promise-row.ts";
import type { FeatureGates } from "./feature-gates.ts";
import type { FleetSpec, GameServerSetSpec } from "./fleet.ts";
import { duel, manifest } from "./gameserver.fixture.ts";
import type { GameServerSpec } from "./gameserver.ts";

interface TemplatePromise extends PromiseRow {
  readonly metadata?: FleetSpec["template"]["metadata"];
  readonly spec?: Partial<GameServerSpec>;
  readonly gates?: Partial<FeatureGates>;
  /** `<path>: <body>` of each fault, the path below the object. */
  readonly faults: readonly string[];
}

const two = { spec: { containers: [duel, { name: "tail" }] } };
const off = { CountsAndLists: false };
const label = "y".repeat(64);

/** Held against a Fleet and against a GameServerSet. */
export const templates: readonly TemplatePromise[] = [
  { section: "6", name: "a template of one container", faults: [] },
  {
    section: "4.6.5",
    name: "a template's faults are told below it",
    spec: { template: two },
    faults: [
      "spec.template.spec.container: Required value: Container is required when using multiple containers in the pod template",
      'spec.template.spec.container: Invalid value: "": Could not find a container named ',
    ],
  },
  {
    section: "6",
    name: "a template is completed in memory before it is checked",
    spec: { ports: [{ containerPort: 7 }] },
    faults: [],
  },
  {
    section: "4.6.3",
    name: "a template's lists without their gate",
    spec: { lists: {} },
    gates: off,
    faults: ["spec.template.spec.lists: Forbidden: Value cannot be set unless feature flag CountsAndLists is enabled"],
  },
  {
    section: "4.7",
    name: "a template's dev-address is not looked at",
    metadata: { annotations: { "agones.dev/dev-address": "nowhere" } },
    faults: [],
  },
  {
    section: "3",
    name: "a label value of 64 characters on the servers, and one on their Pods, is refused with its field",
    metadata: { labels: { mode: label } },
    spec: { template: { metadata: { labels: { app: label } }, spec: { containers: [duel] } } },
    faults: [
      `spec.template.spec.template.metadata.labels: Invalid value: "${label}": must be no more than 63 characters`,
      `spec.template.metadata.labels: Invalid value: "${label}": must be no more than 63 characters`,
    ],
  },
];

interface FleetPromise extends PromiseRow {
  readonly spec: Partial<FleetSpec>;
  readonly name64?: boolean;
  readonly gates?: Partial<FeatureGates>;
  /** As an update leaves it: nothing is filled in. */
  readonly asWritten?: boolean;
  readonly faults: readonly string[];
}

const at = "spec.strategy.rollingUpdate";
const rolling = (rollingUpdate: object) => ({ strategy: { type: "RollingUpdate", rollingUpdate } }) as const;
const both = (share: number | string) => rolling({ maxSurge: share, maxUnavailable: share });
const PERCENT = "must be between 1% and 99%";
const TYPES = 'supported values: "RollingUpdate", "Recreate"';
const MISSING = "Required value: must be set when the strategy type is RollingUpdate";

export const fleets: readonly FleetPromise[] = [
  {
    section: "7",
    name: "a Fleet's name of 64 bytes",
    spec: {},
    name64: true,
    faults: ["metadata.name: Too long: may not be more than 63 bytes"],
  },
  ...["1%", "99%", "30", "%5%", 1, 100].map((share) => ({
    section: "7",
    name: `steps of ${JSON.stringify(share)}`,
    spec: both(share),
    faults: [],
  })),
  ...["0%", "100%", "", "1.5%", "many", "-5%"].map((share) => ({
    section: "7",
    name: `no steps: ${JSON.stringify(share)}`,
    spec: both(share),
    faults: [
      `${at}.maxUnavailable: Invalid value: ${JSON.stringify(share)}: ${PERCENT}`,
      `${at}.maxSurge: Invalid value: ${JSON.stringify(share)}: ${PERCENT}`,
    ],
  })),
  ...[0, -1].map((share) => ({
    section: "7",
    name: `no steps: ${share}`,
    spec: both(share),
    faults: [
      `${at}.maxUnavailable: Invalid value: ${share}: must be at least 1`,
      `${at}.maxSurge: Invalid value: ${share}: must be at least 1`,
    ],
  })),
  {
    section: "7",
    name: "a Fleet that is recreated has no steps to check",
    spec: { strategy: { type: "Recreate", rollingUpdate: { maxSurge: 0 } } },
    faults: [],
  },
  {
    section: "7",
    name: "an unknown strategy",
    spec: { strategy: { type: "Blue" as "Recreate" } },
    faults: [`spec.strategy.type: Unsupported value: "Blue": ${TYPES}`],
  },
  {
    section: "7",
    name: "an update without its strategy",
    spec: {},
    asWritten: true,
    faults: [`spec.strategy.type: Unsupported value: "": ${TYPES}`],
  },
  {
    section: "7",
    name: "an update without its steps",
    spec: { strategy: { type: "RollingUpdate" } },
    asWritten: true,
    faults: [`${at}: ${MISSING}`],
  },
  {
    section: "7",
    name: "an update without one of its steps",
    spec: rolling({ maxSurge: 1 }),
    asWritten: true,
    faults: [`${at}.maxUnavailable: ${MISSING}`],
  },
  {
    section: "7",
    name: "labels and annotations for servers beyond the size",
    spec: { allocationOverflow: { labels: { drain: label }, annotations: { "/": "" } } },
    faults: [
      `spec.allocationOverflow.labels: Invalid value: "${label}": must be no more than 63 characters`,
      'spec.allocationOverflow.annotations: Invalid value: "/": prefix part must be non-empty',
      'spec.allocationOverflow.annotations: Invalid value: "/": name part must be non-empty',
      `spec.allocationOverflow.annotations: Invalid value: "/": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
    ],
  },
  {
    section: "7",
    name: "faults of a Fleet in their order: strategy, servers, their labels, marks, priorities",
    spec: {
      strategy: { type: "Blue" as "Recreate" },
      priorities: [],
      template: { metadata: { labels: { mode: label } }, spec: manifest({ lists: {} }).spec },
      allocationOverflow: { labels: { drain: label } },
    },
    gates: off,
    faults: [
      `spec.strategy.type: Unsupported value: "Blue": ${TYPES}`,
      "spec.template.spec.lists: Forbidden: Value cannot be set unless feature flag CountsAndLists is enabled",
      `spec.template.metadata.labels: Invalid value: "${label}": must be no more than 63 characters`,
      `spec.allocationOverflow.labels: Invalid value: "${label}": must be no more than 63 characters`,
      "spec.priorities: Forbidden: FeatureCountsAndLists is not enabled",
    ],
  },
  {
    section: "7",
    name: "a Fleet's priorities without their gate, even none",
    spec: { priorities: [] },
    gates: off,
    faults: ["spec.priorities: Forbidden: FeatureCountsAndLists is not enabled"],
  },
];

interface SetPromise extends PromiseRow {
  readonly spec: Partial<GameServerSetSpec>;
  readonly name64?: boolean;
  readonly gates?: Partial<FeatureGates>;
  /** An update from it is meant. */
  readonly before?: Partial<GameServerSetSpec>;
  readonly faults: readonly string[];
}

const cpu = (cpu: string): GameServerSetSpec["template"] => ({
  spec: manifest({ template: { spec: { containers: [{ ...duel, resources: { limits: { cpu } } }] } } }).spec,
});
const shown = (cpu: string) =>
  `{"spec":{"template":{"spec":{"containers":[{"image":"registry.example.net/duel:3","name":"duel","resources":{"limits":{"cpu":"${cpu}"}}}]}}}}`;

export const sets: readonly SetPromise[] = [
  {
    section: "6",
    name: "a set's name of 64 bytes",
    spec: {},
    name64: true,
    faults: ["metadata.name: Too long: may not be more than 63 bytes"],
  },
  {
    section: "6",
    name: "a set's priorities without their gate, even none",
    spec: { priorities: [] },
    gates: off,
    faults: ["spec.priorities: Forbidden: FeatureCountsAndLists is not enabled"],
  },
  {
    section: "6",
    name: "faults of a set in their order: its servers, its priorities, the labels of its servers",
    spec: { priorities: [], template: { metadata: { labels: { mode: label } }, spec: manifest({ lists: {} }).spec } },
    gates: off,
    faults: [
      "spec.template.spec.lists: Forbidden: Value cannot be set unless feature flag CountsAndLists is enabled",
      "spec.priorities: Forbidden: FeatureCountsAndLists is not enabled",
      `spec.template.metadata.labels: Invalid value: "${label}": must be no more than 63 characters`,
    ],
  },
  {
    section: "6",
    name: "marks of a set for servers beyond its size are not checked",
    spec: { allocationOverflow: { labels: { drain: label } } },
    faults: [],
  },
  {
    section: "6",
    name: "an update of the template",
    before: { template: cpu("1") },
    spec: { template: cpu("2") },
    faults: [`spec.template: Invalid value: ${shown("2")}: GameServerSet template cannot be updated`],
  },
  {
    section: "6",
    name: "an update of all else, with the template written in another way",
    before: { template: cpu("1"), replicas: 1 },
    spec: { template: cpu("1000m"), replicas: 9, scheduling: "Distributed", priorities: [] },
    faults: [],
  },
  {
    section: "2.4",
    name: "a template is the same with nulls, empty members and the constant count",
    before: { template: cpu("1") },
    spec: {
      template: {
        metadata: { labels: {} },
        spec: { ...cpu("1").spec, ports: null, counters: {}, lists: null, immutableReplicas: 1 },
      },
    },
    faults: [],
  },
  {
    section: "6",
    name: "an update that leaves the gate's priorities in is not checked for them",
    before: { priorities: [] },
    spec: { priorities: [] },
    gates: off,
    faults: [],
  },
];
