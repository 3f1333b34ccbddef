import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DurationError, formatDuration, parseDuration } from "./duration.ts";

describe("durations", () => {
  it.each([
    ["0", 0, "0s"],
    ["300ms", 300, "300ms"],
    ["1.5h", 5_400_000, "1h30m0s"],
    ["2h45m", 9_900_000, "2h45m0s"],
    ["-1.5s", -1500, "-1.5s"],
    ["+90s", 90_000, "1m30s"],
    [".5m", 30_000, "30s"],
    ["1us", 0.001, "1µs"],
    ["1µs500ns", 0.0015, "1.5µs"],
    ["7ns", 0.000007, "7ns"],
    ["100h", 360_000_000, "100h0m0s"],
  ])("%s is %d ms and is written %s", (text, milliseconds, written) => {
    expect(parseDuration(text)).toBe(milliseconds);
    expect(formatDuration(milliseconds)).toBe(written);
  });

  it.each([
    ["", 'time: invalid duration ""'],
    ["-", 'time: invalid duration "-"'],
    ["ten", 'time: invalid duration "ten"'],
    [".s", 'time: invalid duration ".s"'],
    ["10", 'time: missing unit in duration "10"'],
    ["1h5", 'time: missing unit in duration "1h5"'],
    ["3d", 'time: unknown unit "d" in duration "3d"'],
    ["1 h", 'time: unknown unit " h" in duration "1 h"'],
    ["1é", 'time: unknown unit "\\xc3\\xa9" in duration "1\\xc3\\xa9"'],
    ["9223372036854775808d", 'time: unknown unit "d" in duration "9223372036854775808d"'],
    ["9223372036854775809d", 'time: invalid duration "9223372036854775809d"'],
    [`1h${"9".repeat(20)}`, `time: invalid duration "1h${"9".repeat(20)}"`],
    ['1\t"\\', 'time: unknown unit "\\x09\\"\\\\" in duration "1\\x09\\"\\\\"'],
    ["9999999999h", 'time: invalid duration "9999999999h"'],
    [`${"9".repeat(100)}ns`, `time: invalid duration "${"9".repeat(100)}ns"`],
  ])("%j is refused with Go's text", (text, message) => {
    expect(() => parseDuration(text)).toThrow(new DurationError(message));
  });

  it("come back from their text", () => {
    fc.assert(
      fc.property(fc.integer({ min: -1e12, max: 1e12 }), (ms) => {
        expect(parseDuration(formatDuration(ms))).toBe(ms);
      }),
    );
  });
});
