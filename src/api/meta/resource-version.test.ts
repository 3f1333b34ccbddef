import { expect, test } from "vitest";
import { isNewerVersion } from "./resource-version.ts";

const at = (resourceVersion?: string) => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "a", ...(resourceVersion !== undefined && { resourceVersion }) },
});

test.each([
  ["10", "9", true],
  ["9", "10", false],
  ["10", "10", false],
  ["90071992547409930001", "90071992547409930000", true],
  ["1", undefined, true],
  [undefined, "1", false],
])("%s is later than %s: %s", (a, b, later) => {
  expect(isNewerVersion(at(a), at(b))).toBe(later);
});
