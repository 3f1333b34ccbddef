import { describe, expect, it } from "vitest";
import { IntOrStringError, scaledValue } from "./int-or-string.ts";

describe("scaledValue", () => {
  it.each<[number | string, number, boolean, number]>([
    [3, 100, true, 3],
    ["25%", 10, true, 3],
    ["25%", 10, false, 2],
    ["30", 10, true, 3],
    ["100%", 7, false, 7],
    ["0%", 7, true, 0],
    ["5%", 0, true, 0],
    ["9007199254740993%", 0, true, 0],
  ])("%j of %d, up: %s, is %d", (value, total, up, expected) => {
    expect(scaledValue(value, total, up)).toBe(expected);
  });

  it.each(["", "%", "1.5%", "ten", " 5%", "99999999999999999999%"])("refuses %j", (value) => {
    expect(() => scaledValue(value, 10, true)).toThrow(IntOrStringError);
  });

  it("says what is wrong", () => {
    const rule = "must be a whole number, or a percentage such as 25%";
    expect(() => scaledValue("x%", 10, true)).toThrow(`invalid value "x%": ${rule}`);
    expect(() => scaledValue("\t9%", 10, true)).toThrow(`invalid value "\\t9%": ${rule}`);
    expect(() => scaledValue(`${"9".repeat(20)}%`, 10, true)).toThrow("is too large");
  });
});
