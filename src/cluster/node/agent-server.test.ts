import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { FakeClock } from "#runtime/clock.ts";
import { createAgentClient } from "./agent-client.ts";
import { type AgentIdentity, createAgentServer } from "./agent-server.ts";

const identity: AgentIdentity = { node: "node", pid: 1, version: "1", settings: [], startedAt: "", ready: true };

test("an agent is found again after its socket was taken away, by its user alone", async () => {
  const folder = mkdtempSync(join(tmpdir(), "stadion-agent-server-"));
  const socketPath = join(folder, "agent.sock");
  const clock = new FakeClock();
  const server = createAgentServer({
    socketPath,
    identity: () => identity,
    containers: () => [],
    openLog: () => Promise.reject(new Error("no log")),
    stop: () => {},
    clock,
  });
  const stop = new AbortController();
  const running = server.run(stop.signal);
  onTestFinished(async () => {
    stop.abort();
    await running;
    rmSync(folder, { recursive: true, force: true });
  });
  await server.ready?.();
  const client = createAgentClient(socketPath);
  expect(await client.identity()).toEqual(identity);
  rmSync(socketPath);
  expect(await client.identity()).toBeUndefined();
  await clock.advance(1_000);
  expect(await client.identity()).toEqual(identity);
  await expect.poll(() => statSync(socketPath).mode & 0o777).toBe(0o600);
});
