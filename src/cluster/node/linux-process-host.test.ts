import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { systemClock } from "#runtime/clock.ts";
import { killAll } from "#tests/harness/processes.ts";
import { createLinuxProcessHost } from "./linux-process-host.ts";
import { commandLineOf, isAlive, processesWith, readStat } from "./proc-files.ts";
import { exitFileOf, type HostProcess, logFileOf, type ProcessHost } from "./process-host.ts";

const sh = "/bin/sh";
let folder: string;
let host: ProcessHost;
let runs = 0;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "stadion-host-"));
  host = createLinuxProcessHost({ clock: systemClock, straySweepMs: 50 });
});
afterEach(async () => {
  killAll(await mine());
  rmSync(folder, { recursive: true, force: true });
});

const start = (script: string, environment: Record<string, string> = {}, args: string[] = []): Promise<HostProcess> =>
  host.spawn({
    runFile: join(folder, String(runs++)),
    command: [sh, "-c", script, "game", ...args],
    environment: { PATH: process.env.PATH ?? "", ...environment },
    workingDirectory: folder,
  });
const mine = async () => (await processesWith("STADION_RUN")).filter(({ value }) => value.startsWith(folder));
const logOf = ({ runFile }: HostProcess) => readFileSync(logFileOf(runFile), "utf8");
const eventually = <T>(check: () => T | Promise<T>) => vi.waitFor(check, { timeout: 15_000, interval: 20 });
const running = (script: HostProcess, line: string) => eventually(() => expect(logOf(script)).toContain(line));
const gone = () => eventually(async () => expect(await mine()).toEqual([]));

describe.skipIf(process.platform !== "linux")("processes on Linux", () => {
  test("write both outputs to their log and tell their exit code", async () => {
    const game = await start("echo out; echo err >&2; exit 3");
    expect((await game.ended)?.exitCode).toBe(3);
    expect(logOf(game)).toBe("out\nerr\n");
  });

  test("get their environment and arguments exactly, odd names included, and nothing of the agent's", async () => {
    const odd = { "my.var": "a b", "with-dash": "$x", IFS: "-", PLAIN: "l1\nl2" };
    const game = await start('tr "\\0" "\\n" </proc/$$/environ; printf "<%s>" "$@"', odd, ["", "two words", "'\"$(x)"]);
    await game.ended;
    const log = logOf(game);
    for (const line of ["my.var=a b", "with-dash=$x", "IFS=-", "PLAIN=l1\nl2"]) expect(log).toContain(`${line}\n`);
    expect(log).toContain("<><two words><'\"$(x)>");
    expect(log).not.toContain("VITEST");
  });

  test("can catch signals that the group is sent, and end as they like", async () => {
    const game = await start('trap "echo bye; exit 5" TERM; echo up; while :; do sleep 0.05; done');
    await running(game, "up");
    game.signal("SIGTERM");
    expect((await game.ended)?.exitCode).toBe(5);
    expect(logOf(game)).toContain("bye");
  });

  test("that are told to end before they have begun end as soon as they begin", async () => {
    const slow = join(folder, "slow-shell");
    const busy = "i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done";
    writeFileSync(slow, `#!${sh}\ntrap : TERM\necho up\n${busy}\nexec ${sh} "$@"\n`, { mode: 0o700 });
    host = createLinuxProcessHost({ clock: systemClock, shell: slow });
    const game = await start("exec sleep 100");
    await running(game, "up");
    game.signal("SIGTERM");
    expect((await game.ended)?.exitCode).toBe(143);
  });

  test.each([
    ["SIGTERM", 143],
    ["SIGKILL", 137],
  ] as const)("that %s ends report %i", async (signal, code) => {
    const game = await start("echo up; exec sleep 100");
    await running(game, "up");
    game.signal(signal);
    expect((await game.ended)?.exitCode).toBe(code);
    await gone();
  });

  test("take their children with them when the main one ends", async () => {
    const game = await start("sleep 100 & setsid sleep 100 & echo up; exit 0");
    expect((await game.ended)?.exitCode).toBe(0);
    await gone();
  });

  test("are ended when their keeper is killed, before that end is told", async () => {
    const game = await start("echo up; exec sleep 100");
    await running(game, "up");
    process.kill(game.identity.pid, "SIGKILL");
    expect((await game.ended)?.exitCode).toBe(137);
    await gone();
  });

  test("show the process a person would look for", async () => {
    const game = await start("echo $$; exec sleep 100");
    await eventually(() => expect(logOf(game)).toMatch(/^\d+\n/));
    expect(game.mainProcess()).toBe(Number(logOf(game)));
    killAll([{ pid: game.mainProcess() }]);
    expect((await game.ended)?.exitCode).toBe(137);
    expect(game.mainProcess()).toBeUndefined();
  });

  test("that cannot be started reject with the reason", async () => {
    const broken = createLinuxProcessHost({ clock: systemClock, shell: join(folder, "no-shell") });
    const request = { runFile: join(folder, "x"), command: [sh], environment: {}, workingDirectory: folder };
    await expect(broken.spawn(request)).rejects.toMatchObject({ code: "SpawnFailed" });
    const huge = { ...request, environment: { HUGE: "x".repeat(4_000_000) } };
    await expect(host.spawn(huge)).rejects.toMatchObject({ code: "SpawnFailed" });
    await expect(host.spawn({ ...request, runFile: join(folder, "no/folder") })).rejects.toThrow("log file");
  });
});

describe.skipIf(process.platform !== "linux")("processes that a helper starts", () => {
  beforeEach(() => {
    host = createLinuxProcessHost({ clock: systemClock, straySweepMs: 50, ownStarts: 0 });
  });

  /** The first ones may still come from the host itself. */
  const startByHelper = (script: string): Promise<HostProcess> =>
    eventually(async () => {
      const game = await start(script);
      if (parentOf(game) !== process.pid) return game;
      game.signal("SIGKILL");
      throw new Error("the helper is not up yet");
    });

  test("tell their exit code, can be ended, and are seen", async () => {
    const game = await startByHelper("echo up; exec sleep 100");
    await running(game, "up");
    expect(commandLineOf(game.mainProcess() ?? 0)).toContain("sleep");
    game.signal("SIGTERM");
    expect((await game.ended)?.exitCode).toBe(143);
    expect(game.mainProcess()).toBeUndefined();
    expect((await (await start("exit 7")).ended)?.exitCode).toBe(7);
    await gone();
  });

  test("that cannot be started reject with the reason", async () => {
    await startByHelper("exit 0");
    const lost = { runFile: join(folder, "no/folder"), command: [sh], environment: {}, workingDirectory: folder };
    await expect(host.spawn(lost)).rejects.toMatchObject({
      code: "SpawnFailed",
      message: expect.stringMatching(/log file/),
    });
  });

  test("outlive it: their end is still told, and what it left undone is done", async () => {
    const game = await startByHelper("echo up; exec sleep 100");
    await running(game, "up");
    process.kill(parentOf(game), "SIGKILL");
    const starting = await Promise.all([start("exit 4"), start("exit 5")]);
    expect(await Promise.all(starting.map(async ({ ended }) => (await ended)?.exitCode))).toEqual([4, 5]);
    expect(isAlive(game.identity)).toBe(true);
    game.signal("SIGTERM");
    expect((await game.ended)?.exitCode).toBe(143);
    await startByHelper("exit 0");
  });
});

describe.skipIf(process.platform !== "linux")("a later agent", () => {
  test("finds what runs and hears of its end", async () => {
    const game = await start("echo up; exec sleep 100");
    await running(game, "up");
    const later = createLinuxProcessHost({ clock: systemClock });
    const found = await later.recover(folder);
    expect([...found.keys()]).toEqual([game.runFile]);
    const adopted = found.get(game.runFile);
    expect(adopted?.identity).toEqual(game.identity);
    adopted?.signal("SIGTERM");
    expect((await adopted?.ended)?.exitCode).toBe(143);
  });

  test("knows the exit code of what ended while nobody was there, and that nobody saw a killed one end", async () => {
    const agent = await agentProcess(["exit 42", "exec sleep 100"]);
    await eventually(() => expect(readFileSync(exitFileOf(join(folder, "run-0")), "utf8")).toBe("42\n"));
    await kill(agent);
    const [sleeper] = await mine();
    expect(sleeper?.value).toBe(join(folder, "run-1"));
    const group = (readStat(sleeper?.pid ?? 0)?.group ?? 0) * -1;
    process.kill(group, "SIGKILL");
    await gone();
    expect(await host.recover(folder)).toEqual(new Map());
    expect(await host.endOf(join(folder, "run-0"))).toMatchObject({ exitCode: 42 });
    expect(await host.endOf(join(folder, "run-1"))).toBeUndefined();
    expect(await host.wasSpawned(join(folder, "run-1"))).toBe(true);
    expect(await host.wasSpawned(join(folder, "run-2"))).toBe(false);
  });

  test("keeps processes whose agent was killed, and ends those that lost their keeper", async () => {
    const agent = await agentProcess(["exec sleep 100", "exec sleep 101"]);
    await eventually(async () => expect(await mine()).toHaveLength(4));
    await kill(agent);
    const keepers = (await mine()).filter(({ pid }) => readStat(pid)?.group === pid);
    const orphaned = keepers.find(({ value }) => value.endsWith("run-0"));
    killAll([{ pid: orphaned?.pid }]);
    // A signal takes its time on a busy machine.
    await eventually(() => expect(readStat(orphaned?.pid ?? 0)?.state ?? "X").toMatch(/[XZ]/));
    const found = await host.recover(folder);
    expect([...found.keys()]).toEqual([join(folder, "run-1")]);
    await eventually(async () =>
      expect((await mine()).map(({ value }) => value)).toEqual(Array(2).fill(join(folder, "run-1"))),
    );
  });

  test("takes no process for another that had its number", async () => {
    const game = await start("exec sleep 100");
    expect(isAlive(game.identity)).toBe(true);
    expect(isAlive({ ...game.identity, startTime: String(Number(game.identity.startTime) - 1) })).toBe(false);
    expect(isAlive({ pid: 2 ** 22 + 1, startTime: "1" })).toBe(false);
  });

  test("hears nothing of processes of another folder", async () => {
    const game = await start("exec sleep 100");
    expect(await host.recover(join(folder, "elsewhere"))).toEqual(new Map());
    expect(isAlive(game.identity)).toBe(true);
  });

  test("takes a damaged exit file for none", async () => {
    const runFile = join(folder, "damaged");
    for (const text of ["", "x", "12345"]) {
      appendFileSync(exitFileOf(runFile), text);
      expect(await host.endOf(runFile)).toBeUndefined();
    }
  });
});

const parentOf = ({ identity }: HostProcess): number =>
  Number(readFileSync(`/proc/${identity.pid}/stat`, "latin1").replace(/.*\)/, "").split(" ")[2]);

/** Another program that starts these scripts as `run-0`, `run-1`, … and then waits. */
async function agentProcess(scripts: readonly string[]): Promise<ChildProcess> {
  const module = (file: string) => JSON.stringify(new URL(file, import.meta.url).href);
  const program = `
    const { createLinuxProcessHost } = await import(${module("./linux-process-host.ts")});
    const { systemClock } = await import(${module("../../runtime/clock.ts")});
    const host = createLinuxProcessHost({ clock: systemClock });
    for (const [index, script] of ${JSON.stringify(scripts)}.entries())
      await host.spawn({ runFile: ${JSON.stringify(`${folder}/run-`)} + index, command: ["/bin/sh", "-c", script],
        environment: { PATH: process.env.PATH }, workingDirectory: ${JSON.stringify(folder)} });
    process.stdout.write("started");
    setInterval(() => {}, 1000);`;
  const agent = spawn(process.execPath, ["--input-type=module", "-e", program], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  await once(agent.stdout ?? agent, "data");
  return agent;
}

async function kill(agent: ChildProcess): Promise<void> {
  const exited = once(agent, "exit");
  agent.kill("SIGKILL");
  await exited;
}
