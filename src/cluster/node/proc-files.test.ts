import type * as fs from "node:fs";
import { mkdtempSync, rmSync } from "node:fs";
import type * as promises from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { FakeClock, systemClock } from "#runtime/clock.ts";
import { createLinuxProcessHost } from "./linux-process-host.ts";
import { commandLineOf, firstChild, isAlive, processesWith, readStat } from "./proc-files.ts";
import type { HostProcess } from "./process-host.ts";

/** What the system says of each look at a process; undefined while all is well. */
const refusal = vi.hoisted(() => ({ code: undefined as string | undefined }));
const refuse = vi.hoisted(() => (path: unknown) => {
  if (refusal.code !== undefined && String(path).startsWith("/proc/"))
    throw Object.assign(new Error(`${refusal.code}: open`), { code: refusal.code });
});
vi.mock("node:fs", async (importOriginal) => {
  const original = await importOriginal<typeof fs>();
  const readFileSync = (...args: Parameters<typeof fs.readFileSync>) => {
    refuse(args[0]);
    return original.readFileSync(...args);
  };
  return { ...original, readFileSync };
});
vi.mock("node:fs/promises", async (importOriginal) => {
  const original = await importOriginal<typeof promises>();
  const readFile = async (...args: Parameters<typeof promises.readFile>) => {
    refuse(args[0]);
    return original.readFile(...args);
  };
  return { ...original, readFile };
});

afterEach(() => {
  refusal.code = undefined;
});

test("what has ended, or is another user's, is not there", async () => {
  for (const code of ["ENOENT", "ESRCH", "EACCES"]) {
    refusal.code = code;
    expect([readStat(1), firstChild(1), commandLineOf(1)]).toEqual([undefined, undefined, []]);
    expect(isAlive({ pid: 1, startTime: "1" })).toBe(false);
    expect(await processesWith("PATH")).toEqual([]);
  }
});

describe.skipIf(process.platform !== "linux")("while too many files are open", () => {
  async function running(): Promise<{ readonly folder: string; readonly game: HostProcess }> {
    const folder = mkdtempSync(join(tmpdir(), "stadion-proc-"));
    const host = createLinuxProcessHost({ clock: systemClock });
    const request = { environment: { PATH: process.env.PATH ?? "" }, workingDirectory: folder };
    const command = ["/bin/sh", "-c", "exec sleep 100"];
    const game = await host.spawn({ runFile: join(folder, "run"), command, ...request });
    onTestFinished(async () => {
      refusal.code = undefined;
      game.signal("SIGKILL");
      await game.ended;
      rmSync(folder, { recursive: true, force: true });
    });
    return { folder, game };
  }

  test.each(["EMFILE", "ENFILE", "ENOMEM"])(
    "nothing is known of a process, and it counts as alive (%s)",
    async (code) => {
      refusal.code = code;
      for (const look of [readStat, firstChild, commandLineOf]) expect(() => look(process.pid)).toThrow(code);
      await expect(processesWith("PATH")).rejects.toThrow(code);
      expect(isAlive({ pid: process.pid, startTime: "1" })).toBe(true);
    },
  );

  test("a game that an earlier agent started is not taken for ended", async () => {
    const { folder } = await running();
    const clock = new FakeClock();
    const [adopted] = (await createLinuxProcessHost({ clock }).recover(folder)).values();
    const end = vi.fn();
    void adopted?.ended.then(end);
    refusal.code = "EMFILE";
    await clock.advance(2_000);
    refusal.code = undefined;
    await clock.advance(2_000);
    expect(end).not.toHaveBeenCalled();
    adopted?.signal("SIGKILL");
    await vi.waitFor(async () => {
      await clock.advance(500);
      expect(end).toHaveBeenCalled();
    });
  });

  test("no game is ended for not being found by a new agent, which does not begin", async () => {
    const { folder, game } = await running();
    refusal.code = "EMFILE";
    const later = createLinuxProcessHost({ clock: systemClock });
    await expect(later.recover(folder)).rejects.toThrow("EMFILE");
    refusal.code = undefined;
    expect(isAlive(game.identity)).toBe(true);
    expect([...(await later.recover(folder)).keys()]).toEqual([game.runFile]);
  });
});
