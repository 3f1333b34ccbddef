import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { CONFIG_MAPS } from "#api/core/resources.ts";
import type { KubeObject } from "#api/meta/object.ts";
import { createClient } from "#kube/api-client.ts";
import type { Client } from "#kube/client.ts";
import { type FaultPlan, withFaults } from "#kube/fault-injection.ts";
import { inProcessTransport } from "#kube/transport-in-process.ts";
import type { FakeClock } from "#runtime/clock.ts";
import { silentLogger as log } from "#runtime/logger.ts";
import { startTestServer } from "../apiserver/testing/test-server.ts";
import { createGarbageCollector } from "./garbage-collector.ts";

const COUNT = 8;
/** Of each object: which of those before it own it. */
const families = fc.tuple(
  ...Array.from({ length: COUNT }, (_, at) =>
    fc.uniqueArray(fc.nat(Math.max(0, at - 1)), { maxLength: at === 0 ? 0 : 2 }),
  ),
);
const deletions = fc.uniqueArray(
  fc.record({ of: fc.nat(COUNT - 1), policy: fc.constantFrom("Background" as const, "Foreground" as const) }),
  { selector: ({ of }) => of, maxLength: 3 },
);
const kinds = ["conflict", "refuse", "lose-answer"] as const;

/** A third of the collector's calls goes wrong, at random: a fixed rhythm could hit the same call for ever. */
function planOf(seed: number): FaultPlan {
  let state = seed;
  return ({ verb }) => {
    if (verb !== "patch" && verb !== "delete" && verb !== "get") return undefined;
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    const kind = kinds[(state >>> 16) % 9];
    return kind && { type: kind };
  };
}

async function make(client: Client, namespace: string, family: readonly (readonly number[])[]): Promise<void> {
  const made: KubeObject[] = [];
  for (const [at, owners] of family.entries()) {
    const ownerReferences = owners.map((owner) => {
      const { name = "", uid = "" } = made[owner]?.metadata ?? {};
      return { apiVersion: "v1", kind: "ConfigMap", name, uid, blockOwnerDeletion: at % 2 === 0 };
    });
    const metadata = { name: `c${at}`, namespace, ownerReferences };
    made.push(await client.create(CONFIG_MAPS, { apiVersion: "v1", kind: "ConfigMap", metadata }));
  }
}

/** An object stays when nobody deleted it, and it had no owner or one of them stays. */
function survivors(family: readonly (readonly number[])[], deleted: ReadonlySet<number>): readonly string[] {
  const stays: boolean[] = [];
  for (const [at, owners] of family.entries())
    stays.push(!deleted.has(at) && (owners.length === 0 || owners.some((owner) => stays[owner])));
  return stays.flatMap((each, at) => (each ? [`c${at}`] : []));
}

async function run(
  client: Client,
  clock: FakeClock,
  plan: FaultPlan,
  body: (pass: () => Promise<void>) => Promise<void>,
) {
  const stop = new AbortController();
  const running = createGarbageCollector({ client: withFaults(client, plan), clock, log }).run(stop.signal);
  try {
    await body(async () => {
      for (let each = 0; each < 40; each++) await clock.advance(5_000);
    });
  } finally {
    stop.abort();
    await running;
  }
}

describe("the garbage collector under faults", () => {
  test("in the end exactly those are left that nobody deleted and somebody still owns", async () => {
    const { handler, clock } = await startTestServer();
    const client = createClient(inProcessTransport(handler, { username: "gc", groups: ["system:masters"] }));
    let serial = 0;
    await fc.assert(
      fc.asyncProperty(families, deletions, fc.nat(), fc.boolean(), async (family, gone, seed, early) => {
        const namespace = `n${++serial}`;
        await client.create({ ...CONFIG_MAPS, kind: "Namespace", plural: "namespaces", namespaced: false }, {
          apiVersion: "v1",
          kind: "Namespace",
          metadata: { name: namespace },
        } as KubeObject as never);
        const deleteAll = async () => {
          for (const { of, policy } of gone)
            await client.delete(CONFIG_MAPS, namespace, `c${of}`, { propagationPolicy: policy }).catch(() => {});
        };
        await make(client, namespace, family);
        if (early) await deleteAll();
        await run(client, clock, planOf(seed), async (pass) => {
          await pass();
          if (!early) await deleteAll();
          await pass();
        });
        const { items } = await client.list(CONFIG_MAPS, { namespace });
        const deleted = new Set(gone.map(({ of }) => of));
        expect(items.map(({ metadata }) => metadata.name)).toEqual(survivors(family, deleted));
        const names = new Set(items.map(({ metadata }) => metadata.name));
        for (const { metadata } of items)
          expect((metadata.ownerReferences ?? []).every(({ name }) => names.has(name))).toBe(true);
      }),
      { numRuns: 100 },
    );
  });
});
