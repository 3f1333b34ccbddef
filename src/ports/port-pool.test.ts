import { expect, test } from "vitest";
import { PortPool } from "./port-pool.ts";

/** A set that counts how often it is asked: once for each number that is looked at. */
class CountingSet extends Set<number> {
  asked = 0;
  override has(port: number): boolean {
    this.asked++;
    return super.has(port);
  }
}

test("one look a number while no number is excluded, however unevenly they are used", () => {
  const pool = new PortPool({ min: 7000, max: 7999 }, () => 0.3);
  for (let each = 0; each < 10_000; each++) pool.hold(7000 + ((each * each) % 1000));
  const seen = new CountingSet();
  const taken = Array.from({ length: 5000 }, () => pool.take(1, seen)).flat();
  expect(taken).toHaveLength(5000);
  expect(seen.asked).toBe(5000);
});

test("an excluded number costs one look more, and is not taken", () => {
  const pool = new PortPool({ min: 7000, max: 7009 }, () => 0);
  const except = new CountingSet([7000, 7001, 7003]);
  expect(pool.take(3, except)).toEqual([7002, 7004, 7005]);
  expect(except.asked).toBe(6);
});

test("takes what is left when it cannot give all, and counts each holder", () => {
  const pool = new PortPool({ min: 7000, max: 7002 }, () => 0.9);
  expect(pool.take(5, new Set()).toSorted()).toEqual([7000, 7001, 7002]);
  expect(pool.take(1, new Set([7000, 7001]))).toEqual([7002]);
  expect([7000, 7001, 7002].map((port) => pool.uses(port))).toEqual([1, 1, 2]);
});

test("putting back more than was taken is a fault that is told", () => {
  const pool = new PortPool({ min: 7000, max: 7002 }, () => 0);
  expect(() => pool.put(7001)).toThrow("port 7001 was put back more often than taken");
});
