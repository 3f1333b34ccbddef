import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { type IncomingMessage, request } from "node:http";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { FLEETS } from "#api/agones/resources.ts";
import { CONFIG_MAPS, CUSTOM_RESOURCE_DEFINITIONS } from "#api/core/resources.ts";
import { buildCustomResourceDefinitions } from "#api/definitions/crds.ts";
import { openDataFolder, writeKubeconfig } from "#cli/start/data-folder.ts";
import { createClient } from "#kube/api-client.ts";
import type { Client } from "#kube/client.ts";
import { httpTransport } from "#kube/transport-http.ts";
import { systemClock as clock } from "#runtime/clock.ts";
import { silentLogger as log } from "#runtime/logger.ts";
import { openEmbeddedApi, openStore } from "./embedded-api.ts";

function dataFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "stadion-embedded-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, "token"), "a-token\n");
  return folder;
}

const openApi = (dataDir: string) =>
  openEmbeddedApi({
    ...{ dataDir, store: openStore(dataDir, { clock, log }), apiPort: 0 },
    ...{ admission: [], groups: [], definitions: buildCustomResourceDefinitions(), version: "1", clock, log },
  });

async function open(dataDir: string) {
  const api = await openApi(dataDir);
  const stop = new AbortController();
  const running = api.server.run(stop.signal);
  await api.server.ready?.();
  const address = await api.listen();
  const transport = httpTransport({ socketPath: join(dataDir, "api.sock") });
  const close = async () => {
    await transport.close();
    stop.abort();
    await running;
    await api.close();
  };
  return { client: createClient(transport), address, close };
}

test("what was written is there again when the folder is opened anew", async () => {
  const folder = dataFolder();
  const first = await open(folder);
  expect(first.address).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/);
  // A port that no outgoing connection is ever given.
  expect(Number(new URL(first.address).port)).toBeLessThanOrEqual(32_000);
  await first.client.create(CONFIG_MAPS, {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "a", namespace: "default" },
  });
  await first.close();
  expect(existsSync(join(folder, "api.sock"))).toBe(false);
  const second = await open(folder);
  expect((await second.client.get(CONFIG_MAPS, "default", "a")).metadata.name).toBe("a");
  await second.close();
});

test("a port that was chosen is chosen again while it is free: clients have read it in the kubeconfig", async () => {
  const folder = dataFolder();
  const first = await open(folder);
  await first.close();
  const data = await openDataFolder(folder);
  await writeKubeconfig(data, first.address);
  data.release();
  const second = await open(folder);
  expect(second.address).toBe(first.address);
  await second.close();
  const taken = createServer().listen(Number(new URL(first.address).port), "127.0.0.1");
  await once(taken, "listening");
  onTestFinished(() => void taken.close());
  const third = await open(folder);
  expect(third.address).not.toBe(first.address);
  await third.close();
});

test("a folder that another process serves is refused", async () => {
  const folder = dataFolder();
  const { close } = await open(folder);
  await expect(open(folder)).rejects.toMatchObject({ code: "StoreInUse" });
  await close();
});

test("our definitions are installed once, and brought up to date", async () => {
  const folder = dataFolder();
  const generations = async (client: Client) => {
    const { items } = await client.list(CUSTOM_RESOURCE_DEFINITIONS);
    return Object.fromEntries(items.map(({ metadata }) => [metadata.name, metadata.generation]));
  };
  const first = await open(folder);
  const made = buildCustomResourceDefinitions().map(({ metadata }) => [metadata.name, 1]);
  expect(await generations(first.client)).toEqual(Object.fromEntries(made));
  const fleets = await first.client.get(CUSTOM_RESOURCE_DEFINITIONS, "", "fleets.agones.dev");
  const names = { ...fleets.spec.names, shortNames: ["old"] };
  await first.client.update(CUSTOM_RESOURCE_DEFINITIONS, { ...fleets, spec: { ...fleets.spec, names } });
  await first.close();
  for (const _start of ["the next", "one more"]) {
    const { client, close } = await open(folder);
    const restored = await client.get(CUSTOM_RESOURCE_DEFINITIONS, "", "fleets.agones.dev");
    expect(restored.spec.names.shortNames).toEqual(fleets.spec.names.shortNames);
    expect(await generations(client)).toEqual({ ...Object.fromEntries(made), "fleets.agones.dev": 3 });
    await close();
  }
});

test("a definition of ours that somebody has given a version cannot be brought up to date, and keeps no cluster from its start", async () => {
  const folder = dataFolder();
  const first = await open(folder);
  const fleets = await first.client.get(CUSTOM_RESOURCE_DEFINITIONS, "", "fleets.agones.dev");
  const versions = fleets.spec.versions.flatMap((each) => [
    { ...each, storage: false },
    { ...each, name: "v2", storage: true },
  ]);
  await first.client.update(CUSTOM_RESOURCE_DEFINITIONS, { ...fleets, spec: { ...fleets.spec, versions } });
  await first.close();
  const { client, close } = await open(folder);
  const stored = await client.get(CUSTOM_RESOURCE_DEFINITIONS, "", "fleets.agones.dev");
  expect(stored.spec.versions.map(({ name }) => name)).toEqual(["v1", "v2"]);
  expect((await client.list(FLEETS)).items).toEqual([]);
  await close();
});

test("the socket is there before the doors open, and what comes through it is answered then", async () => {
  const dataDir = dataFolder();
  const api = await openApi(dataDir);
  const stop = new AbortController();
  const running = api.server.run(stop.signal);
  await api.server.ready?.();
  const transport = httpTransport({ socketPath: join(dataDir, "api.sock") });
  let answered = false;
  const early = transport.exchange({ method: "GET", path: "/version" }).finally(() => {
    answered = true;
  });
  const address = await api.listen();
  expect(answered).toBe(false);
  await expect(early).resolves.toMatchObject({ gitVersion: expect.any(String) });
  expect(address).toMatch(/^https:/);
  await transport.close();
  stop.abort();
  await running;
  await api.close();
});

test("an API that stops before its doors open answers those who wait", async () => {
  const dataDir = dataFolder();
  const api = await openApi(dataDir);
  const socketPath = join(dataDir, "api.sock");
  await expect.poll(() => existsSync(socketPath)).toBe(true);
  const early = request({ socketPath, path: "/version", headers: { expect: "100-continue" } });
  early.end();
  // The server has read the request.
  await once(early, "continue");
  const answered = once(early, "response") as Promise<[IncomingMessage]>;
  await api.close();
  const [response] = await answered;
  expect(response.statusCode).toBe(503);
  // Nobody keeps it open until its grace is over.
  expect(response.headers.connection).toBe("close");
  expect(JSON.parse(await text(response))).toMatchObject({ kind: "Status", message: "the API server is stopping" });
});
