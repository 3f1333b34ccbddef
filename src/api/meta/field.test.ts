import { describe, expect, test } from "vitest";
import { duplicate, forbidden, invalid, notSupported, required, tooLong, tooMany } from "./field.ts";

describe("a fault is told with its value as Kubernetes prints it:", () => {
  test.each<readonly [shown: string, value: unknown]>([
    ['"duel"', "duel"],
    ['"\\a<b>\\u200b"', "\u0007<b>\u200b"],
    ["null", null],
    ["null", undefined],
    ["true", true],
    ["7", 7],
    ["9223372036854775807", 9223372036854775807n],
    ["1.5", 1.5],
    ["0.0001", 0.0001],
    ["123456.5", 123456.5],
    ["1.2345675e+06", 1234567.5],
    ["1e-07", 1e-7],
    ["9.223372036854776e+18", 2 ** 63],
    ["-1e+300", -1e300],
    ["[]", []],
    ['["a",1,null]', ["a", 1, null]],
    ['{"a":{"c":[{}]},"b":1}', { b: 1n, a: { d: undefined, c: [{}] } }],
    ['{"10":2,"9":1}', { 9: 1, 10: 2 }],
    ['{"a\\u003c":"\\u0026\\u2028"}', { "a<": "&\u2028" }],
    ["9007199254740993", 9007199254740993n],
  ])("%s", (shown, value) => {
    expect(invalid("spec.a", value, "no").body).toBe(`Invalid value: ${shown}: no`);
  });
});

test.each([
  [required("a", "why"), "FieldValueRequired", "Required value: why"],
  [required("a", ""), "FieldValueRequired", "Required value"],
  [duplicate("a", 7), "FieldValueDuplicate", "Duplicate value: 7"],
  [forbidden("a", "why"), "FieldValueForbidden", "Forbidden: why"],
  [
    notSupported("a", "\t", ["A", "B"]),
    "FieldValueNotSupported",
    'Unsupported value: "\\t": supported values: "A", "B"',
  ],
  [tooLong("a", 63), "FieldValueTooLong", "Too long: may not be more than 63 bytes"],
  [tooLong("a", 1), "FieldValueTooLong", "Too long: may not be more than 1 byte"],
  [tooMany("a", 2, 1), "FieldValueTooMany", "Too many: 2: must have at most 1 item"],
])("a fault has its reason and its words: %j", (fault, reason, body) => {
  expect(fault).toEqual({ field: "a", reason, body });
});
