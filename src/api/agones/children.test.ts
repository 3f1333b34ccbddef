import { describe, expect, test } from "vitest";
import { gameServerFromSet, gameServerSetFromFleet } from "./children.ts";
import { fleet, gameServerSet, manifest } from "./gameserver.fixture.ts";

const template = {
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
const owner = { controller: true, blockOwnerDeletion: true };

describe("a GameServer of a set", () => {
  test("is the template, placed as the set says, owned and labelled", () => {
    const set = gameServerSet({ template, scheduling: "Distributed" }, { labels: { "agones.dev/fleet": "duel" } });
    expect(gameServerFromSet(set)).toEqual({
      apiVersion: "agones.dev/v1",
      kind: "GameServer",
      metadata: {
        generateName: "duel-abc-",
        namespace: "games",
        labels: { mode: "ranked", "agones.dev/gameserverset": "duel-abc", "agones.dev/fleet": "duel" },
        annotations: { cost: "42" },
        finalizers: ["a/b"],
        ownerReferences: [
          { apiVersion: "agones.dev/v1", kind: "GameServerSet", name: "duel-abc", uid: "u-set", ...owner },
        ],
      },
      spec: { ...template.spec, scheduling: "Distributed" },
    });
  });

  test("of a set on its own has an empty fleet label and, without scheduling, leaves that to its defaults", () => {
    const gameServer = gameServerFromSet(gameServerSet({ template }), "duel-abc-x2x4z");
    expect(gameServer.metadata.labels?.["agones.dev/fleet"]).toBe("");
    expect(gameServer.metadata.name).toBe("duel-abc-x2x4z");
    expect(gameServer.spec).not.toHaveProperty("scheduling");
  });
});

test("a set of a Fleet carries the template's marks, and what the Fleet hands down", () => {
  const priorities = [{ type: "Counter", key: "rooms", order: "Ascending" }] as const;
  const allocationOverflow = { labels: { drain: "yes" } };
  const set = gameServerSetFromFleet(fleet({ template, scheduling: "Packed", priorities, allocationOverflow }), {
    replicas: 3,
  });
  expect(set.metadata).toEqual({
    generateName: "duel-",
    namespace: "games",
    labels: { mode: "ranked", "agones.dev/fleet": "duel" },
    annotations: { cost: "42" },
    finalizers: ["a/b"],
    ownerReferences: [{ apiVersion: "agones.dev/v1", kind: "Fleet", name: "duel", uid: "u-fleet", ...owner }],
  });
  expect(set.spec).toEqual({ replicas: 3, template, scheduling: "Packed", priorities, allocationOverflow });
  expect(set.spec.template).toBe(template);
});
