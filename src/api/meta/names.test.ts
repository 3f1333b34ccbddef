import { describe, expect, it } from "vitest";
import {
  generatedName,
  isDns1123Label,
  isDns1123Subdomain,
  isLabelValue,
  isQualifiedName,
  randomSuffix,
} from "./names.ts";

const label =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
const subdomain =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const name =
  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const value =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";

describe("names", () => {
  it.each([
    ["duel-1", []],
    ["a".repeat(63), []],
    ["a".repeat(64), ["must be no more than 63 characters"]],
    ["a.b", ["must not contain dots"]],
    ["-a", [label]],
    ["Duel", [label]],
    ["", [label]],
    ["a\n", [label]],
  ])("DNS label %j", (text, faults) => expect(isDns1123Label(text)).toEqual(faults));

  it.each([
    ["example.com", []],
    ["a".repeat(254), ["must be no more than 253 characters"]],
    ["a..b", [subdomain]],
    ["under_score", [subdomain]],
  ])("DNS subdomain %j", (text, faults) => expect(isDns1123Subdomain(text)).toEqual(faults));

  it.each([
    ["MyName", []],
    ["agones.dev/sdk-x_y.z", []],
    ["", ["name part must be non-empty", name]],
    ["/x", ["prefix part must be non-empty"]],
    ["UP/x", [`prefix part ${subdomain}`]],
    ["a b", [name]],
    ["n".repeat(64), ["name part must be no more than 63 characters"]],
    [
      "a/b/c",
      [
        `a qualified name ${name.slice("name part ".length)} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
      ],
    ],
  ])("qualified name %j", (text, faults) => expect(isQualifiedName(text)).toEqual(faults));

  it.each([
    ["", []],
    ["v1.2_3", []],
    ["a/b", [value]],
    ["é".repeat(32), ["must be no more than 63 characters", value]],
  ])("label value %j", (text, faults) => expect(isLabelValue(text)).toEqual(faults));

  it("generated from a base stay valid and within 63 characters", () => {
    expect(randomSuffix(() => 0)).toBe("bbbbb");
    expect(randomSuffix(() => 0.999_999)).toBe("99999");
    expect(randomSuffix()).toMatch(/^[bcdfghjklmnpqrstvwxz2456789]{5}$/);
    expect(generatedName("duel-", "x2b4c")).toBe("duel-x2b4c");
    expect(generatedName("d".repeat(80), "x2b4c")).toBe(`${"d".repeat(58)}x2b4c`);
  });
});
