import { readdir, readFile, realpath } from "node:fs/promises";
import { join } from "node:path";

/**
 * Processes of a data folder's game servers, one for each, told by Linux: all that belong to one have in their environment, as
 * `STADION_RUN`, where its files stand. For when no node agent can be asked.
 */
export async function leftGames(dataDir: string): Promise<readonly number[]> {
  const folder = await realpath(join(dataDir, "node")).catch(() => undefined);
  const entries = folder === undefined ? [] : await readdir("/proc").catch(() => []);
  const found: { readonly pid: number; readonly run: string }[] = [];
  for (const pid of entries.map(Number).filter(Number.isInteger)) {
    const run = await runOf(pid);
    if (run?.startsWith(`${folder}/`)) found.push({ pid, run });
  }
  return [...Map.groupBy(found, ({ run }) => run).values()].map((members) => gameOf(members.map(({ pid }) => pid)));
}

/** Undefined for another user's process, and for one that has just ended. */
async function runOf(pid: number): Promise<string | undefined> {
  const environment = await readFile(`/proc/${pid}/environ`, "utf8").catch(() => "");
  return /(?:^|\0)STADION_RUN=([^\0]*)/.exec(environment)?.[1];
}

/** Not the shell that was started before the game, to wait for it. */
const gameOf = (pids: readonly number[]): number => pids.toSorted((a, b) => a - b).at(pids.length > 1 ? 1 : 0) ?? 0;
