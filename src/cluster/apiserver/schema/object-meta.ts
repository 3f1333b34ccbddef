/** The schema of `ObjectMeta` (apimachinery `meta/v1`), which every object carries whatever its own schema says. */
import type { JsonObject } from "#api/meta/json.ts";

const string = { type: "string" };
const strings = { type: "array", items: string };
const stringMap = { type: "object", additionalProperties: string };
const time = { type: "string", format: "date-time" };
const int64 = { type: "integer", format: "int64" };

const ownerReference = {
  type: "object",
  properties: {
    apiVersion: string,
    kind: string,
    name: string,
    uid: string,
    controller: { type: "boolean" },
    blockOwnerDeletion: { type: "boolean" },
  },
};

const managedFieldsEntry = {
  type: "object",
  properties: {
    apiVersion: string,
    fieldsType: string,
    fieldsV1: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
    manager: string,
    operation: string,
    subresource: string,
    time,
  },
};

export const objectMetaSchema: JsonObject = {
  type: "object",
  properties: {
    annotations: stringMap,
    creationTimestamp: time,
    deletionGracePeriodSeconds: int64,
    deletionTimestamp: time,
    finalizers: strings,
    generateName: string,
    generation: int64,
    labels: stringMap,
    managedFields: { type: "array", items: managedFieldsEntry },
    name: string,
    namespace: string,
    ownerReferences: { type: "array", items: ownerReference },
    resourceVersion: string,
    selfLink: string,
    uid: string,
  },
};
