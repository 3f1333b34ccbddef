import { expect, test } from "vitest";
import { titled } from "../meta/promise-row.ts";
import { annotations, labels, variables } from "./keys.promises.ts";

test.each(titled([...labels, ...annotations, ...variables]))("%s: %s", (_section, key, { constant }) => {
  expect(constant).toBe(key);
});
