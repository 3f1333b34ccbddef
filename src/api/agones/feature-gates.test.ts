import { describe, expect, test } from "vitest";
import {
  encodeFeatureGates,
  FEATURE_GATES,
  FeatureGateError,
  featureGates,
  parseFeatureGates,
} from "./feature-gates.ts";

describe("feature gates", () => {
  test("stable and beta gates are on, all others off, unless said otherwise", () => {
    const gates = featureGates({ PlayerTracking: true, CountsAndLists: false });
    for (const [name, { stage }] of Object.entries(FEATURE_GATES)) {
      if (name === "PlayerTracking" || name === "CountsAndLists") continue;
      expect([name, gates[name as keyof typeof gates]]).toEqual([name, stage === "stable" || stage === "beta"]);
    }
    expect(gates).toMatchObject({ PlayerTracking: true, CountsAndLists: false });
  });

  test.each([
    ["", {}],
    ["CountsAndLists=false&PlayerTracking=true", { CountsAndLists: false, PlayerTracking: true }],
    ["Example=T&PortRanges=0", { Example: true, PortRanges: false }],
    ["Example=1&Example=0", { Example: true }],
  ])("%j keeps what it does not name", (text, expected) => {
    expect(parseFeatureGates(text)).toEqual(featureGates(expected));
  });

  test.each(["1", "t", "T", "TRUE", "true", "True"])("%s means on", (value) => {
    expect(parseFeatureGates(`Example=${value}`).Example).toBe(true);
  });

  test.each(["0", "f", "F", "FALSE", "false", "False"])("%s means off", (value) => {
    expect(parseFeatureGates(`CountsAndLists=${value}`).CountsAndLists).toBe(false);
  });

  test.each([
    ["Nope=true", 'Feature Gate "Nope" is not a valid Feature Gate'],
    ["toString=true", 'Feature Gate "toString" is not a valid Feature Gate'],
    ["Example=yes", 'error parsing bool value from flag Example : strconv.ParseBool: parsing "yes": invalid syntax'],
  ])("%j is refused by name", (text, message) => {
    expect(() => parseFeatureGates(text)).toThrow(new FeatureGateError(message));
  });

  test("the encoded form names all gates in order and reads back the same", () => {
    const gates = featureGates({ Example: true });
    const text = encodeFeatureGates(gates);
    expect(text).toMatch(
      /^AutopilotPassthroughPort=true&CountsAndLists=true&DisableResyncOnSDKServer=true&Example=true&/,
    );
    expect(parseFeatureGates(text)).toEqual(gates);
  });
});
