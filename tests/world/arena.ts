/** Worlds with one node and the fleet `arena`, and what tests do to it. */
import { onTestFinished } from "vitest";
import type { Fleet } from "#api/agones/fleet.ts";
import type { GameServer, GameServerState } from "#api/agones/gameserver.ts";
import { FLEETS } from "#api/agones/resources.ts";
import { type Condition, conditionOf } from "#api/meta/conditions.ts";
import { templateOf } from "./changes.ts";
import { missingToGoal } from "./goal.ts";
import { openWorld, type World, type WorldOptions } from "./world.ts";

/** A world with one node whose fleet has come up; ends with the test. */
export async function withFleet(fleet: Fleet | undefined, options: WorldOptions = {}): Promise<World> {
  const world = await openWorld(options);
  onTestFinished(() => world.close());
  world.startControllers();
  await world.nodes.add("node-1");
  if (fleet) {
    await world.api.client.create(FLEETS, fleet);
    await settled(world);
  }
  return world;
}

export const settled = (world: World): Promise<void> => world.passUntil(() => missingToGoal(world, "arena"), 120_000);

export const update = (world: World, version: string): Promise<void> =>
  world.changeFleet("arena", (fleet) => ({ ...fleet, spec: { ...fleet.spec, template: templateOf(version) } }));

export const inState = (servers: readonly GameServer[], state: GameServerState): readonly GameServer[] =>
  servers.filter(({ status }) => status?.state === state);

/** The image of a server's game, which tells the version of its template. */
export const versionOf = ({ spec }: GameServer): string => spec.template.spec.containers[0]?.image?.split(":")[1] ?? "";

export async function conditionOfFleet(world: World, type: string): Promise<Condition | undefined> {
  const fleet = await world.api.client.get(FLEETS, "default", "arena");
  return conditionOf(fleet.status?.conditions, type);
}
