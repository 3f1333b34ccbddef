import fc from "fast-check";
import { expect, test } from "vitest";
import { INT64_MAX, withCount } from "./counters-and-lists.ts";

test("a count set at will ends within 0 and the capacity", () => {
  fc.assert(
    fc.property(fc.bigInt(-INT64_MAX, INT64_MAX), fc.bigInt(0n, INT64_MAX), (count, capacity) => {
      const counter = withCount({ capacity }, count);
      expect(counter.count! >= 0n && counter.count! <= capacity).toBe(true);
      if (count >= 0n && count <= capacity) expect(counter.count).toBe(count);
    }),
  );
});
