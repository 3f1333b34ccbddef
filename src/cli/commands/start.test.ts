import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { FakeAgent, startCommand } from "#tests/command-line/command-line.ts";

/** A data folder without the certificate that a kubeconfig needs: its start fails once the control plane serves. */
function failingStart(served: boolean) {
  const home = mkdtempSync(join(tmpdir(), "stadion-start-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const dataDir = join(home, "data");
  mkdirSync(join(dataDir, "store"), { recursive: true });
  if (served) writeFileSync(join(dataDir, "store", "served"), "");
  const controlPlane = join(home, "control-plane.mjs");
  writeFileSync(
    controlPlane,
    `process.on("SIGTERM", () => process.exit(0));
    process.send({ type: "ready", address: "https://127.0.0.1:4321" });`,
  );
  const agent = new FakeAgent();
  const settings = [`--data-dir=${dataDir}`];
  // Beyond the largest process id of Linux: it has ended once it is told to.
  agent.running = { pid: 4_194_305, version: "1.2.3", build: "1-0", settings, ready: true };
  const start = ["--data-dir", dataDir, "start", "--api-port", "0", "--no-quick-start"];
  return { agent, ended: startCommand(start, agent, { controlPlane }).ended };
}

test("game servers that ran before outlive a start that fails", async () => {
  const { agent, ended } = failingStart(true);
  const { code, err } = await ended;
  expect(code).not.toBe(0);
  expect(err).toContain("tls.crt");
  expect(err).toContain("The start failed; the game servers go on, and the next start finds them.");
  expect(agent.running).toBeDefined();
});

test("a first start that fails leaves nothing running", async () => {
  const { agent, ended } = failingStart(false);
  expect((await ended).err).not.toContain("go on");
  expect(agent.running).toBeUndefined();
});
