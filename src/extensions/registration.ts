/** The objects by which a Kubernetes API server learns of our admission and of our API groups. Pure. */
import type { AdmissionPlugin, AdmissionRule, AdmissionStep, ApiGroup } from "#api/meta/admission.ts";
import type { JsonObject } from "#api/meta/json.ts";

export interface ServiceReference {
  readonly namespace: string;
  readonly name: string;
  /** 443 by default. */
  readonly port?: number;
}

/** Where the API server reaches us: a Service of the cluster, or for webhooks any base URL. */
export type WebhookAddress = { readonly service: ServiceReference } | { readonly url: string };

interface Trusted {
  /** PEM of the authority that signed our certificate. Absent: left to others to fill in. */
  readonly authority?: string;
}

const REGISTRATION = "admissionregistration.k8s.io/v1";

/** Pods are looked at where Agones' port label asks for it, after every other webhook: names are called in order. */
const PODS = { configuration: "zzz-agones-mutation-webhook", selector: { "agones.dev/port": "autopilot-passthrough" } };

/** One configuration for validation, one for mutation, and where Pods are mutated one more. Writes fail while we cannot be reached. */
export function webhookConfigurations(
  plugin: AdmissionPlugin,
  address: WebhookAddress,
  trusted: Trusted = {},
): readonly JsonObject[] {
  const { name, mutate, validate } = plugin;
  const forPods = ({ group, resource }: AdmissionRule) => group === "" && resource === "pods";
  const main = mutate?.rules.filter((rule) => !forPods(rule)) ?? [];
  const pods = mutate?.rules.filter(forPods) ?? [];
  const configuration = (kind: string, metadataName: string, webhook: JsonObject): JsonObject => ({
    apiVersion: REGISTRATION,
    kind,
    metadata: { name: metadataName },
    webhooks: [webhook],
  });
  const webhook = (step: AdmissionStep, path: string, rules: readonly AdmissionRule[]): JsonObject => ({
    name: step.webhook ?? name,
    admissionReviewVersions: ["v1"],
    sideEffects: "None",
    failurePolicy: "Fail",
    rules: webhookRules(rules),
    clientConfig: { ...clientAddress(address, path), ...bundle(trusted) },
  });
  return [
    ...(validate
      ? [
          configuration(
            "ValidatingWebhookConfiguration",
            "agones-validation-webhook",
            webhook(validate, "/validate", validate.rules),
          ),
        ]
      : []),
    ...(mutate && main.length > 0
      ? [configuration("MutatingWebhookConfiguration", "agones-mutation-webhook", webhook(mutate, "/mutate", main))]
      : []),
    ...(mutate && pods.length > 0
      ? [
          configuration("MutatingWebhookConfiguration", PODS.configuration, {
            ...webhook(mutate, "/mutate", pods),
            objectSelector: { matchLabels: PODS.selector },
          }),
        ]
      : []),
  ];
}

/** The APIService that has the aggregator send a group's requests to a Service. */
export function apiService(
  { group, version }: Pick<ApiGroup, "group" | "version">,
  service: ServiceReference,
  trusted: Trusted = {},
): JsonObject {
  return {
    apiVersion: "apiregistration.k8s.io/v1",
    kind: "APIService",
    metadata: { name: `${version}.${group}` },
    spec: {
      group,
      version,
      groupPriorityMinimum: 1000,
      versionPriority: 15,
      service: { ...service },
      ...bundle(trusted),
    },
  };
}

/** Resources of one group that are looked at on the same operations share a rule. */
function webhookRules(rules: readonly AdmissionRule[]): JsonObject[] {
  const byScope = Map.groupBy(rules, ({ group, operations }) => JSON.stringify([group, operations]));
  return [...byScope.values()].flatMap(([first, ...others]) =>
    first
      ? [
          {
            apiGroups: [first.group],
            apiVersions: ["v1"],
            resources: [first, ...others].map(({ resource }) => resource),
            operations: [...first.operations],
          },
        ]
      : [],
  );
}

const clientAddress = (address: WebhookAddress, path: string): JsonObject =>
  "url" in address ? { url: `${address.url}${path}` } : { service: { ...address.service, path } };

const bundle = ({ authority }: Trusted): JsonObject =>
  authority === undefined ? {} : { caBundle: Buffer.from(authority).toString("base64") };
