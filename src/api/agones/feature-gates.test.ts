import { expect, test } from "vitest";
import { titled } from "../meta/promise-row.ts";
import { gates, texts } from "./feature-gates.promises.ts";
import {
  encodeFeatureGates,
  FEATURE_GATES,
  FeatureGateError,
  featureGates,
  parseFeatureGates,
} from "./feature-gates.ts";

test("the gates are these, and no others", () => {
  const promised = gates.map(({ name, stage, on }) => [name, { stage, default: on }]);
  expect(FEATURE_GATES).toEqual(Object.fromEntries(promised));
});

test.each(titled(gates))("%s: %s has its default unless said otherwise", (_section, name, { on }) => {
  expect([featureGates()[name as "Example"], featureGates({ [name]: !on })[name as "Example"]]).toEqual([on, !on]);
});

test.each(titled(texts))("%s: %s", (_section, _name, { text, gates: given, error }) => {
  if (error !== undefined) expect(() => parseFeatureGates(text)).toThrow(new FeatureGateError(error));
  else expect(parseFeatureGates(text)).toEqual(featureGates(given));
});

test("the encoded form names all gates in order and reads back the same", () => {
  const given = featureGates({ Example: true });
  const text = encodeFeatureGates(given);
  expect(text).toMatch(
    /^AutopilotPassthroughPort=true&CountsAndLists=true&DisableResyncOnSDKServer=true&Example=true&/,
  );
  expect(parseFeatureGates(text)).toEqual(given);
});
