/** What a program brings with it is not validated at a start, so it is here. */
import { expect, test } from "vitest";
import { FEATURE_GATES, featureGates } from "#api/agones/feature-gates.ts";
import { buildCustomResourceDefinitions, type CrdOptions } from "#api/definitions/crds.ts";
import type { JsonObject } from "#api/meta/json.ts";
import { DEFINITIONS } from "../builtins/definitions.ts";
import { metaOf } from "../resources/object-fields.ts";
import { startTestServer, type TestServer } from "../testing/test-server.ts";

const all = (on: boolean) => featureGates(Object.fromEntries(Object.keys(FEATURE_GATES).map((gate) => [gate, on])));

const stored = ({ objects }: TestServer): readonly JsonObject[] =>
  objects.list(DEFINITIONS).map(({ object }) => {
    const { uid: _uid, resourceVersion: _version, ...metadata } = metaOf(object);
    return { ...object, metadata: metadata as JsonObject };
  });

const PATH = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

test.each<[string, CrdOptions]>([
  ["by default", {}],
  ["with every gate", { gates: all(true) }],
  ["with no gate", { gates: all(false) }],
])("our definitions %s are stored as a client's would be, which is told nothing of them", async (_when, options) => {
  const definitions = buildCustomResourceDefinitions(options) as unknown as readonly JsonObject[];
  const brought = await startTestServer({ definitions });
  const validated = await startTestServer();
  for (const definition of definitions) {
    const { status, headers } = await validated.call("POST", `${PATH}?fieldValidation=Strict`, definition);
    expect(status).toBe(201);
    expect(headers).not.toHaveProperty("warning");
  }
  expect(stored(brought)).toHaveLength(5);
  expect(stored(brought)).toStrictEqual(stored(validated));
});
