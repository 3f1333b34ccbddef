import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Gauge, Registry } from "prom-client";
import { expect, onTestFinished, test } from "vitest";
import { metricsHandler } from "./metrics-handler.ts";

async function serve(registry: Registry): Promise<string> {
  const server = createServer(metricsHandler(registry)).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test("a scrape shows values as they are at that moment", async () => {
  const registry = new Registry();
  let players = 1;
  new Gauge({
    name: "players",
    help: "-",
    registers: [registry],
    collect() {
      this.set(players);
    },
  });
  const url = await serve(registry);
  players = 7;
  const answer = await fetch(`${url}/metrics?x=1`);
  expect(answer.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8");
  expect((await answer.text()).split("\n")).toContain("players 7");
});

test("another path, another method and a metric that cannot be read are refused", async () => {
  const registry = new Registry();
  const url = await serve(registry);
  expect((await fetch(`${url}/other`)).status).toBe(404);
  expect((await fetch(`${url}/metrics`, { method: "POST" })).status).toBe(405);
  new Gauge({
    name: "broken",
    help: "-",
    registers: [registry],
    collect() {
      throw new Error("no sensor");
    },
  });
  const broken = await fetch(`${url}/metrics`);
  expect([broken.status, await broken.text()]).toEqual([500, "Error: no sensor\n"]);
});
