import { describe, expect, test } from "vitest";
import { parseJson, stringifyJson } from "./json.ts";

describe("a number in JSON", () => {
  test.each<[string, unknown]>([
    ["0", 0],
    ["-1.5e3", -1500],
    ["9007199254740991", 9007199254740991],
    ["9007199254740993", 9007199254740993n],
    ["-9223372036854775808", -(2n ** 63n)],
    ["9223372036854775807", 2n ** 63n - 1n],
    ["9223372036854775808", 2 ** 63],
    ["-9223372036854775809", -(2 ** 63)],
    ["18446744073709551615", 2 ** 64],
    ["12345678901234567890", 12345678901234567000],
    ["1234567890.1234567890", 1234567890.1234567],
    ["1e300", 1e300],
    ["1e-400", 0],
    ["9".repeat(300), 1e300],
  ])("%s is read as it is to Kubernetes", (text, value) => {
    expect(parseJson(text)).toEqual(value);
    expect(parseJson(`{"a":[${text}]}`)).toEqual({ a: [value] });
  });

  test.each(["1e400", "-1E+999", "9".repeat(400), "1".repeat(1_000_000)])("that no double holds is refused", (text) => {
    expect(() => parseJson(text)).toThrow(SyntaxError);
    expect(() => parseJson(text)).toThrow(/^no number is as large as [-\d.eE+]{1,24}$/);
  });

  test("in a text, however long, is none", () => {
    const value = { a: "1e400", b: "12345678901234567890" };
    expect(parseJson(JSON.stringify(value))).toEqual(value);
  });
});

test.each([
  ['"\\ud83d\\ude00"', "😀"],
  ['"\\ud800"', "\ufffd"],
  ['"\\uDFFF\\ud800x"', "\ufffd\ufffdx"],
  ['"\\\\ud800"', "\\ud800"],
  ['"\\n\\\\\\ud800"', "\n\\\ufffd"],
])("half a character in %s cannot be shown", (text, value) => {
  expect(parseJson(text)).toBe(value);
  expect(parseJson(`{${text}:[${text}]}`)).toEqual({ [value]: [value] });
});

test("integers of 64 bits are written with all their digits, what is undefined is left out", () => {
  expect(stringifyJson({ a: 9007199254740993n, b: undefined, c: [2n ** 63n - 1n] })).toBe(
    '{"a":9007199254740993,"c":[9223372036854775807]}',
  );
});
