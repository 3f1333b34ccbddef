import { expect, test } from "vitest";
import { Rounds } from "./rounds.ts";

test("who asks while a round is under way shares the next one, and a round that fails fails for its own alone", async () => {
  const rounds: PromiseWithResolvers<void>[] = [];
  const work = new Rounds(() => {
    const round = Promise.withResolvers<void>();
    rounds.push(round);
    return round.promise;
  });
  const first = [work.next(), work.next()];
  await expect.poll(() => rounds.length).toBe(1);
  const second = [work.next(), work.next()];
  expect(new Set([...first, ...second]).size).toBe(2);
  rounds[0]?.reject(new Error("full"));
  await expect(first[0]).rejects.toThrow("full");
  await expect.poll(() => rounds.length).toBe(2);
  const over = work.settled();
  rounds[1]?.reject(new Error("still full"));
  await expect(second[1]).rejects.toThrow("still full");
  await over;
});
