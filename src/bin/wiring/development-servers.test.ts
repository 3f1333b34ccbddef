import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { GAMESERVERS } from "#api/agones/resources.ts";
import { announceDev } from "#cli/dev/dev-presence.ts";
import { developmentServer } from "#cli/dev/development-server.ts";
import { createInformer } from "#kube/shared-informer.ts";
import { systemClock as clock, FakeClock } from "#runtime/clock.ts";
import { silentLogger as log } from "#runtime/logger.ts";
import { runGroups } from "#runtime/runnable.ts";
import { gameServer, openCommandLine } from "#tests/command-line/command-line.ts";
import { followDevelopmentServers } from "./development-servers.ts";

const port = { name: "default", portPolicy: "Static", hostPort: 9000, containerPort: 9000 } as const;
const serverOf = (name: string, pid: number) =>
  developmentServer({ name, program: "game", namespace: "default", address: "127.0.0.1", ports: [port], pid });

async function open() {
  const { client } = await openCommandLine();
  const dataDir = mkdtempSync(join(tmpdir(), "stadion-dev-"));
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }));
  /** The node agent's part, from a start to an end. */
  const start = () => {
    const gameServers = createInformer(client, GAMESERVERS, { clock, log });
    const stop = new AbortController();
    const servers = followDevelopmentServers({ gameServers, client, dataDir, clock, log });
    const running = runGroups([[gameServers], [servers]], stop.signal, log);
    const end = async () => {
      stop.abort();
      await running;
    };
    onTestFinished(end);
    return end;
  };
  /** Of those that nobody has deleted: no controller is here to let them go. */
  const names = async () =>
    (await client.list(GAMESERVERS)).items.flatMap(({ metadata: { name, deletionTimestamp } }) =>
      deletionTimestamp ? [] : [name],
    );
  return { client, dataDir, start, names };
}

test("a GameServer goes when its stadion dev has ended, others and those of living ones stay", async () => {
  const { client, dataDir, start, names } = await open();
  const [killed, alive] = [await announceDev(dataDir, clock, 1), await announceDev(dataDir, clock, 2)];
  await client.create(GAMESERVERS, gameServer("common"));
  for (const server of [serverOf("killed", 1), serverOf("second", 1), serverOf("alive", 2)])
    await client.create(GAMESERVERS, server);
  start();
  await client.create(GAMESERVERS, serverOf("never", 3));
  await expect.poll(names).toEqual(["alive", "common", "killed", "second"]);
  await killed[Symbol.asyncDispose]();
  await expect.poll(names).toEqual(["alive", "common"]);
  await alive[Symbol.asyncDispose]();
  await expect.poll(names).toEqual(["common"]);
});

test("who ended while no agent ran is found at its start, and leaves no socket behind", async () => {
  const { client, dataDir, start, names } = await open();
  const present = await announceDev(dataDir, clock, 1);
  await client.create(GAMESERVERS, serverOf("held", 1));
  await client.create(GAMESERVERS, serverOf("gone", 2));
  const end = start();
  await expect.poll(names).toEqual(["held"]);
  await end();
  await present[Symbol.asyncDispose]();
  expect(await names()).toEqual(["held"]);
  start();
  await expect.poll(names).toEqual([]);
  expect(existsSync(join(dataDir, "dev-1.sock"))).toBe(false);
});

test("a living one whose socket was taken away is found by a later agent", async () => {
  const { client, dataDir, start, names } = await open();
  const later = new FakeClock();
  await using _present = await announceDev(dataDir, later, 1);
  await client.create(GAMESERVERS, serverOf("alive", 1));
  await client.create(GAMESERVERS, serverOf("gone", 2));
  rmSync(join(dataDir, "dev-1.sock"));
  await later.advance(1_000);
  start();
  await expect.poll(names).toEqual(["alive"]);
});
