/** Servers that a shutdown of their node ended are made again at once: it was no fault of their games. */
import { expect, test } from "vitest";
import { FLEETS } from "#api/agones/resources.ts";
import { PODS } from "#api/core/resources.ts";
import { conditionOf } from "#api/meta/conditions.ts";
import { settled, withFleet } from "#tests/world/arena.ts";
import { fleetOf } from "#tests/world/changes.ts";

test.for([
  ["Terminated", "False", 0],
  [undefined, "True", 1],
] as const)(
  "servers whose Pods failed right after Ready for the reason %s: BackingOff is %s",
  async ([reason, backsOff, told]) => {
    const world = await withFleet(undefined);
    await world.api.client.create(FLEETS, fleetOf("arena", 2));
    await settled(world);
    for (const { metadata } of await world.servers()) {
      const pod = await world.api.client.get(PODS, "default", metadata.name ?? "");
      await world.nodes.setStatus(pod, {
        phase: "Failed",
        ...(reason && { reason, message: "the node was shut down" }),
      });
    }
    await world.pass(500, 100);
    const [set] = await world.sets();
    expect(conditionOf(set?.status?.conditions, "BackingOff")?.status).toBe(backsOff);
    expect(world.recorder.events.filter((event) => event.reason === "BackOff")).toHaveLength(told);
    await world.pass(10_000, 500);
    const servers = await world.servers();
    expect(servers.map(({ status }) => status?.state)).toEqual(["Ready", "Ready"]);
  },
);
