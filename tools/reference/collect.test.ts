import { expect, test } from "vitest";
import { errorClasses } from "./error-classes.ts";
import { exitCodes, mentioned, objectKeys, readVariables } from "./literals.ts";
import { rowsWith, table, withBlocks } from "./markdown.ts";
import { parseSource } from "./sources.ts";

const source = (text: string) => parseSource("src/x.ts", text);

test("finds the codes of an error class behind literals, unions, other types and the keys of an object", () => {
  const found = errorClasses([
    source(`class A extends Error { readonly code = "One"; }
      export class B extends Error { readonly code: Code; }
      class C extends Error { readonly code: Exclude<keyof typeof NUMBERS, "OK">; }
      class D extends Error {}
      class E extends Other { readonly code = "None"; }`),
    source(`type Code = "Two" | Inner; type Inner = "Three"; const NUMBERS = { OK: 0, Four: 4 } as const;`),
  ]);
  expect(found.map(({ name, codes }) => [name, codes])).toEqual([
    ["A", ["One"]],
    ["B", ["Three", "Two"]],
    ["C", ["Four"]],
    ["D", []],
  ]);
});

test("an error code that is any text is a fault", () => {
  expect(() => errorClasses([source("class A extends Error { readonly code: string; }")])).toThrow("src/x.ts: A");
});

test("finds names however they are written", () => {
  const found = source(`
    function f({ PortRanges }: Gates, gates: Gates) { if (gates.PlayerTracking) return process.env.HOME || process.env[name]; }
    const key = "example.dev/x", version = "example.dev/v1";
    process.exit(failed ? 78 : 1); process.exitCode ||= 3; process.exitCode = codeOf(error);`);
  expect(mentioned([found], ["PortRanges", "PlayerTracking", "Example"])).toEqual(["PlayerTracking", "PortRanges"]);
  expect(readVariables([found])).toEqual(["HOME"]);
  expect(objectKeys([found])).toEqual(["example.dev/x"]);
  expect(exitCodes(found)).toEqual([1, 3, 78]);
});

test("a table reads as it was written, bars in its cells too", () => {
  expect(
    rowsWith(
      `# Page\n\n${table(
        ["A", "B"],
        [
          ["x|y", ""],
          ["z", "1"],
        ],
      )}\n`,
      "B",
    ),
  ).toEqual([
    { A: "x|y", B: "" },
    { A: "z", B: "1" },
  ]);
});

test("a block is written between its marks; a mark without a block and a block without a mark are faults", () => {
  const page = "before\n<!-- generated: x -->\nold\n<!-- end -->\nafter\n";
  expect(withBlocks(page, new Map([["x", "new"]]))).toBe(
    "before\n<!-- generated: x -->\n\nnew\n\n<!-- end -->\nafter\n",
  );
  expect(() => withBlocks(page, new Map())).toThrow('"x"');
  expect(() => withBlocks("", new Map([["y", ""]]))).toThrow("no mark for y");
});
