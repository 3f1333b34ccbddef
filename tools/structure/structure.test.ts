import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { duplicates } from "./duplicates.ts";
import { importFaults } from "./imports.ts";

let src: string;
beforeEach(() => {
  src = mkdtempSync(join(tmpdir(), "stadion-structure-"));
});
afterEach(() => rmSync(src, { recursive: true, force: true }));

function file(path: string, text: string): string {
  const full = join(src, path);
  mkdirSync(dirname(full), { recursive: true });
  writeFileSync(full, text);
  return full;
}
const faults = (path: string, text: string) =>
  importFaults(src, [file(path, text)]).map(({ imports, why }) => `${imports} ${why}`);

describe("import directions", () => {
  test.each([
    ["kube/a.ts", 'import { x } from "#api/meta/json.ts";'],
    ["controllers/a.ts", 'import type { x } from "../views/counts.ts";'],
    ["cluster/node/a.ts", 'export { x } from "#kube/client.ts";'],
    ["bin/a.ts", 'await import("#cluster/store/store.ts");'],
    ["kube/a.test.ts", 'import { x } from "#cluster/apiserver/server.ts";'],
    ["controllers/decide-x.ts", 'import { y } from "./decide-y.ts"; import { x } from "#api/agones/fleet.ts";'],
  ])("%s may hold %s", (path, text) => {
    expect(faults(path, text)).toEqual([]);
  });

  test.each([
    ["api/meta/a.ts", 'import { x } from "#kube/client.ts";', "api/meta may not import this room"],
    ["kube/a.ts", 'import type { x } from "#controllers/a.ts";', "kube may not import this room"],
    ["cluster/apiserver/a.ts", 'import { x } from "#kube/client.ts";', "cluster/apiserver may not import this room"],
    ["cluster/store/a.ts", 'import { x } from "../node/agent.ts";', "cluster/store may not import this room"],
    ["controllers/a.ts", 'export { x } from "#cluster/node/agent.ts";', "controllers may not import this room"],
    ["sdkserver/a.ts", 'const x = await import("#controllers/a.ts");', "sdkserver may not import this room"],
    [
      "controllers/decide-x.ts",
      'import { x } from "#kube/client.ts";',
      "a file that decides is pure: api and other decide files only",
    ],
    ["elsewhere/a.ts", "export {};", "is in no room of tools/structure/rooms.ts"],
  ])("%s may not hold %s", (path, text, why) => {
    expect(faults(path, text)).toEqual([expect.stringContaining(why)]);
  });
});

describe("duplicates", () => {
  const lines = (count: number, word: string) =>
    Array.from({ length: count }, (_, i) => `const ${word}${i} = compute(${i});`).join("\n");

  test("twelve equal lines in two files are found, eleven are not", () => {
    const [a, b] = [file("a.ts", lines(12, "x")), file("b.ts", `const other = 1;\n\n${lines(12, "x")}`)];
    expect(duplicates([a, b])).toEqual([{ first: `${a}:1`, second: `${b}:3`, text: "const x0 = compute(0);" }]);
    expect(duplicates([file("c.ts", lines(11, "y")), file("d.ts", lines(11, "y"))])).toEqual([]);
  });
});
