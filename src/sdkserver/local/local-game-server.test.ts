import { expect, test } from "vitest";
import { featureGates } from "#api/agones/feature-gates.ts";
import { GAMESERVERS } from "#api/agones/resources.ts";
import type { JsonPatchOperation } from "#api/meta/patch/json-patch.ts";
import { defaultGameServer } from "./default-game-server.ts";
import { LocalGameServer } from "./local-game-server.ts";

function open() {
  const world = new LocalGameServer(defaultGameServer({ now: 0, gates: featureGates() }));
  const versions: (string | undefined)[] = [];
  world.subscribe("", "", (seen) => versions.push(seen?.metadata.resourceVersion));
  const patch = (...operations: readonly JsonPatchOperation[]) =>
    world.patch(GAMESERVERS, "default", "local", { type: "json", operations });
  return { world, versions, patch };
}

const state = (value: string): JsonPatchOperation => ({ op: "replace", path: "/status/state", value });

test("a server that says it is ready is Ready at once; any other state is what it says", async () => {
  const { world, patch } = open();
  expect((await patch(state("Allocated"))).status?.state).toBe("Allocated");
  expect((await patch(state("RequestReady"))).status?.state).toBe("Ready");
  expect(world.current.status?.state).toBe("Ready");
});

test("each write is a version that subscribers see; the generation counts those of the status", async () => {
  const { world, versions, patch } = open();
  await patch(state("Allocated"));
  await patch({ op: "add", path: "/metadata/labels/a", value: "1" });
  expect(versions).toEqual(["v2", "v3"]);
  expect(world.current.metadata.generation).toBe(2);
});

test("a patch whose test fails changes nothing", async () => {
  const { world, versions, patch } = open();
  const stale: JsonPatchOperation = { op: "test", path: "/metadata/resourceVersion", value: "v0" };
  await expect(patch(stale, state("Shutdown"))).rejects.toMatchObject({ code: "Conflict" });
  expect(world.current.status?.state).toBe("Ready");
  expect(versions).toEqual([]);
});

test("the mark of a write is not kept: nobody else writes here", async () => {
  const { world, patch } = open();
  await patch({ op: "add", path: "/metadata/annotations/stadion.dev~1sdk-write", value: "life.1" }, state("Allocated"));
  expect(world.current.metadata.annotations).toEqual({ annotation: "true" });
});

test("another object takes its place, under its UID", () => {
  const { world, versions } = open();
  world.replace({ ...world.current, metadata: { name: "other", uid: "another" }, status: {} });
  expect(world.current).toMatchObject({ metadata: { name: "other", uid: "1234", resourceVersion: "v2" }, status: {} });
  expect(versions).toEqual(["v2"]);
});
