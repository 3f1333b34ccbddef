/** Where everything of one test run lies: made before the first test, and looked through for left-over processes after the last. */
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { bundle } from "../../tools/build/bundle.ts";
import { killAll, processesOf } from "./processes.ts";

declare module "vitest" {
  interface ProvidedContext {
    readonly runFolder: string;
  }
}

/** Set up once for all test files, with the bundles that `npm start` would make. The teardown fails the run when a process of a test is still there, and ends it. */
export default async function setUp(project: TestProject): Promise<() => void> {
  const root = join(import.meta.dirname, "..", "..");
  await bundle(root, join(root, "dist"));
  // Sockets stand in data folders, and their paths must be short.
  const parent = tmpdir().length > 20 ? "/tmp" : tmpdir();
  const folder = realpathSync(mkdtempSync(join(parent, "stadion-")));
  project.provide("runFolder", folder);
  return () => {
    const left = processesOf(folder);
    killAll(left);
    rmSync(folder, { recursive: true, force: true });
    if (left.length === 0) return;
    const names = left.map(({ pid, command }) => `${pid} ${command.join(" ")}`);
    throw new Error(`processes were left over by tests:\n${names.join("\n")}`);
  };
}
