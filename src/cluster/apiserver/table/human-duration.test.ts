import { expect, test } from "vitest";
import { ageOf, humanDuration } from "./human-duration.ts";

const s = 1000;
const m = 60 * s;
const h = 60 * m;
const d = 24 * h;

test.for<[number, string]>([
  [-2 * s, "<invalid>"],
  [-1.5 * s, "0s"],
  [0, "0s"],
  [999, "0s"],
  [5 * s, "5s"],
  [119 * s, "119s"],
  [120 * s, "2m"],
  [3 * m + 12 * s, "3m12s"],
  [10 * m + 59 * s, "10m"],
  [179 * m, "179m"],
  [3 * h, "3h"],
  [7 * h + 59 * m, "7h59m"],
  [8 * h + 59 * m, "8h"],
  [47 * h, "47h"],
  [2 * d + 3 * h, "2d3h"],
  [7 * d + 23 * h, "7d23h"],
  [8 * d + 23 * h, "8d"],
  [729 * d, "729d"],
  [2 * 365 * d, "2y"],
  [3 * 365 * d + 5 * d, "3y5d"],
  [8 * 365 * d + 5 * d, "8y"],
])("%d ms is shown as %s", ([ms, shown]) => {
  expect(humanDuration(ms)).toBe(shown);
});

test("an age says when there is no time, or none that can be read", () => {
  const now = Date.UTC(2030, 0, 1);
  expect(ageOf("2029-12-31T23:59:00.123456Z", now)).toBe("59s");
  expect([undefined, null, ""].map((time) => ageOf(time, now))).toEqual(["<unknown>", "<unknown>", "<unknown>"]);
  expect([5, "yesterday"].map((time) => ageOf(time, now))).toEqual(["<invalid>", "<invalid>"]);
});
