/**
 * What Linux tells about processes under `/proc`. All reads are small and answered from memory. When the system or this process has no room for
 * one, such as with too many files open, that is thrown: nothing is known then, least of all that a process has ended.
 */
import { readFileSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import type { ProcessIdentity } from "./process-host.ts";

interface Stat {
  readonly state: string;
  readonly group: number;
  /** Clock ticks since the machine started: no two processes with one pid share it. */
  readonly startTime: string;
}

const NO_ROOM: ReadonlySet<string | undefined> = new Set(["EMFILE", "ENFILE", "ENOMEM"]);

/** For a process that has just ended, or is another user's; throws where that is not why nothing was read. */
function unread(error: unknown): undefined {
  if (NO_ROOM.has((error as NodeJS.ErrnoException).code)) throw error;
}

/** Fields 3, 5 and 22 of `/proc/PID/stat` (proc(5)); `undefined` when there is no such process. */
export function readStat(pid: number): Stat | undefined {
  let text: string;
  try {
    text = readFileSync(`/proc/${pid}/stat`, "latin1");
  } catch (error) {
    return unread(error);
  }
  // The second field is the program's name in parentheses and may hold anything, parentheses and spaces included.
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  const [state, , group] = fields;
  const startTime = fields[19];
  return state && startTime ? { state, group: Number(group), startTime } : undefined;
}

/** False for a process that ended but was not waited for, and for a later process with the same number. True while that cannot be known. */
export function isAlive({ pid, startTime }: ProcessIdentity): boolean {
  let stat: Stat | undefined;
  try {
    stat = readStat(pid);
  } catch {
    return true;
  }
  return stat !== undefined && stat.startTime === startTime && stat.state !== "Z" && stat.state !== "X";
}

/** The first child of a process. */
export function firstChild(pid: number): number | undefined {
  try {
    const [child] = readFileSync(`/proc/${pid}/task/${pid}/children`, "latin1").split(" ");
    return child ? Number(child) : undefined;
  } catch (error) {
    return unread(error);
  }
}

/** The words a process was started with; none for one that has ended. */
export function commandLineOf(pid: number): readonly string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
  } catch (error) {
    return unread(error) ?? [];
  }
}

/** Every process that we may look into and whose environment sets `variable`, with its value. */
export async function processesWith(variable: string): Promise<readonly { pid: number; value: string }[]> {
  const found: { pid: number; value: string }[] = [];
  const marker = `${variable}=`;
  for (const entry of await readdir("/proc")) {
    const pid = Number(entry);
    if (!Number.isInteger(pid) || pid === process.pid) continue;
    // Another user's process, or one that has just ended, is none of ours.
    const environment = await readFile(`/proc/${pid}/environ`, "utf8").catch(unread);
    if (!environment?.includes(marker)) continue;
    const value = environment.split("\0").find((item) => item.startsWith(marker));
    if (value !== undefined) found.push({ pid, value: value.slice(marker.length) });
  }
  return found;
}
