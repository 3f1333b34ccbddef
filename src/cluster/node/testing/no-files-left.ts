/**
 * A program for a test: what is known of a game while this process can open no more files. Argument: the folder of the game's run. Prints
 * one line of JSON with what it found, and another once the game has ended. To be started with a small limit of open files.
 */
import { closeSync, openSync } from "node:fs";
import { FakeClock } from "#runtime/clock.ts";
import { createLinuxProcessHost } from "../linux-process-host.ts";
import { commandLineOf, firstChild, isAlive, processesWith, readStat } from "../proc-files.ts";

const [folder = ""] = process.argv.slice(2);
const codeOf = (error: unknown): unknown => (error as NodeJS.ErrnoException).code;

/** Opens what there is to open; returns what gives it back. */
function takeAllFiles(): () => void {
  const taken: number[] = [];
  try {
    for (;;) taken.push(openSync("/dev/null", "r"));
  } catch {
    return () => taken.splice(0).forEach(closeSync);
  }
}

const thrown = (look: (pid: number) => unknown): unknown => {
  try {
    look(process.pid);
    return undefined;
  } catch (error) {
    return codeOf(error);
  }
};

const clock = new FakeClock();
const [adopted] = (await createLinuxProcessHost({ clock }).recover(folder)).values();
let ended = false;
const end = adopted?.ended.then(() => {
  ended = true;
});

// Whatever is loaded when it is first used, is loaded now.
await processesWith("PATH");
const giveBack = takeAllFiles();
const looks = [readStat, firstChild, commandLineOf].map(thrown);
const alive = isAlive({ pid: process.pid, startTime: "1" });
const all = await processesWith("PATH").then(() => undefined, codeOf);
const recovered = await createLinuxProcessHost({ clock })
  .recover(folder)
  .then(() => undefined, codeOf);
await clock.advance(2_000);
giveBack();
await clock.advance(2_000);
const [later] = (await createLinuxProcessHost({ clock }).recover(folder)).keys();
console.log(JSON.stringify({ looks, alive, all, recovered, ended, later }));

process.once("message", async () => {
  adopted?.signal("SIGKILL");
  for (;;) {
    await clock.advance(500);
    if (ended) break;
  }
  await end;
  process.disconnect?.();
});
