/** What a Fleet's set and a set's server are made of. */
import type { Members, PromiseRow } from "../meta/promise-row.ts";
import type { FeatureGates } from "./feature-gates.ts";
import type { FleetSpec, GameServerSetSpec } from "./fleet.ts";
import { manifest } from "./gameserver.fixture.ts";

interface ServerPromise extends PromiseRow {
  readonly set?: Partial<GameServerSetSpec>;
  /** Of a set called `duel-abc`. */
  readonly labels?: Readonly<Record<string, string>>;
  readonly given?: string;
  /** Of its server. */
  readonly shows: Members;
}

export const template = {
  metadata: {
    name: "x",
    uid: "x",
    resourceVersion: "1",
    labels: { mode: "ranked" },
    annotations: { cost: "42" },
    finalizers: ["a/b"],
  },
  spec: manifest({ scheduling: "Packed", counters: { rooms: { capacity: 12n } } }).spec,
};
const owned = { apiVersion: "agones.dev/v1", controller: true, blockOwnerDeletion: true };
const stays = {
  "metadata.annotations": template.metadata.annotations,
  "metadata.finalizers": template.metadata.finalizers,
  "metadata.uid": undefined,
  "metadata.resourceVersion": undefined,
};

export const servers: readonly ServerPromise[] = [
  {
    section: "6",
    name: "a server is the template without its identity, to be named after the set",
    shows: {
      kind: "GameServer",
      "metadata.name": undefined,
      "metadata.generateName": "duel-abc-",
      "metadata.namespace": "games",
      ...stays,
      "spec.counters": template.spec.counters,
      "spec.template": template.spec.template,
    },
  },
  {
    section: "6",
    name: "a server may be named",
    given: "duel-abc-x2x4z",
    shows: { "metadata.name": "duel-abc-x2x4z" },
  },
  {
    section: "6",
    name: "a server is owned by its set",
    shows: { "metadata.ownerReferences": [{ ...owned, kind: "GameServerSet", name: "duel-abc", uid: "u-set" }] },
  },
  {
    section: "11.1",
    name: "a server has the labels of its set and of its Fleet",
    labels: { "agones.dev/fleet": "duel", other: "stays behind" },
    shows: {
      "metadata.labels": { mode: "ranked", "agones.dev/gameserverset": "duel-abc", "agones.dev/fleet": "duel" },
    },
  },
  {
    section: "11.1",
    name: "a server of a set on its own has an empty label for the Fleet",
    shows: { "metadata.labels": { mode: "ranked", "agones.dev/gameserverset": "duel-abc", "agones.dev/fleet": "" } },
  },
  {
    section: "6",
    name: "a server's scheduling is the set's",
    set: { scheduling: "Distributed" },
    shows: { "spec.scheduling": "Distributed" },
  },
  {
    section: "6",
    name: "without the set's scheduling a server has its own default, not the template's",
    shows: { "spec.scheduling": undefined },
  },
];

interface SetPromise extends PromiseRow {
  readonly fleet?: Partial<FleetSpec>;
  readonly gates?: Partial<FeatureGates>;
  /** Of the set of a Fleet called `duel`, with 3 servers. */
  readonly shows: Members;
}

const priorities = [{ type: "Counter", key: "rooms", order: "Ascending" }] as const;
const allocationOverflow = { labels: { drain: "yes" } };

export const sets: readonly SetPromise[] = [
  {
    section: "7",
    name: "a set has the template and its marks, and is to be named after the Fleet",
    shows: {
      kind: "GameServerSet",
      "metadata.generateName": "duel-",
      "metadata.namespace": "games",
      ...stays,
      "spec.replicas": 3,
      "spec.template": template,
    },
  },
  {
    section: "7",
    name: "a set is owned by its Fleet",
    shows: { "metadata.ownerReferences": [{ ...owned, kind: "Fleet", name: "duel", uid: "u-fleet" }] },
  },
  {
    section: "11.1",
    name: "a set has the label of its Fleet",
    shows: { "metadata.labels": { mode: "ranked", "agones.dev/fleet": "duel" } },
  },
  {
    section: "7",
    name: "scheduling, overflow and priorities are handed down",
    fleet: { scheduling: "Distributed", priorities, allocationOverflow },
    shows: {
      "spec.scheduling": "Distributed",
      "spec.priorities": priorities,
      "spec.allocationOverflow": allocationOverflow,
    },
  },
  {
    section: "7",
    name: "priorities are not handed down without their gate",
    fleet: { priorities },
    gates: { CountsAndLists: false },
    shows: { "spec.priorities": undefined },
  },
];
