import { expect, it } from "vitest";
import { mapped } from "./mapped.ts";

function counted(error?: Error): { values: AsyncIterable<number>; ended: () => boolean } {
  let ended = false;
  async function* count() {
    try {
      for (let n = 1; n <= 3; n++) yield n;
      if (error) throw error;
    } finally {
      ended = true;
    }
  }
  return { values: count(), ended: () => ended };
}

const double = (n: number) => 2 * n;

it("hands over each value, changed, and the end", async () => {
  const { values } = counted();
  expect(await Array.fromAsync(mapped(values, double))).toEqual([2, 4, 6]);
});

it("ends the source when its reader has enough", async () => {
  const { values, ended } = counted();
  for await (const value of mapped(values, double)) {
    expect(value).toBe(2);
    break;
  }
  expect(ended()).toBe(true);
});

it("passes errors on, and leaves no source behind a value that cannot be changed", async () => {
  const boom = new Error("boom");
  await expect(Array.fromAsync(mapped(counted(boom).values, double))).rejects.toBe(boom);
  const { values, ended } = counted();
  const refuse = () => {
    throw boom;
  };
  await expect(Array.fromAsync(mapped(values, refuse))).rejects.toBe(boom);
  expect(ended()).toBe(true);
});
