import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { FakeClock } from "#runtime/clock.ts";
import type { AgentIdentity } from "../agent.ts";
import { Supervisor, type SupervisorOptions } from "./supervisor.ts";

/** What happened, in its order; the scripts write into it too. */
let events: string;
let home: string;
let clock: FakeClock;
let said: string[];
let ports: number[];
let agent: { identity: AgentIdentity | undefined; silent?: boolean };
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "stadion-supervisor-"));
  events = join(home, "events");
  mkdirSync(join(home, "logs"));
  clock = new FakeClock();
  [said, ports] = [[], []];
  agent = { identity: undefined };
});
afterEach(() => {
  for (const pid of happened().flatMap((event) => /^\S+ (\d+) starts$/.exec(event)?.[1] ?? [])) {
    try {
      process.kill(Number(pid), "SIGKILL");
    } catch {
      // It has ended, as it should.
    }
  }
  rmSync(home, { recursive: true, force: true });
});

const happened = (): readonly string[] =>
  existsSync(events) ? readFileSync(events, "utf8").trimEnd().split("\n") : [];
/** What happened, without process ids. */
const told = () => happened().map((event) => event.replace(/ \d+/, ""));
const isAlive = (name: string): boolean => {
  const pid = happened()
    .findLast((event) => event.startsWith(`${name} `) && event.endsWith("starts"))
    ?.split(" ")[1];
  try {
    return process.kill(Number(pid), 0);
  } catch {
    return false;
  }
};

/** A part that tells its start and its orderly end, and does `work` between. */
function script(name: string, work: string): string {
  const file = join(home, `${name}.mjs`);
  writeFileSync(
    file,
    `import { appendFileSync } from "node:fs";
    const tell = (what) => appendFileSync(${JSON.stringify(events)}, "${name} " + what + "\\n");
    process.on("SIGTERM", () => { tell("ends"); process.exit(0); });
    tell(process.pid + " starts");
    setInterval(() => {}, 1000);
    ${work}`,
  );
  return file;
}

/** Beyond the largest process id of Linux: an agent of that id has ended as soon as it falls silent. */
const GONE = 4_194_305;
const AGENT: AgentIdentity = { pid: GONE, version: "1", build: "1-0", settings: [], ready: true };

const SERVES = `process.send({ type: "ready", address: "https://127.0.0.1:4321" });`;

function supervise(controlPlane: string, options: Partial<SupervisorOptions> = {}): Supervisor {
  const [first, second] = [script("control-plane", controlPlane), script("node-agent", "")];
  const tell = (event: string) => writeFileSync(events, `${event}\n`, { flag: "a" });
  return new Supervisor({
    folder: {
      path: home,
      isNew: true,
      lacksFleet: false,
      noteFleet: () => {},
      lostDatabase: undefined,
      kubeconfig: join(home, "kubeconfig"),
      logs: join(home, "logs"),
      token: () => "",
      restoreToken: () => {},
      release: () => tell("lock released"),
      discard: () => {},
    },
    controlPlane: (port) => {
      ports.push(port);
      return [first];
    },
    apiPort: 0,
    nodeAgent: [second],
    agent: {
      identity: async () => {
        if (agent.silent) throw Object.assign(new Error("no answer"), { code: "AgentSilent" });
        return agent.identity;
      },
      containers: async () => [],
      stop: async (keep) => {
        tell(`agent told to stop, keeping ${keep}`);
        agent.identity = undefined;
      },
    },
    version: "1",
    agentBuild: "1-0",
    onMade: () => said.push("made"),
    onServesAgain: (address) => said.push(`serves again at ${address}`),
    env: { PATH: process.env.PATH },
    terminal: { out: () => {}, err: (line) => said.push(line) },
    clock,
    ...options,
  });
}
const never = () => new AbortController().signal;
/** No second Ctrl-C. */
const patient = never();

test("starts both, tells the address, and stops in order: first what decides, then what runs", async () => {
  const supervisor = supervise(SERVES);
  expect(await supervisor.start(never())).toBe("https://127.0.0.1:4321");
  await expect.poll(() => told().toSorted()).toEqual(["control-plane starts", "node-agent starts"]);
  agent.identity = AGENT;
  await supervisor.stop(false, patient);
  expect(told().slice(2)).toEqual([
    "control-plane ends",
    "agent told to stop, keeping none",
    "node-agent ends",
    "lock released",
  ]);
});

test("with keep, the agent and its game servers go on", async () => {
  const supervisor = supervise(SERVES);
  await supervisor.start(never());
  await expect.poll(() => told()).toContain("node-agent starts");
  await supervisor.stop(true, patient);
  expect(told().slice(2)).toEqual(["control-plane ends", "lock released"]);
  expect(isAlive("node-agent")).toBe(true);
  expect(isAlive("control-plane")).toBe(false);
});

test("a part that ends is started again, and its last words are told; a chosen port stays", async () => {
  const words = JSON.stringify(
    JSON.stringify({ severity: "fatal", message: "the end", error: { message: "no room" } }),
  );
  const supervisor = supervise(`console.log(${words}); ${SERVES}`);
  await supervisor.start(never());
  process.kill(
    Number(
      happened()
        .find((event) => event.startsWith("control-plane"))
        ?.split(" ")[1],
    ),
    "SIGABRT",
  );
  await expect.poll(() => said.length).toBeGreaterThan(1);
  expect(said).toEqual([
    `The control plane ended (signal SIGABRT) and is started again in 0.1 s; its log is ${home}/logs/control-plane.log.`,
    "  the end: no room",
  ]);
  await clock.advance(100);
  await expect.poll(() => told().filter((event) => event === "control-plane starts")).toHaveLength(2);
  await expect.poll(() => said.at(-1)).toBe("serves again at https://127.0.0.1:4321");
  expect(ports).toEqual([0, 4321]);
  agent.identity = AGENT;
  await supervisor.stop(false, patient);
});

test("of a part that was killed nothing is quoted: it had no time to say why", async () => {
  const words = JSON.stringify(JSON.stringify({ severity: "error", message: "no matter" }));
  const supervisor = supervise(`console.log(${words}); process.kill(process.pid, "SIGKILL");`);
  void supervisor.start(never());
  await expect.poll(() => said.length).toBeGreaterThan(0);
  expect(said).toHaveLength(1);
  await supervisor.stop(true, patient);
});

test("a control plane that refuses to serve ends the start with its words, and is not started again", async () => {
  const supervisor = supervise(
    `process.send({ type: "refused", message: "the folder is newer" }, () => process.exit(78));`,
  );
  await expect(supervisor.start(never())).rejects.toMatchObject({ code: "Usage", message: "the folder is newer" });
  await clock.advance(60_000);
  expect(told().filter((event) => event === "control-plane starts")).toHaveLength(1);
  expect(isAlive("node-agent")).toBe(false);
  expect(told().at(-1)).toBe("lock released");
  expect(told().join()).not.toContain("told to stop");
});

test("a control plane that has served, and cannot for a while, is tried again until it can", async () => {
  const supervisor = supervise(`
    const { readFileSync } = await import("node:fs");
    const starts = readFileSync(${JSON.stringify(events)}, "utf8").match(/^control-plane .*starts$/gm).length;
    if (starts === 2) process.send({ type: "refused", message: "the port is in use" }, () => process.exit(78));
    else ${SERVES}`);
  await supervisor.start(never());
  const starts = () => happened().filter((event) => /^control-plane .*starts$/.test(event));
  process.kill(Number(starts()[0]?.split(" ")[1]), "SIGKILL");
  await expect.poll(() => said.length).toBe(1);
  await clock.advance(1_000);
  await expect.poll(() => said.length).toBe(2);
  expect(said[1]).toMatch(/^The control plane ended \(exit code 78\) and is started again in/);
  await clock.advance(10_000);
  await expect.poll(() => starts().length).toBe(3);
  expect(isAlive("control-plane")).toBe(true);
  await supervisor.stop(true, patient);
});

test("Ctrl-C before the address is known ends the start without one", async () => {
  const interrupt = new AbortController();
  const supervisor = supervise("");
  const starting = supervisor.start(interrupt.signal);
  await expect.poll(() => told()).toContain("node-agent starts");
  interrupt.abort();
  expect(await starting).toBeUndefined();
  await supervisor.stop(false, patient);
  expect(isAlive("control-plane") || isAlive("node-agent")).toBe(false);
});

test("an agent that runs already is adopted, and replaced by a new one once it is silent", async () => {
  agent.identity = AGENT;
  const supervisor = supervise(SERVES);
  await supervisor.start(never());
  expect(said).toEqual([`Adopted the node agent that was running (process ${GONE}).`]);
  await clock.advance(5_000);
  expect(told()).toEqual(["control-plane starts"]);
  agent.identity = undefined;
  await clock.advance(1_000);
  expect(said.at(-1)).toBe("The node agent ended and is started again.");
  await expect.poll(() => told()).toContain("node-agent starts");
  agent.identity = AGENT;
  await supervisor.stop(false, patient);
});

test("an adopted agent that lives and cannot be asked is not doubled", async () => {
  const living = { ...AGENT, pid: process.pid };
  agent.identity = living;
  const supervisor = supervise(SERVES);
  await supervisor.start(never());
  agent.identity = undefined;
  await clock.advance(10_000);
  expect(said).toEqual([`Adopted the node agent that was running (process ${process.pid}).`]);
  agent.identity = living;
  await supervisor.stop(true, patient);
});

test.each([
  ["of another version", { version: "0" }],
  ["of another build", { build: "2-0" }],
  ["of another build", { build: undefined }],
  ["with other settings", { settings: ["--node-cpu=2"] }],
])("an agent %s makes room, its game servers stay: %o", async (odd, difference) => {
  agent.identity = { ...AGENT, ...difference };
  const supervisor = supervise(SERVES);
  await supervisor.start(never());
  expect(said[0]).toBe(`Replacing the node agent ${odd} (process ${GONE}); its game servers go on.`);
  await expect.poll(() => told()).toContain("node-agent starts");
  expect(told()).toContain("agent told to stop, keeping servers");
  agent.identity = AGENT;
  await supervisor.stop(false, patient);
});

test("an agent that does not answer is waited for, said so once, and adopted when it does", async () => {
  [agent.identity, agent.silent] = [AGENT, true];
  const supervisor = supervise(SERVES);
  const starting = supervisor.start(never());
  await expect.poll(() => said).toHaveLength(1);
  expect(said[0]).toMatch(/^The node agent that runs does not answer\. Waiting for it; /);
  await clock.advance(2_000);
  expect(told()).not.toContain("node-agent starts");
  agent.silent = false;
  await clock.advance(500);
  expect(await starting).toBe("https://127.0.0.1:4321");
  expect(said.slice(1)).toEqual([`Adopted the node agent that was running (process ${GONE}).`]);
  await supervisor.stop(false, patient);
});

test("Ctrl-C ends a start that waits for an agent which does not answer, and its game servers go on", async () => {
  [agent.identity, agent.silent] = [AGENT, true];
  const supervisor = supervise("setInterval(() => {}, 1000);");
  const interrupted = new AbortController();
  const starting = supervisor.start(interrupted.signal);
  await expect.poll(() => said).toHaveLength(1);
  interrupted.abort();
  expect(await starting).toBeUndefined();
  await supervisor.stop(false, patient);
  expect(said[1]).toBe("The node agent does not answer, and was not told to stop: its game servers go on.");
  expect(told()).not.toContain("node-agent starts");
  expect(told()).toContain("lock released");
});

test("an agent that does not answer for long is ended and started again, one that does so for a while is not", async () => {
  const hung = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { stdio: "ignore" });
  const ended = once(hung, "exit");
  agent.identity = { ...AGENT, pid: hung.pid ?? 0 };
  const supervisor = supervise(SERVES);
  await supervisor.start(never());
  const pass = async (ms: number) => {
    for (let passed = 0; passed < ms; passed += 1_000) await clock.advance(1_000);
  };
  await pass(5_000);
  agent.silent = true;
  await pass(25_000);
  agent.silent = false;
  await pass(10_000);
  agent.silent = true;
  await pass(30_000);
  expect(said).toEqual([`Adopted the node agent that was running (process ${hung.pid}).`]);
  await pass(10_000);
  expect(await ended).toEqual([null, "SIGKILL"]);
  expect(said[1]).toBe(
    `The node agent (process ${hung.pid}) does not answer any more and is ended; its game servers go on.`,
  );
  [agent.identity, agent.silent] = [undefined, false];
  await pass(2_000);
  expect(said.slice(2)).toEqual(["The node agent ended and is started again."]);
  await expect.poll(() => told()).toContain("node-agent starts");
  agent.identity = AGENT;
  await supervisor.stop(false, patient);
});

test("an agent that has just been started gets time to know its game servers before it is told to end them", async () => {
  const supervisor = supervise(SERVES);
  await supervisor.start(never());
  agent.identity = { ...AGENT, ready: false };
  const stopping = supervisor.stop(false, patient);
  await clock.advance(2_000);
  expect(told()).not.toContain("control-plane ends");
  agent.identity = AGENT;
  await clock.advance(50);
  await stopping;
  expect(told()).toContain("agent told to stop, keeping none");
});

test("what the control plane says is told, and the start is over once it says so, with a fleet to show commands with", async () => {
  const example = { name: "arena", replicas: 3 };
  const told = [
    { type: "made" },
    { type: "said", line: "0 of 3" },
    { type: "said", line: "3 of 3" },
    { type: "started", example },
  ];
  const supervisor = supervise(`${SERVES} for (const each of ${JSON.stringify(told)}) process.send(each);`);
  await supervisor.start(never());
  expect(await supervisor.started(never())).toEqual(example);
  expect(said).toEqual(["made", "0 of 3", "3 of 3"]);
  await supervisor.stop(true, patient);
});

test("a quick start that fails ends the start with its words", async () => {
  const failed = { type: "failed", code: "TimedOut", message: "fleet arena has 0 of 3 servers Ready" };
  const supervisor = supervise(`${SERVES} process.send(${JSON.stringify(failed)});`);
  await supervisor.start(never());
  await expect(supervisor.started(never())).rejects.toMatchObject({ code: "TimedOut", message: failed.message });
  await supervisor.stop(true, patient);
});

test("of a start that was interrupted nothing more is told", async () => {
  const interrupt = new AbortController();
  const late = `setTimeout(() => { process.send({ type: "said", line: "0 of 3" }); process.send({ type: "made" }); }, 50);`;
  const supervisor = supervise(`${SERVES} ${late}`);
  await supervisor.start(interrupt.signal);
  interrupt.abort();
  await expect.poll(() => said).toEqual(["made"]);
  await supervisor.stop(true, patient);
});

test("nobody waits for the end of a start that was interrupted", async () => {
  const supervisor = supervise(SERVES);
  await supervisor.start(never());
  expect(await supervisor.started(AbortSignal.abort())).toBeUndefined();
  await supervisor.stop(true, patient);
});
