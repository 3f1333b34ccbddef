import { expect, test } from "vitest";
import { featureGates } from "#api/agones/feature-gates.ts";
import { agonesAdmission } from "./admission.ts";
import { apiService, webhookConfigurations } from "./registration.ts";

const plugin = agonesAdmission({ gates: featureGates(), version: "1.2.3" });
const service = { namespace: "agones-system", name: "agones-controller-service" };

test("one configuration validates, one mutates, and Pods have one that comes last", () => {
  const found = webhookConfigurations(plugin, { service }, { authority: "CA" });
  expect(found.map(({ kind, metadata }) => [kind, metadata])).toEqual([
    ["ValidatingWebhookConfiguration", { name: "agones-validation-webhook" }],
    ["MutatingWebhookConfiguration", { name: "agones-mutation-webhook" }],
    ["MutatingWebhookConfiguration", { name: "zzz-agones-mutation-webhook" }],
  ]);
  const [validating, mutating, pods] = found.map(({ webhooks }) => (webhooks as object[])[0]);
  const common = { admissionReviewVersions: ["v1"], sideEffects: "None", failurePolicy: "Fail" };
  const client = (path: string) => ({ clientConfig: { service: { ...service, path }, caBundle: "Q0E=" } });
  expect(validating).toMatchObject({ name: "validations.agones.dev", ...common, ...client("/validate") });
  expect(mutating).toMatchObject({ name: "mutations.agones.dev", ...common, ...client("/mutate") });
  expect(pods).toMatchObject({
    name: "mutations.agones.dev",
    ...common,
    ...client("/mutate"),
    objectSelector: { matchLabels: { "agones.dev/port": "autopilot-passthrough" } },
    rules: [{ apiGroups: [""], apiVersions: ["v1"], resources: ["pods"], operations: ["CREATE"] }],
  });
});

test("every write that the plugin has a rule for is in the configurations, and no other", () => {
  const wanted = [plugin.mutate, plugin.validate].flatMap((step) =>
    (step?.rules ?? []).flatMap(({ group, resource, operations }) =>
      operations.map((operation) => `${step?.webhook} ${group}/${resource} ${operation}`),
    ),
  );
  const asked = webhookConfigurations(plugin, { url: "https://127.0.0.1:1" }).flatMap(({ webhooks }) =>
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

test("a webhook may be reached by a URL, and its authority left to others", () => {
  const [first] = webhookConfigurations(plugin, { url: "https://127.0.0.1:8081" });
  expect(first).toMatchObject({ webhooks: [{ clientConfig: { url: "https://127.0.0.1:8081/validate" } }] });
  expect(JSON.stringify(first)).not.toContain("caBundle");
});

test("the APIService names group, version, priorities, Service and authority", () => {
  const group = { group: "allocation.agones.dev", version: "v1" };
  expect(apiService(group, { ...service, port: 443 }, { authority: "CA" })).toEqual({
    apiVersion: "apiregistration.k8s.io/v1",
    kind: "APIService",
    metadata: { name: "v1.allocation.agones.dev" },
    spec: {
      ...group,
      groupPriorityMinimum: 1000,
      versionPriority: 15,
      service: { ...service, port: 443 },
      caBundle: "Q0E=",
    },
  });
});
