/** Every rule of the lives of servers and fleets has tests, which are there under the names that they are known by. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { plain, rowsWith } from "../reference/markdown.ts";
import { ROOT } from "../reference/sources.ts";
import { LIVES } from "./lives.ts";

const page = readFileSync(join(ROOT, "docs/reference/lives.md"), "utf8");
const rules = rowsWith(page, "Rule").map(({ Rule = "" }) => plain(Rule));

test("every rule has a test, and every test a rule", () => {
  expect(Object.keys(LIVES).toSorted()).toEqual(rules.toSorted());
  expect(Object.entries(LIVES).filter(([, tests]) => tests.length === 0)).toEqual([]);
});

test.each(Object.entries(LIVES))("the tests of %s are there", (_rule, tests) => {
  const lost = tests.filter(({ file, title }) => {
    const path = join(ROOT, file);
    return !existsSync(path) || !readFileSync(path, "utf8").includes(title);
  });
  expect(lost).toEqual([]);
});
