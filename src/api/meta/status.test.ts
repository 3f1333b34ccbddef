import { expect, test } from "vitest";
import { required } from "./field.ts";
import { invalidObject } from "./status.ts";

const faults = (count: number) => Array.from({ length: count }, (_, each) => required(`spec.a[${each}]`, ""));

test("up to a hundred faults are told, each with its cause", () => {
  const { status } = invalidObject("agones.dev", "Fleet", "a", faults(100));
  expect(status.details?.causes?.length).toBe(100);
  expect(status.message).toMatch(
    /^Fleet\.agones\.dev "a" is invalid: \[spec\.a\[0\]: .*spec\.a\[99\]: Required value\]$/,
  );
});

test("of more than a hundred faults the first are told, and how many there are besides", () => {
  const { status } = invalidObject("agones.dev", "Fleet", "a", faults(100_000));
  expect(status.details?.causes?.length).toBe(100);
  expect(status.message).toMatch(/spec\.a\[99\]: Required value, and 99900 more\]$/);
});
