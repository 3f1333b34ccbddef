import { expect, test } from "vitest";
import { featureGates } from "#api/agones/feature-gates.ts";
import type { JsonObject } from "#api/meta/json.ts";
import { membersOf, titled } from "#api/meta/promise-row.ts";
import { agonesAdmission } from "./admission.ts";
import { registrations } from "./registration.promises.ts";
import { apiService, webhookConfigurations } from "./registration.ts";

const plugin = agonesAdmission({ gates: featureGates(), version: "1.2.3" });
const service = { namespace: "games-system", name: "agones-controller-service" };
const group = { group: "allocation.agones.dev", version: "v1" };
const objects = [...webhookConfigurations(plugin, { service }), apiService(group, service)];
const nameOf = (object: JsonObject) => (object.metadata as { readonly name: string }).name;

test("these objects, and no others", () => {
  expect(objects.map(nameOf).toSorted()).toEqual(registrations.map(({ object }) => object).toSorted());
});

test.each(titled(registrations))("%s: %s", (_section, _name, { object, shows }) => {
  expect(
    membersOf(
      objects.find((each) => nameOf(each) === object),
      shows,
    ),
  ).toEqual(shows);
});

test("an authority's certificate goes along in base64, where it is known", () => {
  const [validation] = webhookConfigurations(plugin, { url: "https://127.0.0.1:1" }, { authority: "PEM" });
  const shows = { "webhooks.0.clientConfig": { url: "https://127.0.0.1:1/validate", caBundle: "UEVN" } };
  expect(membersOf(validation, shows)).toEqual(shows);
});

test("every write that the plugin has a rule for is registered, and no other", () => {
  const wanted = [plugin.mutate, plugin.validate].flatMap((step) =>
    (step?.rules ?? []).flatMap(({ group, resource, operations }) =>
      operations.map((operation) => `${step?.webhook} ${group}/${resource} ${operation}`),
    ),
  );
  const asked = webhookConfigurations(plugin, { service }).flatMap(({ webhooks }) =>
    (webhooks as unknown as { name: string; rules: Record<string, string[]>[] }[]).flatMap(({ name, rules }) =>
      rules.flatMap(({ apiGroups = [], resources = [], operations = [] }) =>
        resources.flatMap((resource) =>
          operations.map((operation) => `${name} ${apiGroups[0]}/${resource} ${operation}`),
        ),
      ),
    ),
  );
  expect(asked.toSorted()).toEqual(wanted.toSorted());
});
