import { expect, test } from "vitest";
import { warningHeaders } from "./warning-headers.ts";

const told = (warnings: readonly string[]) =>
  [...(warningHeaders(new Set(warnings))?.warning ?? "").matchAll(/299 - "([^"]*)"/g)].map(([, text]) => text);

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

test("none are no header", () => {
  expect(warningHeaders(new Set())).toBeUndefined();
});
