/** `npm run check`: types, lint and format, dead code, import directions, file lengths, duplicates. All run; any fault fails. */
import { spawnSync } from "node:child_process";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");
const bin = (name: string) => join(root, "node_modules", ".bin", name);

const steps: readonly (readonly [name: string, command: string, args: readonly string[]])[] = [
  ["types", bin("tsc"), []],
  ["lint and format", bin("biome"), ["check", "--error-on-warnings", "."]],
  ["dead code", bin("knip"), []],
  ["structure", process.execPath, [join(root, "tools/structure/run.ts")]],
];

let failed = false;
for (const [name, command, args] of steps) {
  const { status } = spawnSync(command, args, { stdio: "inherit", cwd: root });
  console.log(`${status === 0 ? "ok    " : "FAILED"}  ${name}`);
  failed ||= status !== 0;
}
process.exitCode = failed ? 1 : 0;
