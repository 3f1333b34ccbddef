import { expect, test } from "vitest";
import { nearestWord } from "./nearest-word.ts";

const WORDS = ["data-dir", "api-port", "min-port", "max-port", "log-level"];

test.each([
  ["data-dri", "data-dir"],
  ["datadir", "data-dir"],
  ["ap-port", "api-port"],
  ["mn-port", "min-port"],
  ["log-levels", "log-level"],
  ["LOG-level", "log-level"],
])("%s was meant to be %s", (typed, meant) => {
  expect(nearestWord(typed, WORDS)).toBe(meant);
});

test.each(["", "x", "kubeconfig", "--"])("nothing is near %j", (typed) => {
  expect(nearestWord(typed, WORDS)).toBeUndefined();
});

test("of equally near words the first", () => {
  expect(nearestWord("mxx-port", ["min-port", "max-port", "mix-port"])).toBe("max-port");
  expect(nearestWord("m-n", ["mxn", "myn"])).toBe("mxn");
});
