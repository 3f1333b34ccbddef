import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatFieldSelector, parseFieldSelector } from "./field-selector.ts";
import { SelectorError } from "./label-selector.ts";

describe("parseFieldSelector", () => {
  it("reads terms, skipping empty ones", () => {
    expect(parseFieldSelector("metadata.name=a,,status.phase!=Running,type==Normal,reason=")).toEqual([
      { path: "metadata.name", operator: "=", value: "a" },
      { path: "status.phase", operator: "!=", value: "Running" },
      { path: "type", operator: "=", value: "Normal" },
      { path: "reason", operator: "=", value: "" },
    ]);
    expect(parseFieldSelector("")).toEqual([]);
  });

  it("takes the backslash from before a comma, an equals sign and itself", () => {
    expect(parseFieldSelector("a=x\\,y\\=z\\\\,b=1")).toEqual([
      { path: "a", operator: "=", value: "x,y=z\\" },
      { path: "b", operator: "=", value: "1" },
    ]);
  });

  it.each([
    ["metadata.name", "invalid selector: 'metadata.name'; can't understand 'metadata.name'"],
    ["a=b=c", "invalid field selector: unescaped character in value: 61"],
    ["a=\\n", "invalid field selector: invalid escape sequence: \\n"],
    ["a=b\\", "invalid field selector: invalid escape sequence: \\"],
  ])("refuses %j with Kubernetes' text", (text, message) => {
    expect(() => parseFieldSelector(text)).toThrow(new SelectorError(message));
  });

  it("reads what formatFieldSelector writes", () => {
    const term = fc.record({
      path: fc.constantFrom("metadata.name", "spec.nodeName"),
      operator: fc.constantFrom("=" as const, "!=" as const),
      value: fc.string({ unit: fc.constantFrom("a", ",", "=", "\\", "é") }),
    });
    fc.assert(
      fc.property(fc.array(term, { maxLength: 3 }), (terms) => {
        expect(parseFieldSelector(formatFieldSelector(terms))).toEqual(terms);
      }),
    );
  });
});
