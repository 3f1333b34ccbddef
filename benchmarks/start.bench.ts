/**
 * How long a person waits from the command to three Ready servers, on a new data folder.
 *
 * - `start`: what `npm start` runs, `node tools/start.mjs`, until it says that the cluster runs, which it does when it has seen three
 *   servers of the quick-start fleet Ready. Started once before it is measured: the bundles and Node's cache of compiled code are
 *   there, as they are for a person from the second start on.
 * - `start-with-npm`: the same through `npm start`, npm's own start included.
 * - `start-first`: the very first start of an installed tree, which bundles the sources and compiles them.
 *
 * Yardstick of each: `node -e 0`, on the pinned Node, five times one after the other. Medians; ours and the yardstick take turns.
 */
import { spawnSync } from "node:child_process";
import { cpSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { inFolder, ROOT, RunningCluster, START } from "./cluster.ts";
import { type Benchmark, median } from "./figure.ts";

const ROUNDS = 7;
const FIRST_ROUNDS = 3;
const TARGET = 3;

export const benchmark: Benchmark = async (tell) => {
  const times = { bare: [] as number[], start: [] as number[], npm: [] as number[], first: [] as number[] };
  await timeToRun(START);
  for (let round = 1; round <= ROUNDS; round++) {
    times.bare.push(bareStarts());
    times.start.push(await timeToRun(START));
    times.npm.push(await timeToRun(["npm", "start", "--silent", "--", "--api-port", "0"]));
    if (round <= FIRST_ROUNDS) times.first.push(await timeToFirstRun());
    tell(`round ${round} of ${ROUNDS}`);
  }
  const against = median(times.bare);
  return [
    { name: "start", value: median(times.start), unit: "ms", against, target: TARGET },
    { name: "start-with-npm", value: median(times.npm), unit: "ms", against, target: null },
    { name: "start-first", value: median(times.first), unit: "ms", against, target: null },
  ];
};

function bareStarts(): number {
  const started = performance.now();
  for (let count = 0; count < 5; count++) spawnSync(process.execPath, ["-e", "0"]);
  return performance.now() - started;
}

const timeToRun = (command: readonly string[], root = ROOT): Promise<number> =>
  inFolder(async (folder) => {
    await using cluster = await RunningCluster.start(command, join(folder, "data"), root);
    return cluster.startedInMs;
  });

/** In a copy of the sources: neither bundles nor compiled code of them are there. */
const timeToFirstRun = (): Promise<number> =>
  inFolder(async (root) => {
    for (const part of ["src", "tools", "examples", "package.json", "package-lock.json", "tsconfig.json"])
      cpSync(join(ROOT, part), join(root, part), { recursive: true });
    symlinkSync(join(ROOT, "node_modules"), join(root, "node_modules"));
    try {
      return await timeToRun(START, root);
    } finally {
      rmSync(join(root, "node_modules"));
    }
  });
