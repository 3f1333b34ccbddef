import { existsSync } from "node:fs";
import { expect, test } from "vitest";
import { MUTANTS } from "./mutants.ts";
import { planted } from "./plant.ts";

test.each(MUTANTS)("$name: its source and its tests are there", (mutant) => {
  expect(planted(mutant)).not.toBe("");
  expect(mutant.tests.filter((file) => !existsSync(file))).toEqual([]);
});

test("there are twenty and more, each with a name of its own", () => {
  expect(MUTANTS.length).toBeGreaterThanOrEqual(20);
  expect(new Set(MUTANTS.map(({ name }) => name)).size).toBe(MUTANTS.length);
});
