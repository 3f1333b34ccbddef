import fc from "fast-check";
import { expect, test } from "vitest";
import { deletionOrder } from "#api/agones/deletion-order.ts";
import { isDeletable } from "#api/agones/predicates.ts";
import type { CapacityPolicy } from "#api/autoscaling/policy.ts";
import { type CapacityKind, decideCapacity } from "./decide-capacity.ts";
import { PolicyError, type Size } from "./decide-size.ts";
import { type Filled, viewOf } from "./fleet-view.fixture.ts";

interface World {
  readonly kind: CapacityKind;
  readonly fresh: readonly [number, number];
  readonly servers: readonly Filled[];
}

const fill = fc
  .integer({ min: 0, max: 20 })
  .chain((capacity) => fc.tuple(fc.integer({ min: 0, max: capacity }), fc.constant(capacity)));
const server: fc.Arbitrary<Filled> = fc.oneof(
  { weight: 1, arbitrary: fc.constant("none" as const) },
  {
    weight: 9,
    arbitrary: fc
      .tuple(fill, fc.constantFrom("Ready", "Allocated", "Reserved", "Scheduled"))
      .map(([[count, capacity], state]): Filled => [count, capacity, state as "Ready"]),
  },
);
const worlds: fc.Arbitrary<World> = fc.record({
  kind: fc.constantFrom<CapacityKind>("counter", "list"),
  fresh: fill,
  servers: fc.array(server, { maxLength: 12 }),
});

/** Policies that admission would accept. */
const policies: fc.Arbitrary<CapacityPolicy> = fc
  .tuple(
    fc.integer({ min: 0, max: 200 }),
    fc.integer({ min: 1, max: 400 }),
    fc.integer({ min: 1, max: 99 }),
    fc.boolean(),
  )
  .map(([low, more, size, percent]) => {
    const buffer = percent ? 0 : Math.min(size, low === 0 ? more : low);
    const min = percent ? Math.max(1, low) : low;
    return {
      key: "key",
      bufferSize: percent ? `${size}%` : buffer,
      minCapacity: BigInt(min),
      maxCapacity: BigInt(min + more),
    };
  });

const decide = ({ kind, fresh, servers }: World, policy: CapacityPolicy): Size | undefined => {
  try {
    return decideCapacity(kind, policy, viewOf(kind, fresh, servers));
  } catch (error) {
    if (error instanceof PolicyError) return undefined;
    throw error;
  }
};

/** What the fleet's sets do of it: new servers, or those in the deletion order that may go. */
function applied(world: World, replicas: number): World {
  const { kind, fresh, servers } = world;
  const missing = replicas - servers.length;
  if (missing >= 0) return { ...world, servers: [...servers, ...Array.from({ length: missing }, (): Filled => fresh)] };
  const { fleet, servers: all, nodes } = viewOf(kind, fresh, servers);
  const gone = new Set(deletionOrder(fleet.spec.scheduling, [], all().filter(isDeletable), nodes).slice(0, -missing));
  const objects = all();
  return { ...world, servers: servers.filter((_, at) => !gone.has(objects[at] as never)) };
}

test("a fleet keeps at least one server, and the same decision follows from the same fleet", () => {
  fc.assert(
    fc.property(worlds, policies, (world, policy) => {
      const size = decide(world, policy);
      if (size) expect(size.replicas).toBeGreaterThanOrEqual(1);
      expect(decide(world, policy)).toEqual(size);
    }),
  );
});

test("no decision leads from within the maximum to beyond it, but to one server", () => {
  fc.assert(
    fc.property(worlds, policies, (world, policy) => {
      const capacity = ({ servers }: World) => servers.reduce((sum, each) => sum + (each === "none" ? 0 : each[1]), 0);
      const size = decide(world, policy);
      if (!size || size.replicas === 1 || capacity(world) > policy.maxCapacity) return;
      expect(capacity(applied(world, size.replicas))).toBeLessThanOrEqual(Number(policy.maxCapacity));
    }),
  );
});

test("a fleet in which nothing else happens comes to rest", () => {
  fc.assert(
    fc.property(worlds, policies, (start, policy) => {
      let world = start;
      const sizes: number[] = [];
      for (let step = 0; step < 20; step++) {
        const size = decide(world, policy);
        if (!size) return;
        const next = applied(world, size.replicas);
        if (next.servers.length === world.servers.length) return;
        sizes.push(next.servers.length);
        world = next;
      }
      expect.fail(`never at rest: ${sizes.join(", ")}`);
    }),
    { numRuns: 500 },
  );
});
