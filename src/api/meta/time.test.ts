import { expect, test } from "vitest";
import { canonicalTime, isTime, timeText } from "./time.ts";

test.each([
  ["2030-05-01T10:00:00+02:00", "2030-05-01T08:00:00Z"],
  ["2030-05-01T00:00:00.999Z", "2030-05-01T00:00:00Z"],
  ["2030-01-01T00:30:00+01:00", "2029-12-31T23:30:00Z"],
  ["1969-12-31T23:59:59.5Z", "1969-12-31T23:59:59Z"],
  ["2030-01-01T00:30:00,5+24:00", "2029-12-31T00:30:00Z"],
  ["2028-02-29T12:00:00-23:60", "2028-03-01T12:00:00Z"],
])("%s is %s in UTC and whole seconds", (text, canonical) => {
  expect(canonicalTime(text)).toBe(canonical);
  expect(canonicalTime(canonical)).toBe(canonical);
});

test.each([
  "",
  "2030-05-01",
  "2030-05-01T10:00:00",
  "2030-05-01 10:00:00Z",
  "2030-13-01T10:00:00Z",
  "2030-02-29T10:00:00Z",
  "2030-04-31T10:00:00Z",
  "2030-04-30T24:00:00Z",
  "2030-04-30T10:00:00+25:00",
  "now",
])("%j is no time", (text) => {
  expect([isTime(text), canonicalTime(text)]).toEqual([false, undefined]);
});

test("milliseconds are told in whole seconds", () => {
  expect(timeText(Date.UTC(2030, 0, 1, 12, 30, 15, 999))).toBe("2030-01-01T12:30:15Z");
});

test("a year that UTC would write with five digits is no time of the wire", () => {
  expect(canonicalTime("9999-12-31T23:30:00-01:00")).toBeUndefined();
});
