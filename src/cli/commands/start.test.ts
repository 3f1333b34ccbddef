import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { FakeAgent, startCommand } from "#tests/command-line/command-line.ts";

/** One that is adopted. Its process id is beyond the largest of Linux: it has ended once it is told to. */
function runningAgent(dataDir: string): FakeAgent {
  const agent = new FakeAgent();
  const settings = [`--data-dir=${dataDir}`];
  agent.running = { pid: 4_194_305, version: "1.2.3", build: "1-0", settings, ready: true };
  return agent;
}

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
  const agent = runningAgent(dataDir);
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

/** A control plane that notes what it was asked to make in each of its lives; the first two are short, and the second makes it. */
function livesOf(home: string) {
  const [dataDir, lives, controlPlane] = [join(home, "data"), join(home, "lives"), join(home, "control-plane.mjs")];
  writeFileSync(
    controlPlane,
    `import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
    process.on("SIGTERM", () => process.exit(0));
    for (const made of ["token", "tls.crt"]) writeFileSync(${JSON.stringify(dataDir)} + "/" + made, "");
    appendFileSync(${JSON.stringify(lives)}, process.argv.find((word) => word.startsWith("--quick-start=")) + "\\n");
    const life = readFileSync(${JSON.stringify(lives)}, "utf8").split("\\n").length - 1;
    process.send({ type: "ready", address: "https://127.0.0.1:4321" });
    if (life === 2) process.send({ type: "made" });
    if (life === 3) process.send({ type: "started", example: { name: "arena", replicas: 3 } });
    setTimeout(() => process.exit(1), life === 2 ? 100 : 100_000);`,
  );
  const asked = () => readFileSync(lives, "utf8").trimEnd().split("\n");
  const start = () =>
    startCommand(["--data-dir", dataDir, "start", "--api-port", "0"], runningAgent(dataDir), {
      controlPlane,
      quickStart: "/fleet.json",
    });
  return { dataDir, asked, start };
}

test("the first fleet is asked of each control plane, in this start and the next, until one has made it", async () => {
  const home = mkdtempSync(join(tmpdir(), "stadion-start-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const { dataDir, asked, start } = livesOf(home);
  const wanted = join(dataDir, "quick-start");
  const first = start();
  await expect.poll(() => existsSync(join(dataDir, "kubeconfig"))).toBe(true);
  first.ctrlC();
  await first.ended;
  expect(existsSync(wanted)).toBe(true);
  const second = start();
  await expect.poll(() => second.out.join("\n"), { timeout: 10_000 }).toContain(`${dataDir} allocate arena`);
  expect(existsSync(wanted)).toBe(false);
  second.ctrlC();
  await second.ended;
  expect(asked()).toEqual(["--quick-start=/fleet.json", "--quick-start=/fleet.json", "--quick-start="]);
});
