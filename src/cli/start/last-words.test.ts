import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { lastWords } from "./last-words.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "stadion-words-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const of = (text: string) => {
  writeFileSync(join(folder, "log"), text);
  return lastWords(join(folder, "log"));
};

test("a record of a fault says its message and its error's", () => {
  expect(of('{"message":"first"}\n{"severity":"error","message":"it broke","error":{"message":"no room"}}\n')).toEqual([
    "it broke: no room",
  ]);
});

test("a record of what goes on as it should is no reason to end", () => {
  for (const severity of ["info", "warn", "debug"])
    expect(of(`{"severity":"error","message":"long ago"}\n{"severity":"${severity}","message":"listening"}\n`)).toEqual(
      [],
    );
});

test("a record's stack is left out, all lines of its message stay", () => {
  expect(
    of(
      `${JSON.stringify({ severity: "fatal", message: "ConfigError: --a is wrong\n--b is wrong\n    at main (x.ts:1)" })}\n`,
    ),
  ).toEqual(["ConfigError: --a is wrong", "--b is wrong"]);
});

test("of an error that Node prints, the line that names it", () => {
  const printed = `{"message":"earlier"}
file:///x.ts:47
  if (left.size > 0) throw new Error();
                     ^

Error [ERR_MODULE_NOT_FOUND]: Cannot find module '/x.ts'
    at finalizeResolution (node:internal/modules/esm/resolve:1:1) {
  code: 'ERR_MODULE_NOT_FOUND',
}

Node.js v26.10.0
`;
  expect(of(printed)).toEqual(["Error [ERR_MODULE_NOT_FOUND]: Cannot find module '/x.ts'"]);
});

test("only the end of a long log is read", () => {
  expect(of(`${"x".repeat(1_000_000)}\nthe end\n`)).toEqual(["the end"]);
});

test("an empty log and one that is not there say nothing", () => {
  expect(of("")).toEqual([]);
  expect(lastWords(join(folder, "none"))).toEqual([]);
});
