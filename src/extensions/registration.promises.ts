/** The objects by which a Kubernetes API server learns of us, on a Service `games-system/agones-controller-service`. */
import type { Members, PromiseRow } from "#api/meta/promise-row.ts";

interface RegistrationPromise extends PromiseRow {
  /** Name of the object. */
  readonly object: string;
  readonly shows: Members;
}

const agones = { apiGroups: ["agones.dev"], apiVersions: ["v1"] };
const autoscalers = {
  apiGroups: ["autoscaling.agones.dev"],
  apiVersions: ["v1"],
  resources: ["fleetautoscalers"],
  operations: ["CREATE", "UPDATE"],
};
const servers = { ...agones, resources: ["gameservers"], operations: ["CREATE"] };
const sets = { ...agones, resources: ["gameserversets", "fleets"], operations: ["CREATE", "UPDATE"] };
const at = (path: string) => ({ namespace: "games-system", name: "agones-controller-service", path });
const strict: Members = {
  "webhooks.length": 1,
  "webhooks.0.failurePolicy": "Fail",
  "webhooks.0.sideEffects": "None",
  "webhooks.0.admissionReviewVersions": ["v1"],
};

export const registrations: readonly RegistrationPromise[] = [
  {
    section: "1.3",
    name: "validation of servers when they are created, of all else on updates too",
    object: "agones-validation-webhook",
    shows: {
      kind: "ValidatingWebhookConfiguration",
      ...strict,
      "webhooks.0.name": "validations.agones.dev",
      "webhooks.0.clientConfig.service": at("/validate"),
      "webhooks.0.rules": [servers, sets, autoscalers],
      "webhooks.0.objectSelector": undefined,
    },
  },
  {
    section: "1.3",
    name: "mutation of the same: sets and updates of Fleets for their quantities",
    object: "agones-mutation-webhook",
    shows: {
      kind: "MutatingWebhookConfiguration",
      ...strict,
      "webhooks.0.name": "mutations.agones.dev",
      "webhooks.0.clientConfig.service": at("/mutate"),
      "webhooks.0.rules": [servers, sets, autoscalers],
    },
  },
  {
    section: "1.3",
    name: "mutation of marked Pods, in a configuration whose name comes last",
    object: "zzz-agones-mutation-webhook",
    shows: {
      kind: "MutatingWebhookConfiguration",
      ...strict,
      "webhooks.0.name": "mutations.agones.dev",
      "webhooks.0.clientConfig.service": at("/mutate"),
      "webhooks.0.rules": [{ apiGroups: [""], apiVersions: ["v1"], resources: ["pods"], operations: ["CREATE"] }],
      "webhooks.0.objectSelector": { matchLabels: { "agones.dev/port": "autopilot-passthrough" } },
    },
  },
  {
    section: "1.1",
    name: "the group of allocations is served by us",
    object: "v1.allocation.agones.dev",
    shows: {
      apiVersion: "apiregistration.k8s.io/v1",
      kind: "APIService",
      "spec.group": "allocation.agones.dev",
      "spec.version": "v1",
      "spec.groupPriorityMinimum": 1000,
      "spec.versionPriority": 15,
      "spec.service": { namespace: "games-system", name: "agones-controller-service" },
    },
  },
];
