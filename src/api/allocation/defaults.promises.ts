/** What a request for a server is completed with, and what its older form means. */
import type { FeatureGates } from "../agones/feature-gates.ts";
import type { PromiseRow } from "../meta/promise-row.ts";
import type { GameServerAllocationSpec } from "./gameserverallocation.ts";

interface DefaultsPromise extends PromiseRow {
  readonly spec?: GameServerAllocationSpec;
  readonly gates?: Partial<FeatureGates>;
  readonly becomes: GameServerAllocationSpec;
}

const ready = { gameServerState: "Ready" };
/** What every request is completed with. */
const always = { multiClusterSetting: { policySelector: {} }, scheduling: "Packed", metadata: {} } as const;

export const defaults: readonly DefaultsPromise[] = [
  { section: "9.4", name: "nothing said is any Ready server, Packed", becomes: { ...always, required: ready } },
  {
    section: "9.4",
    name: "selectors are Ready, and the older fields beside them are left alone",
    spec: { required: {}, preferred: [{}], selectors: [{}, { gameServerState: "Allocated" }] },
    becomes: { ...always, required: {}, preferred: [{}], selectors: [ready, { gameServerState: "Allocated" }] },
  },
  {
    section: "9.4",
    name: "without selectors the older fields are Ready",
    spec: { required: {}, preferred: [{}, { gameServerState: "Allocated" }], selectors: [] },
    becomes: { ...always, required: ready, preferred: [ready, { gameServerState: "Allocated" }], selectors: [] },
  },
  {
    section: "9.4",
    name: "a state that is empty is kept, to be refused",
    spec: { selectors: [{ gameServerState: "" }] },
    becomes: { ...always, required: {}, selectors: [{ gameServerState: "" }] },
  },
  {
    section: "9.4",
    name: "priorities are Ascending",
    spec: {
      priorities: [
        { type: "List", key: "a" },
        { type: "Counter", key: "b", order: "Descending" },
      ],
    },
    becomes: {
      ...always,
      required: ready,
      priorities: [
        { type: "List", key: "a", order: "Ascending" },
        { type: "Counter", key: "b", order: "Descending" },
      ],
    },
  },
  {
    section: "9.4",
    name: "scheduling that is set stays",
    spec: { scheduling: "Distributed" },
    becomes: { ...always, required: ready, scheduling: "Distributed" },
  },
  {
    section: "9.4",
    name: "with their gate selectors have players",
    spec: { selectors: [{}] },
    gates: { PlayerAllocationFilter: true },
    becomes: { ...always, required: {}, selectors: [{ ...ready, players: {} }] },
  },
];

interface OlderPromise extends PromiseRow {
  readonly spec: GameServerAllocationSpec;
  /** What the servers are looked for by, in this order. */
  readonly selectors: GameServerAllocationSpec["selectors"];
}

const [first, second, last] = ["1", "2", "3"].map((canary) => ({ matchLabels: { canary } })) as [
  object,
  object,
  object,
];

export const olderForms: readonly OlderPromise[] = [
  {
    section: "9.6",
    name: "preferred ones come first, the required one last",
    spec: { preferred: [first, second], required: last },
    selectors: [first, second, last],
  },
  { section: "9.6", name: "none of them is any server", spec: {}, selectors: [{}] },
  { section: "9.6", name: "preferred ones alone may be missed", spec: { preferred: [first] }, selectors: [first, {}] },
  {
    section: "9.6",
    name: "selectors go before them",
    spec: { selectors: [first], required: last },
    selectors: [first],
  },
];
