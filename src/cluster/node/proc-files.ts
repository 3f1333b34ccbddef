/** What Linux tells about processes under `/proc`. All reads are small and answered from memory. */
import { readFileSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import type { ProcessIdentity } from "./process-host.ts";

interface Stat {
  readonly state: string;
  readonly group: number;
  /** Clock ticks since the machine started: no two processes with one pid share it. */
  readonly startTime: string;
}

/** Fields 3, 5 and 22 of `/proc/PID/stat` (proc(5)); `undefined` when there is no such process. */
export function readStat(pid: number): Stat | undefined {
  let text: string;
  try {
    text = readFileSync(`/proc/${pid}/stat`, "latin1");
  } catch {
    return undefined;
  }
  // The second field is the program's name in parentheses and may hold anything, parentheses and spaces included.
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  const [state, , group] = fields;
  const startTime = fields[19];
  return state && startTime ? { state, group: Number(group), startTime } : undefined;
}

/** False for a process that ended but was not waited for, and for a later process with the same number. */
export function isAlive({ pid, startTime }: ProcessIdentity): boolean {
  const stat = readStat(pid);
  return stat !== undefined && stat.startTime === startTime && stat.state !== "Z" && stat.state !== "X";
}

/** The first child of a process. */
export function firstChild(pid: number): number | undefined {
  try {
    const [child] = readFileSync(`/proc/${pid}/task/${pid}/children`, "latin1").split(" ");
    return child ? Number(child) : undefined;
  } catch {
    return undefined;
  }
}

/** The words a process was started with; none for one that has ended. */
export function commandLineOf(pid: number): readonly string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
  } catch {
    return [];
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
    const environment = await readFile(`/proc/${pid}/environ`, "utf8").catch(() => "");
    if (!environment.includes(marker)) continue;
    const value = environment.split("\0").find((item) => item.startsWith(marker));
    if (value !== undefined) found.push({ pid, value: value.slice(marker.length) });
  }
  return found;
}
