import { expect, test } from "vitest";
import { warningHeaders, warningsOf } from "./warning-headers.ts";

const told = (warnings: readonly string[]) => warningsOf(warningHeaders(new Set(warnings))?.warning);

test("warnings of 4096 characters are told whole", () => {
  const warnings = ["a".repeat(4000), "b".repeat(96)];
  expect(told(warnings)).toEqual(warnings);
});

test("of longer ones each is cut to 256 characters, and those beyond 4096 are left out: clients take no larger head", () => {
  expect(told(["a".repeat(5000), "b"])).toEqual(["a".repeat(256), "b"]);
  const many = Array.from({ length: 100_000 }, (_, each) => `unknown field "spec.unknown${each}"`.replaceAll('"', "'"));
  expect(told(many).length).toBeGreaterThan(100);
  expect(told(many).join("").length).toBeLessThanOrEqual(4096);
});

test("quotes and backslashes come through", () => {
  const warnings = ['unknown field "spec.a"', 'a\\b, "c"'];
  expect(told(warnings)).toEqual(warnings);
  expect(warningHeaders(new Set(warnings.slice(0, 1)))?.warning).toBe('299 - "unknown field \\"spec.a\\""');
});

test("none are no header", () => {
  expect(warningsOf(undefined)).toEqual([]);
  expect(warningHeaders(new Set())).toBeUndefined();
});
