import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { Fleet } from "#api/agones/fleet.ts";
import { FLEETS } from "#api/agones/resources.ts";
import { httpTransport } from "#kube/transport-http.ts";
import { systemClock as clock } from "#runtime/clock.ts";
import { gameServerSpec, openCommandLine } from "#tests/command-line/command-line.ts";
import { apiSocket } from "../connection.ts";
import { QUICK_START_FLEET } from "./example-fleet.ts";
import { quickStart } from "./quick-start.ts";

/** A real API without controllers, and a manifest: a fleet of no servers has all of them. */
async function cluster(replicas = 0) {
  const { client, dataDir } = await openCommandLine();
  const folder = mkdtempSync(join(tmpdir(), "stadion-quick-"));
  const transport = httpTransport({ socketPath: apiSocket(dataDir) });
  onTestFinished(async () => {
    await transport.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const manifest = join(folder, "fleet.json");
  const pod = { spec: { containers: [{ name: "game", image: "game" }] } };
  const spec = { replicas, template: { spec: { template: pod } } };
  const metadata = { name: QUICK_START_FLEET };
  writeFileSync(manifest, JSON.stringify({ apiVersion: "agones.dev/v1", kind: "Fleet", metadata, spec }));
  const said: string[] = [];
  const terminal = { out: () => {}, err: (line: string) => said.push(line) };
  const { signal } = new AbortController();
  let made = 0;
  const make = () => quickStart({ manifest, transport, client, made: () => made++, terminal, clock, signal });
  return { client, said, make, made: () => made };
}

test("makes the fleet as kubectl apply would, and tells how far it is", async () => {
  const { client, said, make } = await cluster();
  await make();
  const { metadata, spec } = await client.get(FLEETS, "default", QUICK_START_FLEET);
  expect(spec.replicas).toBe(0);
  expect(Object.keys(metadata.annotations ?? {})).toContain("kubectl.kubernetes.io/last-applied-configuration");
  expect(said).toEqual([`Fleet ${QUICK_START_FLEET}: 0 of 0 game servers Ready`]);
});

test("leaves a fleet that is there already as it is", async () => {
  const { client, make, made } = await cluster();
  const spec = { replicas: 0, template: { spec: gameServerSpec } };
  const metadata = { name: QUICK_START_FLEET, namespace: "default", labels: { mine: "yes" } };
  const stored = await client.create(FLEETS, { apiVersion: "agones.dev/v1", kind: "Fleet", metadata, spec } as Fleet);
  await make();
  expect(await client.get(FLEETS, "default", QUICK_START_FLEET)).toEqual(stored);
  expect(made()).toBe(1);
});

test("is over when somebody deletes the fleet meanwhile", async () => {
  const { client, make, made } = await cluster(3);
  const making = make();
  await expect.poll(made).toBe(1);
  await client.delete(FLEETS, "default", QUICK_START_FLEET);
  await making;
});
