/** Random lives of a fleet: what people, games, nodes and a broken network do to it. */
import fc from "fast-check";
import { featureGates } from "#api/agones/feature-gates.ts";
import type { GameServer } from "#api/agones/gameserver.ts";
import { FLEETS, GAMESERVERS } from "#api/agones/resources.ts";
import { FLEETAUTOSCALERS } from "#api/autoscaling/resources.ts";
import { NODES, PODS } from "#api/core/resources.ts";
import { fleetOf, templateOf } from "./changes.ts";
import { Faults, MOST_DELAY_MS } from "./faults.ts";
import { missingToGoal } from "./goal.ts";
import { tried } from "./nodes.ts";
import { seededRandom } from "./random.ts";
import { Witness } from "./witness.ts";
import { openWorld, type World } from "./world.ts";

type Step =
  | { readonly type: "scale"; readonly replicas: number }
  | { readonly type: "update"; readonly version: string; readonly replicas?: number }
  | { readonly type: "allocate"; readonly count: number }
  | { readonly type: "game"; readonly which: number; readonly asks: (typeof ASKS)[number] }
  | { readonly type: "pod"; readonly which: number; readonly ends: (typeof ENDS)[number] }
  | { readonly type: "deleteServer"; readonly which: number }
  | { readonly type: "addNode" | "removeNode"; readonly node: number }
  | { readonly type: "restart" }
  | { readonly type: "kill"; readonly at: number }
  | { readonly type: "autoscale"; readonly buffer: number }
  | { readonly type: "crashes"; readonly how: World["nodes"]["gamesEnd"] }
  | { readonly type: "pass"; readonly ms: number };

const ASKS = ["RequestReady", "Allocated", "Reserved", "Shutdown", "Unhealthy"] as const;
const ENDS = ["Failed", "Succeeded", "deleted"] as const;

export interface Scenario {
  readonly seed: number;
  /** Share of the controllers' calls that fail in some way. */
  readonly faultRate: number;
  readonly strategy: "RollingUpdate" | "Recreate";
  readonly scheduling: "Packed" | "Distributed";
  readonly maxSurge: string | number;
  readonly maxUnavailable: string | number;
  /** The gate RollingUpdateFix. */
  readonly fix: boolean;
  readonly replicas: number;
  readonly steps: readonly Step[];
}

const which = fc.nat({ max: 20 });
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ type: fc.constant("scale" as const), replicas: fc.nat({ max: 8 }) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      type: fc.constant("update" as const),
      version: fc.constantFrom("1", "2", "3"),
      replicas: fc.option(fc.nat({ max: 8 }), { nil: undefined, freq: 3 }),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ type: fc.constant("allocate" as const), count: fc.integer({ min: 1, max: 3 }) }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ type: fc.constant("game" as const), which, asks: fc.constantFrom(...ASKS) }),
  },
  { weight: 2, arbitrary: fc.record({ type: fc.constant("pod" as const), which, ends: fc.constantFrom(...ENDS) }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("deleteServer" as const), which }) },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constantFrom("addNode" as const, "removeNode" as const),
      node: fc.nat({ max: 2 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("restart" as const) }) },
  { weight: 3, arbitrary: fc.record({ type: fc.constant("kill" as const), at: fc.nat({ max: 8 }) }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("autoscale" as const), buffer: fc.nat({ max: 4 }) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      type: fc.constant("crashes" as const),
      how: fc.constantFrom(undefined, "Failed" as const, "Succeeded" as const, "FailedWhenReady" as const),
    }),
  },
  { weight: 4, arbitrary: fc.record({ type: fc.constant("pass" as const), ms: fc.integer({ min: 100, max: 3000 }) }) },
);

const share = fc.oneof(
  fc.constant("25%"),
  fc.integer({ min: 1, max: 99 }).map((percent) => `${percent}%`),
  fc.integer({ min: 1, max: 9 }),
);

/** Lives of so many steps; fewer when `shortest` says so. */
export const scenarios = (shortest: number, longest: number): fc.Arbitrary<Scenario> =>
  fc.record({
    seed: fc.nat(),
    faultRate: fc.constantFrom(0, 0.05, 0.2, 0.4),
    strategy: fc.constantFrom("RollingUpdate" as const, "RollingUpdate" as const, "Recreate" as const),
    scheduling: fc.constantFrom("Packed" as const, "Distributed" as const),
    maxSurge: share,
    maxUnavailable: share,
    fix: fc.boolean(),
    replicas: fc.nat({ max: 8 }),
    steps: fc.array(step, { minLength: shortest, maxLength: longest, size: "max" }),
  });

const NAME = "arena";
/** A fleet must have come to its end within this time, the longest pause after failed starts included. */
const LIMIT_MS = 1_800_000;

/** What was done in a life: what people, games and nodes did, the controllers' calls, and how many of those met a fault. */
export interface Lived {
  readonly steps: number;
  readonly calls: number;
  readonly faults: number;
}

/** Lives a scenario through. Throws on the first violation, or when the fleet does not come to its end once faults have stopped. */
export async function live(scenario: Scenario): Promise<Lived> {
  const { seed, faultRate, strategy, scheduling, maxSurge, maxUnavailable, fix, replicas, steps } = scenario;
  const faults = new Faults(faultRate, seededRandom(seed));
  let witness: Witness | undefined;
  const world = await openWorld({
    seed,
    gates: featureGates({ RollingUpdateFix: fix }),
    disturb: (client, clock) => {
      witness ??= new Witness(world.api.objects, clock, 10 * MOST_DELAY_MS);
      return faults.client(witness.client(client), clock);
    },
  });
  const check = (): void => {
    witness?.check();
    if (witness && witness.violations.length > 0) throw new Error(witness.violations.join("; "));
  };
  const restart = async (): Promise<void> => {
    await world.stopControllers();
    world.startControllers();
  };
  try {
    world.startControllers();
    for (const node of ["node-0", "node-1"]) await world.nodes.add(node);
    const options = {
      strategy: {
        type: strategy,
        ...(strategy === "RollingUpdate" && { rollingUpdate: { maxSurge, maxUnavailable } }),
      },
      scheduling,
    };
    await world.api.client.create(FLEETS, fleetOf(NAME, replicas, "1", options));
    for (const each of steps) {
      if (each.type === "restart") await restart();
      else if (each.type === "kill") faults.killAt = each.at;
      else await take(world, each);
      await world.pass(100);
      if (faults.died) await restart();
      check();
    }
    faults.rate = 0;
    if (faults.died) await restart();
    faults.killAt = undefined;
    world.nodes.gamesEnd = undefined;
    if ((await world.all(NODES)).length === 0) await world.nodes.add("node-0");
    await world.passUntil(async () => {
      check();
      return missingToGoal(world, NAME);
    }, LIMIT_MS);
    return { steps: steps.length, calls: faults.calls, faults: faults.met };
  } finally {
    faults.rate = 0;
    witness?.stop();
    await world.close();
  }
}

async function take(world: World, step: Exclude<Step, { readonly type: "restart" | "kill" }>): Promise<void> {
  switch (step.type) {
    case "scale":
      return world.scale(NAME, step.replicas);
    case "update":
      return world.changeFleet(NAME, (fleet) => ({
        ...fleet,
        spec: {
          ...fleet.spec,
          template: templateOf(step.version),
          ...(step.replicas !== undefined && { replicas: step.replicas }),
        },
      }));
    case "allocate":
      for (let each = 0; each < step.count; each++) await world.allocate(NAME).catch(() => undefined);
      return;
    case "game":
      return game(world, step.asks, step.which);
    case "pod":
      return endPod(world, step.ends, step.which);
    case "deleteServer": {
      const server = pick(await world.servers(), step.which);
      if (server) await tried(world.api.client.delete(GAMESERVERS, "default", server.metadata.name ?? ""));
      return;
    }
    case "addNode":
    case "removeNode": {
      const name = `node-${step.node}`;
      const there = (await world.all(NODES)).some(({ metadata }) => metadata.name === name);
      if (step.type === "addNode" && !there) await world.nodes.add(name);
      if (step.type === "removeNode" && there) await world.nodes.remove(name);
      return;
    }
    case "autoscale":
      return autoscale(world, step.buffer);
    case "crashes":
      world.nodes.gamesEnd = step.how;
      return;
    case "pass":
      return world.pass(step.ms);
  }
}

/** One more autoscaler of the fleet, or none any more. */
async function autoscale(world: World, buffer: number): Promise<void> {
  const { client } = world.api;
  const there = await world.all(FLEETAUTOSCALERS);
  if (buffer === 0)
    for (const { metadata } of there) await client.delete(FLEETAUTOSCALERS, "default", metadata.name ?? "");
  else
    await client.create(FLEETAUTOSCALERS, {
      apiVersion: "autoscaling.agones.dev/v1",
      kind: "FleetAutoscaler",
      metadata: { name: `auto-${there.length}-${buffer}-${world.clock.now()}`, namespace: "default" },
      spec: {
        fleetName: NAME,
        policy: { type: "Buffer", buffer: { bufferSize: buffer, minReplicas: 0, maxReplicas: 8 } },
        sync: { type: "FixedInterval", fixedInterval: { seconds: 5 } },
      },
    });
}

/** A game that runs asks for a state through its SDK, which refuses nothing but what comes after the end. */
async function game(world: World, asks: (typeof ASKS)[number], which: number): Promise<void> {
  const lives = ({ metadata, status }: GameServer): boolean =>
    !metadata.deletionTimestamp && ["Scheduled", "Ready", "Allocated", "Reserved"].includes(status?.state ?? "");
  const server = pick((await world.servers()).filter(lives), which);
  if (server) await world.nodes.setState(server, asks);
}

async function endPod(world: World, ends: (typeof ENDS)[number], which: number): Promise<void> {
  const pod = pick(await world.nodes.pods(), which);
  // One that has ended stays as it ended.
  const over = pod?.status?.phase === "Failed" || pod?.status?.phase === "Succeeded";
  if (!pod || (over && ends !== "deleted")) return;
  if (ends !== "deleted") await world.nodes.setStatus(pod, { phase: ends });
  else await tried(world.api.client.delete(PODS, "default", pod.metadata.name ?? ""));
}

const pick = <T>(from: readonly T[], which: number): T | undefined => from[which % Math.max(1, from.length)];
