import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  formatLabelSelector,
  type LabelSelector,
  labelSelectorMatcher,
  parseLabelSelector,
  SelectorError,
} from "./label-selector.ts";

describe("labelSelectorMatcher", () => {
  const labels = { app: "duel", tier: "", "agones.dev/fleet": "f" };
  it.each<[string, LabelSelector, boolean]>([
    ["everything when empty", {}, true],
    ["equal labels", { matchLabels: { app: "duel", "agones.dev/fleet": "f" } }, true],
    ["not another value", { matchLabels: { app: "other" } }, false],
    ["an empty value only when present", { matchLabels: { missing: "" } }, false],
    ["In", { matchExpressions: [{ key: "app", operator: "In", values: ["x", "duel"] }] }, true],
    ["In not when absent", { matchExpressions: [{ key: "missing", operator: "In", values: ["x"] }] }, false],
    ["NotIn", { matchExpressions: [{ key: "app", operator: "NotIn", values: ["duel"] }] }, false],
    ["NotIn when absent", { matchExpressions: [{ key: "missing", operator: "NotIn", values: ["x"] }] }, true],
    ["Exists with an empty value", { matchExpressions: [{ key: "tier", operator: "Exists" }] }, true],
    ["DoesNotExist", { matchExpressions: [{ key: "tier", operator: "DoesNotExist" }] }, false],
    ["nothing inherited", { matchExpressions: [{ key: "constructor", operator: "Exists" }] }, false],
  ])("matches %s", (_name, selector, expected) => {
    expect(labelSelectorMatcher(selector)(labels)).toBe(expected);
  });

  it("takes an object without labels", () => {
    expect(labelSelectorMatcher({ matchExpressions: [{ key: "a", operator: "DoesNotExist" }] })(undefined)).toBe(true);
  });

  it.each<[string, LabelSelector, string]>([
    [
      "an unknown operator",
      { matchExpressions: [{ key: "a", operator: "Gt", values: ["1"] }] },
      '"Gt" is not a valid label selector operator',
    ],
    [
      "In without values",
      { matchExpressions: [{ key: "a", operator: "In" }] },
      "values: Invalid value: []: for 'in', 'notin' operators, values set can't be empty",
    ],
    [
      "Exists with values",
      { matchExpressions: [{ key: "a", operator: "Exists", values: ["b"] }] },
      'values: Invalid value: ["b"]: values set must be empty for exists and does not exist',
    ],
    [
      "a bad value",
      { matchLabels: { a: "_" } },
      'values[0][a]: Invalid value: "_": a valid label must be an empty string',
    ],
    ["a bad key", { matchLabels: { "": "b" } }, 'key: Invalid value: "": name part must be non-empty; name part must'],
  ])("refuses %s with Kubernetes' text", (_name, selector, message) => {
    expect(() => labelSelectorMatcher(selector)).toThrow(SelectorError);
    expect(() => labelSelectorMatcher(selector)).toThrow(message);
  });
});

describe("parseLabelSelector", () => {
  it.each<[string, LabelSelector]>([
    ["", {}],
    ["a=b", { matchLabels: { a: "b" } }],
    ["a==b,x/y=", { matchLabels: { a: "b", "x/y": "" } }],
    ["a=b,a=c", { matchLabels: { a: "b" }, matchExpressions: [{ key: "a", operator: "In", values: ["c"] }] }],
    ["c!=d", { matchExpressions: [{ key: "c", operator: "NotIn", values: ["d"] }] }],
    [" e in (g, f) ", { matchExpressions: [{ key: "e", operator: "In", values: ["f", "g"] }] }],
    ["h notin (i,,)", { matchExpressions: [{ key: "h", operator: "NotIn", values: ["", "i"] }] }],
    [
      "j, !k",
      {
        matchExpressions: [
          { key: "j", operator: "Exists", values: [] },
          { key: "k", operator: "DoesNotExist", values: [] },
        ],
      },
    ],
    ["in in (in,notin)", { matchExpressions: [{ key: "in", operator: "In", values: ["in", "notin"] }] }],
  ])("reads %j", (text, selector) => {
    expect(parseLabelSelector(text)).toEqual(selector);
  });

  it.each([
    [",", "found ',', expected: !, identifier, or 'end of string'"],
    ["a,", "found '', expected: identifier after ','"],
    ["a b", "unable to parse requirement: found 'b', expected: in, notin, =, ==, !="],
    ["a=b c", "found 'c', expected: ',' or 'end of string'"],
    ["a in b", "unable to parse requirement: found 'b' expected: '('"],
    ["a in (b", "unable to parse requirement: found '', expected: ',' or ')'"],
    ["a in (=", "unable to parse requirement: found '=', expected: ',', ')' or identifier"],
    ["!", "unable to parse requirement: found '', expected: identifier"],
    ["a=)", "unable to parse requirement: found ')', expected: identifier"],
    ["a>1", "unable to parse requirement: found '>', expected: in, notin, =, ==, !="],
    ["_=b", 'unable to parse requirement: <nil>: Invalid value: "_": name part must consist'],
    ["a=_", 'unable to parse requirement: values[0][a]: Invalid value: "_": a valid label must'],
  ])("refuses %j", (text, message) => {
    expect(() => parseLabelSelector(text)).toThrow(SelectorError);
    expect(() => parseLabelSelector(text)).toThrow(message);
  });

  it("reads what formatLabelSelector writes", () => {
    expect(
      formatLabelSelector({
        matchLabels: { "agones.dev/fleet": "f", a: "" },
        matchExpressions: [
          { key: "b", operator: "NotIn", values: ["y", "x"] },
          { key: "c", operator: "Exists" },
          { key: "d", operator: "DoesNotExist" },
        ],
      }),
    ).toBe("a=,agones.dev/fleet=f,b notin (x,y),c,!d");

    const word = fc.constantFrom("a", "b", "in", "x/y");
    const values = fc.array(fc.constantFrom("a", "b", ""), { minLength: 1, maxLength: 3 });
    const expression = fc.oneof(
      fc.record({ key: word, operator: fc.constantFrom("In", "NotIn"), values }),
      fc.record({ key: word, operator: fc.constantFrom("Exists", "DoesNotExist") }),
    );
    const labels = fc.dictionary(word, fc.constantFrom("a", "b", ""), { noNullPrototype: true });
    fc.assert(
      fc.property(labels, fc.array(expression, { maxLength: 4 }), labels, (matchLabels, matchExpressions, object) => {
        const selector = { matchLabels, matchExpressions };
        const again = parseLabelSelector(formatLabelSelector(selector));
        expect(labelSelectorMatcher(again)(object)).toBe(labelSelectorMatcher(selector)(object));
      }),
    );
  });
});
