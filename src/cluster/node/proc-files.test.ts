import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { describe, expect, onTestFinished, test } from "vitest";
import { systemClock } from "#runtime/clock.ts";
import { createLinuxProcessHost } from "./linux-process-host.ts";
import { commandLineOf, firstChild, isAlive, processesWith, readStat } from "./proc-files.ts";

/** Beyond the largest number of a process on Linux. */
const NOBODY = 4_194_305;

test("what has ended is not there", async () => {
  expect([readStat(NOBODY), firstChild(NOBODY), commandLineOf(NOBODY)]).toEqual([undefined, undefined, []]);
  expect(isAlive({ pid: NOBODY, startTime: "1" })).toBe(false);
  expect(await processesWith("STADION_NOBODY_HAS_THIS")).toEqual([]);
});

describe.skipIf(process.platform !== "linux")("while too many files are open", () => {
  test("nothing is known of a process, and no game is taken for ended, nor ended for not being found", async () => {
    const folder = mkdtempSync(join(tmpdir(), "stadion-proc-"));
    const runFile = join(folder, "run");
    const host = createLinuxProcessHost({ clock: systemClock });
    const game = await host.spawn({
      runFile,
      command: ["/bin/sh", "-c", "exec sleep 100"],
      environment: { PATH: process.env.PATH ?? "" },
      workingDirectory: folder,
    });
    onTestFinished(async () => {
      game.signal("SIGKILL");
      await game.ended;
      rmSync(folder, { recursive: true, force: true });
    });

    const program = join(import.meta.dirname, "testing", "no-files-left.ts");
    const command = ["-c", 'ulimit -n 64 && exec "$@"', "sh", process.execPath, program, folder];
    const agent = spawn("/bin/sh", command, { stdio: ["ignore", "pipe", "inherit", "ipc"] });
    const exited = once(agent, "exit");
    onTestFinished(() => void agent.kill("SIGKILL"));
    const [line] = (await once(createInterface(agent.stdout as NodeJS.ReadableStream), "line")) as [string];
    expect(JSON.parse(line)).toEqual({
      looks: ["EMFILE", "EMFILE", "EMFILE"],
      alive: true,
      all: "EMFILE",
      recovered: "EMFILE",
      ended: false,
      later: runFile,
    });
    expect(isAlive(game.identity)).toBe(true);
    // Once it can be looked at, its end is seen.
    agent.send("end");
    expect(await exited).toEqual([0, null]);
  });
});
