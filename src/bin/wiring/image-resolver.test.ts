import { expect, onTestFinished, test } from "vitest";
import { CONFIG_MAPS } from "#api/core/resources.ts";
import { IMAGE_MAP_NAME, IMAGE_MAP_NAMESPACE, type ImageMap, imageMapData } from "#api/stadion/image-map.ts";
import { startTestServer } from "#cluster/apiserver/testing/test-server.ts";
import { createClient } from "#kube/api-client.ts";
import { inProcessTransport } from "#kube/transport-in-process.ts";
import { systemClock as clock } from "#runtime/clock.ts";
import { silentLogger as log } from "#runtime/logger.ts";
import { clusterImages } from "./image-resolver.ts";

const mapOf = (map: ImageMap) => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: IMAGE_MAP_NAME, namespace: IMAGE_MAP_NAMESPACE },
  data: imageMapData(map),
});

async function open(map: ImageMap) {
  const server = await startTestServer();
  const client = createClient(inProcessTransport(server.handler, { username: "a", groups: ["system:masters"] }));
  await client.create(CONFIG_MAPS, mapOf(map));
  const images = clusterImages({ client, simpleGameServer: "/stadion/server.ts", clock, log });
  const stop = new AbortController();
  const running = images.runnable.run(stop.signal);
  onTestFinished(async () => {
    stop.abort();
    await running;
  });
  await images.runnable.ready?.();
  return { client, images };
}
const commandOf = async (images: ReturnType<typeof clusterImages>, image: string) =>
  (await images.resolve(image))?.command;

test("the exact name goes before the name without its tag or digest", async () => {
  const { images } = await open({
    "host:5000/game": { command: ["any"] },
    "host:5000/game:1": { command: ["one"] },
  });
  expect(await commandOf(images, "host:5000/game:1")).toEqual(["one"]);
  for (const image of ["host:5000/game", "host:5000/game:2", "host:5000/game@sha256:ab"])
    expect(await commandOf(images, image)).toEqual(["any"]);
  for (const image of ["host:5000/other", "host", "game:1", "constructor", ""])
    expect(await commandOf(images, image)).toBeUndefined();
});

test("the simple game server is built in, under each of its names and tags, unless it is mapped", async () => {
  const name = "us-docker.pkg.dev/agones-images/examples/simple-game-server";
  const { images } = await open({ [`${name}:9`]: { command: ["mine"] } });
  for (const image of [name, `${name}:0.41`, `${name}@sha256:ab`, "gcr.io/agones-images/simple-game-server:0.1"])
    expect(await commandOf(images, image)).toEqual([process.execPath, "/stadion/server.ts"]);
  expect(await commandOf(images, `${name}:9`)).toEqual(["mine"]);
  expect(await commandOf(images, `${name}-else:1`)).toBeUndefined();
});

test("a change of the map is told and seen at once, its deletion too", async () => {
  const { client, images } = await open({});
  let changes = 0;
  const forget = images.onChange?.(() => changes++);
  const stored = await client.get(CONFIG_MAPS, IMAGE_MAP_NAMESPACE, IMAGE_MAP_NAME);
  await client.update(CONFIG_MAPS, { ...stored, ...mapOf({ game: { command: ["x"] } }), metadata: stored.metadata });
  await expect.poll(() => commandOf(images, "game:1")).toEqual(["x"]);
  expect(changes).toBe(1);
  await client.delete(CONFIG_MAPS, IMAGE_MAP_NAMESPACE, IMAGE_MAP_NAME);
  await expect.poll(() => commandOf(images, "game:1")).toBeUndefined();
  expect(changes).toBe(2);
  forget?.();
  await client.create(CONFIG_MAPS, mapOf({ game: { command: ["y"] } }));
  await expect.poll(() => commandOf(images, "game")).toEqual(["y"]);
  expect(changes).toBe(2);
});
