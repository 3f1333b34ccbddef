import fc from "fast-check";
import { expect, it } from "vitest";
import { duplicateMembers, isDeeperThan, mayNameTwice } from "./json-text.ts";

it.each([
  ['{"a":1,"b":{"a":2}}', []],
  ['{"a":1,"a":2,"a":3}', ["a"]],
  ['{"spec":{"foo":1,"bar":{},"foo":{}}}', ["spec.foo"]],
  ['{"items":[{"n":1},{"n":1,"n":2},[{"x":1,"x":2}]]}', ["items[1].n", "items[2][0].x"]],
  ['{"a":"b","b":"a","c":["a","a"]}', []],
  ['{"a\\u0062":1,"ab":2}', ["ab"]],
  ['{"k":"{\\"a\\":1,\\"a\\":2}"}', []],
  ["[]", []],
])("finds the members that %s names twice", (text, paths) => {
  expect(duplicateMembers(text)).toEqual(paths);
  expect(mayNameTwice(text, JSON.parse(text))).toBe(paths.length > 0);
});

it("finds none in what a serialiser wrote, and one when a member is written again", () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue(), { minKeys: 1 }), (object) => {
      for (const text of [JSON.stringify(object), JSON.stringify(object, undefined, "\t")]) {
        expect(duplicateMembers(text)).toEqual([]);
        expect(mayNameTwice(text, JSON.parse(text))).toBe(false);
        const [name = ""] = Object.keys(object);
        const twice = `${text.slice(0, -1)},${JSON.stringify(name)} :0}`;
        expect(duplicateMembers(twice)).toEqual([name]);
        expect(mayNameTwice(twice, JSON.parse(twice))).toBe(true);
      }
    }),
  );
});

it("measures depth by arrays and objects alike", () => {
  expect(isDeeperThan([{ a: [1] }], 3)).toBe(false);
  expect(isDeeperThan([{ a: [1] }], 2)).toBe(true);
  expect(isDeeperThan("scalar", 0)).toBe(false);
});
