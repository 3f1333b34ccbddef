import { expect, test } from "vitest";

// Plain JavaScript without types, for any Node.
const { isNewEnough }: { isNewEnough(version: string): boolean } = await import(
  new URL("./pinned-node.mjs", import.meta.url).href
);

test.each([
  ["20.19.0", false],
  ["26.3.1", false],
  ["26.4.0", true],
  ["26.10.0", true],
  ["28.0.0", true],
])("Node %s is new enough: %s", (version, expected) => {
  expect(isNewEnough(version)).toBe(expected);
});
