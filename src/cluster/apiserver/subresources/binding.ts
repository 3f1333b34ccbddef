/** `pods/binding`: the scheduler's word on where a pod runs. */

import { required } from "#api/meta/field.ts";
import type { JsonObject } from "#api/meta/json.ts";
import { conflict, invalidObject, notFound, type Status } from "#api/meta/status.ts";
import { rfc3339 } from "#runtime/clock.ts";
import { checkPreconditions } from "../metadata/lifecycle.ts";
import { asText, metaOf, objectAt, objectsAt } from "../resources/object-fields.ts";
import { keyOf, type ServedResource } from "../resources/served-resource.ts";
import type { Writing } from "../write/context.ts";
import { transact } from "../write/transact.ts";

/** Assigns a pod to the node that a Binding targets. Throws Conflict when it has one, or is being deleted. */
export async function bindPod(
  writing: Writing,
  pods: ServedResource,
  address: { readonly namespace: string; readonly name: string; readonly dryRun: boolean },
  binding: JsonObject,
): Promise<Status> {
  const { namespace, name } = address;
  const node = objectAt(binding, "target").name;
  if (typeof node !== "string" || node === "") throw invalidObject("", "Binding", name, [required("target.name", "")]);
  const refuse = (why: string) => conflict("", "pods/binding", name, why);
  const bind = (current: JsonObject | undefined): JsonObject => {
    if (!current) throw notFound("", "pods", name);
    const { uid, resourceVersion } = objectAt(binding, "metadata");
    checkPreconditions(pods.definition, metaOf(current), {
      uid: typeof uid === "string" ? uid : undefined,
      resourceVersion: typeof resourceVersion === "string" ? resourceVersion : undefined,
    });
    if (metaOf(current).deletionTimestamp) throw refuse(`pod ${name} is being deleted, cannot be assigned to a host`);
    const spec = objectAt(current, "spec");
    if (spec.nodeName) throw refuse(`pod ${name} is already assigned to node "${asText(spec.nodeName)}"`);
    const status = objectAt(current, "status");
    const scheduled = {
      type: "PodScheduled",
      status: "True",
      lastProbeTime: null,
      lastTransitionTime: rfc3339(writing.clock.now()),
    };
    const others = objectsAt(status, "conditions").filter(({ type }) => type !== "PodScheduled");
    return {
      ...current,
      spec: { ...spec, nodeName: node },
      status: { ...status, conditions: [...others, scheduled] },
    };
  };
  const key = keyOf(namespace, name);
  if (address.dryRun) bind(writing.objects.get(pods.collection, key)?.object);
  else await transact(writing.objects, pods.collection, key, (current) => bind(current?.object));
  return { kind: "Status", apiVersion: "v1", metadata: {}, status: "Success", code: 201 };
}
