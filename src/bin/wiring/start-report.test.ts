import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { fleet } from "#api/agones/gameserver.fixture.ts";
import { FLEETS } from "#api/agones/resources.ts";
import type { ControlPlaneMessage } from "#cli/start/control-plane-message.ts";
import { QUICK_START_FLEET } from "#cli/start/example-fleet.ts";
import { httpTransport } from "#kube/transport-http.ts";
import { systemClock as clock } from "#runtime/clock.ts";
import { silentLogger as log } from "#runtime/logger.ts";
import { fleetManifest, openCommandLine } from "#tests/command-line/command-line.ts";
import { createStartReport } from "./start-report.ts";

/** The report of a control plane with a real API, whose node agent speaks when `agentTells` is called. */
async function report(quickStart?: string) {
  const { client, dataDir } = await openCommandLine();
  const transport = httpTransport({ socketPath: `${dataDir}/api.sock` });
  const told: ControlPlaneMessage[] = [];
  const agent = Promise.withResolvers<void>();
  const stop = new AbortController();
  const start = () => {
    const living = { told: () => agent.promise };
    const tell = (message: ControlPlaneMessage) => told.push(message);
    const running = createStartReport({ transport, client, quickStart, living, tell, clock, log });
    const done = running.run(stop.signal);
    onTestFinished(async () => {
      stop.abort();
      await done;
      await transport.close();
    });
    return done;
  };
  return { client, told, agentTells: agent.resolve, stop: () => stop.abort(), start };
}

test("a cluster has started once its fleet is Ready and its node agent knows its game servers, and an example is told", async () => {
  const manifest = join(mkdtempSync(join(tmpdir(), "stadion-report-")), "fleet.json");
  onTestFinished(() => rmSync(dirname(manifest), { recursive: true, force: true }));
  writeFileSync(manifest, JSON.stringify(fleetManifest(QUICK_START_FLEET, 0)));
  const { client, told, agentTells, start } = await report(manifest);
  await client.create(FLEETS, fleet({ replicas: 2 }, { name: "arena", namespace: "default" }));
  void start();
  const made = { type: "made" };
  const said = { type: "said", line: `Fleet ${QUICK_START_FLEET}: 0 of 0 game servers Ready` };
  await expect.poll(() => told).toEqual([made, said]);
  // As many turns as it would take to tell more.
  for (let turns = 0; turns < 100; turns++) await client.list(FLEETS, {});
  expect(told).toEqual([made, said]);
  agentTells();
  await expect.poll(() => told).toEqual([made, said, { type: "started", example: { name: "arena", replicas: 2 } }]);
});

test("a cluster without fleets has no example", async () => {
  const { told, agentTells, start } = await report();
  agentTells();
  void start();
  await expect.poll(() => told).toEqual([{ type: "started" }]);
});

test("why the quick start has failed is told, with the kind of fault, and ends nothing", async () => {
  const { told, start } = await report("/nowhere/fleet.json");
  void start();
  const message = "cannot read /nowhere/fleet.json: there is no such file";
  await expect.poll(() => told).toEqual([{ type: "failed", code: "Usage", message }]);
});

test("what is stopped while it waits ends, and has not failed", async () => {
  const { told, start, stop } = await report();
  const done = start();
  stop();
  await done;
  expect(told).toEqual([]);
});
