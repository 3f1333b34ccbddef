import { once } from "node:events";
import { existsSync } from "node:fs";
import { type IncomingMessage, request } from "node:http";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { CONFIG_MAPS } from "#api/core/resources.ts";
import { openDataFolder, writeKubeconfig } from "#cli/start/data-folder.ts";
import { httpTransport } from "#kube/transport-http.ts";
import { systemClock as clock } from "#runtime/clock.ts";
import { silentLogger as log } from "#runtime/logger.ts";
import { openDoors } from "./api-doors.ts";
import { dataFolder, open, openApi } from "./embedded-api-fixture.ts";

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

test("a port that somebody has is told before anything serves", async () => {
  const taken = createServer().listen(0, "127.0.0.1");
  await once(taken, "listening");
  onTestFinished(() => void taken.close());
  const { port } = taken.address() as AddressInfo;
  const doors = openDoors({ dataDir: dataFolder(), apiPort: port, clock, log });
  await expect(doors.bound).rejects.toMatchObject({ code: "EADDRINUSE", port });
  await expect(doors.address).rejects.toMatchObject({ code: "EADDRINUSE" });
  await doors.close();
});

test("a folder that another process serves is refused", async () => {
  const folder = dataFolder();
  const { close } = await open(folder);
  await expect(open(folder)).rejects.toMatchObject({ code: "StoreInUse" });
  await close();
});

test("the socket is there before the API serves, and what comes through it is answered then", async () => {
  const dataDir = dataFolder();
  const { api, doors } = await openApi(dataDir);
  const stop = new AbortController();
  const transport = httpTransport({ socketPath: join(dataDir, "api.sock") });
  let answered = false;
  const early = transport.exchange({ method: "GET", path: "/version" }).finally(() => {
    answered = true;
  });
  const address = await doors.address;
  expect(answered).toBe(false);
  const running = api.server.run(stop.signal);
  await api.server.ready?.();
  await expect(early).resolves.toMatchObject({ gitVersion: expect.any(String) });
  expect(address).toMatch(/^https:/);
  await transport.close();
  stop.abort();
  await running;
  await api.close();
});

test("an API that stops before it serves answers those who wait", async () => {
  const dataDir = dataFolder();
  const { api } = await openApi(dataDir);
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
