import { describe, expect, it } from "vitest";
import { type LabelSelector, labelSelectorMatcher, parseLabelSelector, SelectorError } from "./label-selector.ts";

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
      "an operator that cannot be shown",
      { matchExpressions: [{ key: "a", operator: "é\u0001" }] },
      '"é\\x01" is not a valid label selector operator',
    ],
    [
      "In without values",
      { matchExpressions: [{ key: "a", operator: "In" }] },
      "values: Invalid value: null: for 'in', 'notin' operators, values set can't be empty",
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
  it.each<[string, ...string[]]>([
    [""],
    ["a=b", "a In b"],
    ["a==b,x/y=", "a In b", "x/y In "],
    ["a=b,a=c", "a In b", "a In c"],
    ["c!=d", "c NotIn d"],
    [" e in (g, f,g) ", "e In f|g"],
    ["h notin (i,,)", "h NotIn |i"],
    ["j, !k", "j Exists ", "k DoesNotExist "],
    ["in in (in,notin)", "in In in|notin"],
    ["l>5,m < 6", "l Gt 5", "m Lt 6"],
  ])("reads %j", (text, ...requirements) => {
    const read = parseLabelSelector(text).map(({ key, operator, values }) => `${key} ${operator} ${values.join("|")}`);
    expect(read).toEqual(requirements);
  });

  it.each([
    ["size>5", { size: "6" }, true],
    ["size>5", { size: "5" }, false],
    ["size<5", { size: "4" }, true],
    ["size<5", { size: "05" }, false],
    ["size<5", {}, false],
    ["size>5", { size: "many" }, false],
    ["size>9223372036854775806", { size: "9223372036854775807" }, true],
    ["size>1", { size: "9223372036854775808" }, false],
    ["a=b,size>1", { a: "b", size: "2" }, true],
  ])("%s of %j is %s", (text, labels, expected) => {
    expect(labelSelectorMatcher(parseLabelSelector(text))(labels as Record<string, string>)).toBe(expected);
  });

  it.each([
    [",", "found ',', expected: !, identifier, or 'end of string'"],
    ["a,", "found '', expected: identifier after ','"],
    ["a b", "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt"],
    ["a=b c", "found 'c', expected: ',' or 'end of string'"],
    ["a in b", "unable to parse requirement: found 'b' expected: '('"],
    ["a in (b", "unable to parse requirement: found '', expected: ',' or ')'"],
    ["a in (=", "unable to parse requirement: found '=', expected: ',', ')' or identifier"],
    ["!", "unable to parse requirement: found '', expected: identifier"],
    ["a=)", "unable to parse requirement: found ')', expected: identifier"],
    [
      "a>b",
      "unable to parse requirement: values[0]: Invalid value: \"b\": for 'Gt', 'Lt' operators, the value must be an integer",
    ],
    ["a<-1", 'unable to parse requirement: values[0][a]: Invalid value: "-1": a valid label must be'],
    ["a notin (z,_)", 'unable to parse requirement: values[0][a]: Invalid value: "_": a valid label must'],
    ["_=b", 'unable to parse requirement: <nil>: Invalid value: "_": name part must consist'],
    ["a=_", 'unable to parse requirement: values[0][a]: Invalid value: "_": a valid label must'],
  ])("refuses %j", (text, message) => {
    expect(() => parseLabelSelector(text)).toThrow(SelectorError);
    expect(() => parseLabelSelector(text)).toThrow(message);
  });
});
