import fc from "fast-check";
import { expect, it } from "vitest";
import { duplicateMembers, isDeeperThan } from "./json-text.ts";

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
});

it("finds none in what a serialiser wrote, and one when a member is written again", () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue(), { minKeys: 1 }), (object) => {
      const text = JSON.stringify(object);
      expect(duplicateMembers(text)).toEqual([]);
      const [name = ""] = Object.keys(object);
      expect(duplicateMembers(`${text.slice(0, -1)},${JSON.stringify(name)}:0}`)).toEqual([name]);
    }),
  );
});

it("measures depth by arrays and objects alike", () => {
  expect(isDeeperThan([{ a: [1] }], 3)).toBe(false);
  expect(isDeeperThan([{ a: [1] }], 2)).toBe(true);
  expect(isDeeperThan("scalar", 0)).toBe(false);
});
