import { expect, test } from "vitest";
import type { JsonObject } from "#api/meta/json.ts";
import type { KubeObject } from "#api/meta/object.ts";
import type { ResourceType } from "#api/meta/resource-type.ts";
import { isConflict, statusError } from "#api/meta/status.ts";
import { FakeClock } from "#runtime/clock.ts";
import { createClient } from "./api-client.ts";
import { type Call, type Fault, withFaults } from "./fault-injection.ts";
import { TransportError } from "./transport.ts";

const things: ResourceType<KubeObject> = {
  group: "",
  version: "v1",
  kind: "Thing",
  plural: "things",
  namespaced: true,
  decode: (json) => json as unknown as KubeObject,
};
const thing: KubeObject = { apiVersion: "v1", kind: "Thing", metadata: { namespace: "ns", name: "a" } };

/** A client whose calls all work, behind one fault. */
function start(fault: Fault | undefined) {
  const reached: string[] = [];
  const calls: Call[] = [];
  const real = createClient({
    exchange: async ({ method }) => {
      reached.push(method);
      return thing as unknown as JsonObject;
    },
    watch: async () =>
      (async function* () {
        for (const name of ["a", "b", "c"]) yield [{ type: "ADDED" as const, object: { metadata: { name } } }];
      })(),
    text: () => Promise.reject(new Error("not asked for")),
  });
  const client = withFaults(real, (call) => {
    calls.push(call);
    return fault;
  });
  return { client, reached, calls };
}

test("without a fault the call goes through, and the plan sees what it is", async () => {
  const { client, reached, calls } = start(undefined);
  expect(await client.get(things, "ns", "a")).toEqual(thing);
  await client.updateStatus(things, thing);
  await client.raw("POST", "/path", {});
  expect(reached).toEqual(["GET", "PUT", "POST"]);
  expect(calls).toEqual([
    { verb: "get", resource: "things", namespace: "ns", name: "a" },
    { verb: "updateStatus", resource: "things", namespace: "ns", name: "a", subresource: "status" },
    { verb: "raw", resource: "/path" },
  ]);
});

test("a conflict is refused and never reaches the server", async () => {
  const { client, reached } = start({ type: "conflict" });
  expect(isConflict(await client.update(things, thing).catch((error: unknown) => error))).toBe(true);
  expect(reached).toEqual([]);
});

test("a refusal fails with its error, or as a broken connection, before the server", async () => {
  const { client } = start({ type: "refuse", error: statusError("Forbidden", "no") });
  await expect(client.create(things, thing)).rejects.toMatchObject({ code: "Forbidden" });
  const { client: broken, reached } = start({ type: "refuse" });
  await expect(broken.delete(things, "ns", "a")).rejects.toThrow(TransportError);
  expect(reached).toEqual([]);
});

test("a lost answer: the server did it, the caller does not know", async () => {
  const { client, reached } = start({ type: "lose-answer" });
  await expect(client.patch(things, "ns", "a", { type: "merge", patch: {} })).rejects.toThrow(TransportError);
  expect(reached).toEqual(["PATCH"]);
});

test("a delayed call goes through later", async () => {
  const clock = new FakeClock();
  const { client, reached } = start({ type: "delay", until: clock.sleep(100) });
  const listed = client.list(things);
  await clock.advance(99);
  expect(reached).toEqual([]);
  await clock.advance(1);
  await listed;
  expect(reached).toEqual(["GET"]);
});

test("a cut watch breaks after its batches", async () => {
  const { client } = start({ type: "cut", after: 2 });
  const names: (string | undefined)[] = [];
  const watch = await client.watch(things, {});
  await expect(async () => {
    for await (const batch of watch) names.push(...batch.map(({ object }) => object.metadata.name));
  }).rejects.toThrow(TransportError);
  expect(names).toEqual(["a", "b"]);
});
