import { describe, expect, test } from "vitest";
import type { GameServerSetStatus } from "#api/agones/fleet.ts";
import { buildFleet, buildSet } from "../fixtures.ts";
import { decideRollout } from "./decide-rollout.ts";

/** A set in short: number wanted, and its status; all up and Ready unless said otherwise. */
interface Numbers extends GameServerSetStatus {
  readonly spec: number;
}
const set = (name: string, { spec, ...status }: Numbers) =>
  buildSet(name, spec, { replicas: spec, readyReplicas: spec, allocatedReplicas: 0, reservedReplicas: 0, ...status });

interface Row {
  readonly name: string;
  readonly replicas: number;
  readonly ready?: number;
  readonly surge?: number | string;
  readonly unavailable?: number | string;
  readonly active?: Numbers;
  readonly old: readonly Numbers[];
  readonly type?: "Recreate" | "RollingUpdate";
  readonly want: { readonly active: number; readonly old: readonly number[] };
}

function decide({
  replicas,
  ready = replicas,
  surge = "25%",
  unavailable = "30%",
  active,
  old,
  type = "RollingUpdate",
}: Row) {
  const inactive = old.map((numbers, position) => set(`old-${position}`, numbers));
  const fleet = buildFleet(replicas, {
    spec: {
      strategy: {
        type,
        ...(type === "RollingUpdate" && { rollingUpdate: { maxSurge: surge, maxUnavailable: unavailable } }),
      },
    },
    status: { readyReplicas: ready },
  });
  const rollout = decideRollout({ fleet, active: active && set("active", active), inactive, fix: true });
  return { active: rollout.active, old: inactive.map((each) => rollout.inactive.get(each) ?? each.spec.replicas) };
}

describe("a rolling update", () => {
  test.each<Row>([
    {
      name: "starts with the surge, and takes off what may be unavailable",
      replicas: 100,
      old: [{ spec: 100 }],
      want: { active: 25, old: [70] },
    },
    {
      name: "leaves room for allocated servers of the old set",
      replicas: 5,
      ready: 5,
      old: [{ spec: 5, readyReplicas: 5, allocatedReplicas: 2 }],
      want: { active: 2, old: [4] },
    },
    {
      name: "does not wait for an old set that is all allocated",
      replicas: 100,
      ready: 50,
      active: { spec: 50 },
      old: [{ spec: 50, readyReplicas: 0, allocatedReplicas: 50 }],
      want: { active: 50, old: [0] },
    },
    {
      name: "counts allocated servers as healthy",
      replicas: 100,
      ready: 10,
      old: [{ spec: 100, readyReplicas: 10, allocatedReplicas: 90 }],
      want: { active: 10, old: [97] },
    },
    {
      name: "waits while a step is in flight",
      replicas: 10,
      active: { spec: 3, replicas: 1, readyReplicas: 1 },
      old: [{ spec: 8 }],
      want: { active: 3, old: [8] },
    },
    {
      name: "asks an old set for none once all it has is in use, also while nothing else can go",
      replicas: 10,
      ready: 0,
      active: { spec: 7, readyReplicas: 0 },
      old: [{ spec: 3, readyReplicas: 0, allocatedReplicas: 2, reservedReplicas: 1 }],
      want: { active: 7, old: [0] },
    },
    {
      name: "counts what is reserved in old sets like what is allocated",
      replicas: 10,
      ready: 7,
      active: { spec: 6 },
      old: [{ spec: 3, readyReplicas: 1, allocatedReplicas: 1, reservedReplicas: 1 }],
      want: { active: 8, old: [0] },
    },
    {
      name: "counts what an old set still has to make, not only what it has",
      replicas: 10,
      ready: 8,
      active: { spec: 3 },
      old: [{ spec: 10, replicas: 5, readyReplicas: 5 }],
      want: { active: 3, old: [9] },
    },
    {
      name: "never takes servers off the new set because old ones are too many",
      replicas: 10,
      ready: 20,
      active: { spec: 6 },
      old: [{ spec: 14 }],
      want: { active: 6, old: [4] },
    },
    {
      name: "to zero takes all old sets with it at once",
      replicas: 0,
      ready: 0,
      active: { spec: 3, readyReplicas: 0, allocatedReplicas: 3 },
      old: [{ spec: 1, readyReplicas: 0, allocatedReplicas: 1 }],
      want: { active: 0, old: [0] },
    },
    {
      name: "to zero brings the new set to zero",
      replicas: 0,
      ready: 4,
      active: { spec: 4 },
      old: [{ spec: 0, allocatedReplicas: 1, replicas: 1, readyReplicas: 0 }],
      want: { active: 0, old: [0] },
    },
    {
      name: "takes the old version's last Ready server though matches go on in both",
      replicas: 10,
      ready: 4,
      unavailable: "25%",
      active: { spec: 7, readyReplicas: 3, allocatedReplicas: 4 },
      old: [{ spec: 4, readyReplicas: 1, allocatedReplicas: 3 }],
      want: { active: 7, old: [0] },
    },
    {
      name: "waits for the new servers while an old set has Ready ones, though others of it never were",
      replicas: 10,
      ready: 4,
      active: { spec: 3, readyReplicas: 0 },
      old: [{ spec: 10, readyReplicas: 4 }],
      want: { active: 3, old: [10] },
    },
    {
      name: "takes servers of a set that never had a Ready one at once, as far as enough live",
      replicas: 10,
      ready: 0,
      active: { spec: 3, readyReplicas: 0 },
      old: [{ spec: 10, readyReplicas: 0 }],
      want: { active: 3, old: [4] },
    },
  ])("$name", (row) => {
    expect(decide(row)).toEqual(row.want);
  });

  test("when more old servers are allocated than the fleet wants, the new set is asked for none, never fewer", () => {
    const row = {
      name: "",
      replicas: 2,
      active: { spec: 4 },
      old: [{ spec: 1, replicas: 5, readyReplicas: 0, allocatedReplicas: 5 }],
    };
    expect(decide({ ...row, want: { active: 0, old: [] } }).active).toBe(0);
  });
});

test("nothing moves while the status of one of the sets tells of an earlier number", () => {
  const fleet = buildFleet(8, { status: { readyReplicas: 8 } });
  const active = buildSet("active", 2, { replicas: 2, readyReplicas: 2 });
  const told = (observedGeneration: number) => {
    const available = {
      type: "Available",
      status: "True",
      reason: "AllReady",
      message: "",
      observedGeneration,
    } as const;
    const conditions = [{ ...available, lastTransitionTime: "2030-01-01T00:00:00Z" }];
    return buildSet("old", 6, { replicas: 6, readyReplicas: 6, conditions }, { metadata: { generation: 2 } });
  };
  const behind = decideRollout({ fleet, active, inactive: [told(1)], fix: true });
  expect([behind.active, [...behind.inactive.values()]]).toEqual([2, []]);
  const known = decideRollout({ fleet, active, inactive: [told(2)], fix: true });
  expect([known.active, [...known.inactive.values()]]).toEqual([4, [4]]);
});

describe("other ways to the new version", () => {
  test("Recreate scales the old sets to zero at once", () => {
    const row: Row = {
      name: "",
      type: "Recreate",
      replicas: 10,
      old: [{ spec: 10, readyReplicas: 7, allocatedReplicas: 3 }],
      want: { active: 7, old: [0] },
    };
    expect(decide(row)).toEqual(row.want);
  });

  test("old sets that are done hold only what is allocated or reserved", () => {
    const row: Row = {
      name: "",
      replicas: 10,
      active: { spec: 4 },
      old: [{ spec: 0, replicas: 3, readyReplicas: 0, allocatedReplicas: 2, reservedReplicas: 1 }],
      want: { active: 7, old: [0] },
    };
    expect(decide(row)).toEqual(row.want);
  });

  test("a fleet without old sets gives all to the active one; no number means none", () => {
    expect(decideRollout({ fleet: buildFleet(7), active: undefined, inactive: [], fix: true }).active).toBe(7);
    expect(decideRollout({ fleet: buildFleet(undefined), active: undefined, inactive: [], fix: true }).active).toBe(0);
  });
});
