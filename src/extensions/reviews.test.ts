import { expect, test } from "vitest";
import { featureGates } from "#api/agones/feature-gates.ts";
import { type JsonObject, parseJson } from "#api/meta/json.ts";
import { membersOf, titled } from "#api/meta/promise-row.ts";
import { agonesAdmission } from "./admission.ts";
import { answerReview } from "./admission-review.ts";
import { reviews } from "./reviews.promises.ts";

const plugin = agonesAdmission({ gates: featureGates(), version: "1.2.3" });

test.each(titled(reviews))("%s: %s", async (_section, _name, { step, request, shows, patch }) => {
  const review = { apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview", request };
  const { response, ...envelope } = await answerReview([plugin], step, review);
  expect(envelope).toEqual({ apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview" });
  expect(membersOf(response, shows)).toEqual(shows);
  if (patch === undefined) return;
  const encoded = String((response as JsonObject).patch);
  expect(parseJson(Buffer.from(encoded, "base64").toString())).toEqual(patch);
});
