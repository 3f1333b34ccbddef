import { describe, expect, it } from "vitest";
import { parseFieldSelector } from "./field-selector.ts";
import { SelectorError } from "./label-selector.ts";

describe("parseFieldSelector", () => {
  it("reads terms in the order of their text, skipping empty ones", () => {
    expect(parseFieldSelector("type==Normal,metadata.name=a,,=,!=,==,status.phase!=Running,reason=")).toEqual([
      { path: "metadata.name", operator: "=", value: "a" },
      { path: "reason", operator: "=", value: "" },
      { path: "status.phase", operator: "!=", value: "Running" },
      { path: "type", operator: "=", value: "Normal" },
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
    ["b,a=\\n,a", "invalid selector: 'b,a=\\n,a'; can't understand 'a'"],
    ["a=b=c", "invalid field selector: unescaped character in value: 61"],
    ["a=\\n", "invalid field selector: invalid escape sequence: \\n"],
    ["a=b\\", "invalid field selector: invalid escape sequence: \\"],
  ])("refuses %j with Kubernetes' text", (text, message) => {
    expect(() => parseFieldSelector(text)).toThrow(new SelectorError(message));
  });
});
