/** Fleets whose number a FleetAutoscaler sets, under all real controllers. */
import { describe, expect, test } from "vitest";
import type { Fleet } from "#api/agones/fleet.ts";
import { FLEETS } from "#api/agones/resources.ts";
import type { FleetAutoscaler } from "#api/autoscaling/fleetautoscaler.ts";
import { FLEETAUTOSCALERS } from "#api/autoscaling/resources.ts";
import { inState, update, withFleet } from "#tests/world/arena.ts";
import { fleetOf, templateOf } from "#tests/world/changes.ts";
import type { World } from "#tests/world/world.ts";

async function autoscale(world: World, name: string, policy: FleetAutoscaler["spec"]["policy"]): Promise<void> {
  await world.api.client.create(FLEETAUTOSCALERS, {
    apiVersion: "autoscaling.agones.dev/v1",
    kind: "FleetAutoscaler",
    metadata: { name, namespace: "default" },
    spec: { fleetName: "arena", policy, sync: { type: "FixedInterval", fixedInterval: { seconds: 2 } } },
  });
}
const buffer = (bufferSize: number): FleetAutoscaler["spec"]["policy"] => ({
  type: "Buffer",
  buffer: { bufferSize, minReplicas: 0, maxReplicas: 20 },
});

/** Every number that the fleet was asked for while time passed, without repeats in a row. */
async function wanted(world: World, ms: number): Promise<readonly number[]> {
  const numbers: number[] = [];
  for (let passed = 0; passed < ms; passed += 100) {
    await world.pass(100);
    const now = (await world.api.client.get(FLEETS, "default", "arena")).spec.replicas ?? 0;
    if (numbers.at(-1) !== now) numbers.push(now);
  }
  return numbers;
}

const withCapacity = (kind: "counters" | "lists"): Fleet["spec"]["template"] => {
  const template = templateOf("1");
  const capacity =
    kind === "counters" ? { rooms: { count: 0n, capacity: 50n } } : { rooms: { capacity: 50n, values: [] } };
  return { ...template, spec: { ...template.spec, [kind]: capacity } };
};

describe("a fleet with an autoscaler", () => {
  test("and a second one of another size keeps to the first: its number never alternates", async () => {
    const world = await withFleet(fleetOf("arena", 0));
    await autoscale(world, "first", buffer(2));
    await world.pass(3000);
    await autoscale(world, "second", buffer(5));
    expect(await wanted(world, 20_000)).toEqual([2]);
  });

  test.each([
    ["counters", undefined],
    ["counters", 0],
    ["lists", undefined],
    ["lists", 0],
  ] as const)(
    "of the room in its %s goes from replicas %s to the minimum, and never beyond",
    async (kind, replicas) => {
      const world = await withFleet(undefined);
      const { replicas: _, ...spec } = fleetOf("arena", 0, "1", { template: withCapacity(kind) }).spec;
      await world.api.client.create(FLEETS, {
        ...fleetOf("arena", 0),
        spec: { ...spec, ...(replicas !== undefined && { replicas }) },
      });
      const limits = { key: "rooms", bufferSize: 50, minCapacity: 100n, maxCapacity: 1000n };
      await autoscale(
        world,
        "auto",
        kind === "counters" ? { type: "Counter", counter: limits } : { type: "List", list: limits },
      );
      const numbers = await wanted(world, 20_000);
      expect(numbers.at(-1)).toBe(2);
      expect(Math.max(...numbers)).toBe(2);
      expect(world.recorder.events.filter(({ type }) => type === "Warning").map(({ reason }) => reason)).not.toContain(
        "FleetAutoscaler",
      );
    },
  );

  test("of list room keeps its number while a server in a match is nearly full: one it may not remove is no room to spare", async () => {
    const template = templateOf("1");
    const spec = { ...template.spec, lists: { players: { capacity: 60n, values: [] } } };
    const world = await withFleet(fleetOf("arena", 3, "1", { template: { ...template, spec } }));
    await world.allocate("arena");
    const [match] = inState(await world.servers(), "Allocated");
    const values = Array.from({ length: 55 }, (_, player) => `player-${player}`);
    if (match)
      await world.nodes.setState(
        { ...match, status: { ...match.status, lists: { players: { capacity: 60n, values } } } },
        "Allocated",
      );
    await world.pass(1000);
    await autoscale(world, "auto", {
      type: "List",
      list: { key: "players", bufferSize: 120, minCapacity: 120n, maxCapacity: 300n },
    });
    expect(await wanted(world, 30_000)).toEqual([3]);
    expect(inState(await world.servers(), "Allocated").map(({ metadata }) => metadata.uid)).toEqual([
      match?.metadata.uid,
    ]);
  });

  test("is never fewer than may be unavailable while it rolls out", async () => {
    const world = await withFleet(fleetOf("arena", 0));
    await autoscale(world, "auto", buffer(8));
    await world.pass(5000);
    await update(world, "2");
    let least = 8;
    for (let turn = 0; turn < 60; turn++) {
      await world.pass(50, 50);
      const living = (await world.servers()).filter(
        ({ metadata, status }) => !metadata.deletionTimestamp && status?.state !== "Shutdown",
      );
      least = Math.min(least, living.length);
    }
    expect(least).toBeGreaterThanOrEqual(6);
    expect(least).toBeLessThanOrEqual(8);
  });
});
