import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test } from "vitest";
import { createHealthChecks, healthHandler } from "./health.ts";

const ends: (() => unknown)[] = [];
afterEach(() => {
  for (const end of ends.splice(0)) end();
});

async function start() {
  const checks = createHealthChecks();
  const server = createServer(healthHandler(checks, (_request, response) => response.end("next")));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  ends.push(() => server.close());
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const ask = async (path: string, method = "GET") => {
    const response = await fetch(origin + path, { method });
    return { status: response.status, type: response.headers.get("content-type"), body: await response.text() };
  };
  return { checks, ask };
}
const fails = () => Promise.reject(new Error("no workers"));

test("is live and ready without any check, with an empty object", async () => {
  const { ask } = await start();
  const fine = { status: 200, type: "application/json; charset=utf-8", body: "{}\n" };
  expect(await ask("/live")).toEqual(fine);
  expect(await ask("/ready")).toEqual(fine);
});

test("one failing check is a 503, named only when asked", async () => {
  const { checks, ask } = await start();
  checks.addLiveness("fleet-workerqueue", fails);
  checks.addLiveness("gameserver-workerqueue", () => {});
  expect(await ask("/live")).toMatchObject({ status: 503, body: "{}\n" });
  const full = await ask("/live?full=1");
  expect(full.status).toBe(503);
  expect(JSON.parse(full.body)).toEqual({ "fleet-workerqueue": "no workers", "gameserver-workerqueue": "OK" });
});

test("ready includes live, but not the other way round", async () => {
  const { checks, ask } = await start();
  checks.addReadiness("agones-extensions", fails);
  expect((await ask("/live")).status).toBe(200);
  expect((await ask("/ready")).status).toBe(503);
  const other = await start();
  other.checks.addLiveness("queue", fails);
  expect((await other.ask("/ready")).status).toBe(503);
});

test("answers GET only", async () => {
  const { ask } = await start();
  expect((await ask("/live", "POST")).status).toBe(405);
});

test("hands other paths on", async () => {
  const { ask } = await start();
  expect((await ask("/metrics")).body).toBe("next");
});
