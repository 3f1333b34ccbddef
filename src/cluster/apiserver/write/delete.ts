/** Deletion: preconditions, grace, finalizers, and what is answered. */

import { notSupported } from "#api/meta/field.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "#api/meta/json.ts";
import { badRequest, invalidObject, notFound } from "#api/meta/status.ts";
import type { Mutation, StoredObject } from "../../store/objects.ts";
import { checkDeletePreconditions, markedForDeletion } from "../metadata/lifecycle.ts";
import { booleanParameter, integerParameter } from "../request/options.ts";
import { asText, metaOf, withMeta } from "../resources/object-fields.ts";
import { type DeleteRequest, keyOf, type ServedResource, shown } from "../resources/served-resource.ts";
import type { Addressed, Requester, Writing } from "./context.ts";
import { writtenFrom } from "./shape.ts";
import { andThen, type MaybePromise, transact } from "./transact.ts";
import { mayGo } from "./update.ts";

const policies: readonly string[] = ["Foreground", "Background", "Orphan"];

/** The finalizers by which the garbage collector is told of a policy; it removes them. */
const policyFinalizers: Readonly<Record<string, string>> = { Orphan: "orphan", Foreground: "foregroundDeletion" };

export interface Deletion extends Addressed, Requester {
  readonly request: DeleteRequest;
  readonly dryRun: boolean;
}

export type Deleted =
  /** It still exists, marked as being deleted; or its kind answers with the object. */
  | { readonly object: JsonObject; readonly encoded?: () => Uint8Array }
  /** It is gone; a Status of success, which has no code here. */
  | { readonly done: JsonObject };

/** The options of a deletion, from its body (a DeleteOptions) or the query. Throws BadRequest or Invalid. */
export function deleteRequestOf(
  body: JsonValue | undefined,
  query: URLSearchParams,
): DeleteRequest & { dryRun: boolean } {
  if (body !== undefined && body !== null && !isJsonObject(body))
    throw badRequest("the body must be a DeleteOptions object");
  const options: JsonObject = body ?? {};
  if (options.kind !== undefined && options.kind !== "DeleteOptions" && options.kind !== "")
    throw badRequest(`the body must be a DeleteOptions object, not a ${asText(options.kind)}`);
  const orphan = options.orphanDependents ?? booleanParameter(query, "orphanDependents");
  const policy = options.propagationPolicy ?? query.get("propagationPolicy") ?? undefined;
  if (policy !== undefined && !policies.includes(policy as string))
    throw invalidObject("meta.k8s.io", "DeleteOptions", "", [
      notSupported("propagationPolicy", policy, [...policies, "nil"]),
    ]);
  const dryRun = options.dryRun ?? query.getAll("dryRun").filter((each) => each !== "");
  if (!Array.isArray(dryRun) || dryRun.some((each: JsonValue) => each !== "All"))
    throw invalidObject("meta.k8s.io", "DeleteOptions", "", [notSupported("dryRun", dryRun, ["All"])]);
  return {
    propagationPolicy: (policy ?? (orphan === true ? "Orphan" : undefined)) as DeleteRequest["propagationPolicy"],
    gracePeriodSeconds: wholeSeconds(options.gracePeriodSeconds) ?? integerParameter(query, "gracePeriodSeconds"),
    preconditions: preconditionsOf(options.preconditions),
    dryRun: dryRun.length > 0,
  };
}

function wholeSeconds(value: JsonValue | undefined): number | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value !== "number" || !Number.isSafeInteger(value))
    throw badRequest("gracePeriodSeconds must be a whole number");
  return Math.max(value, value < 0 ? 1 : 0);
}

function preconditionsOf(value: JsonValue | undefined): DeleteRequest["preconditions"] {
  if (value === undefined || value === null) return undefined;
  const text = (member: JsonValue | undefined) => member === undefined || member === null || typeof member === "string";
  if (!isJsonObject(value) || !text(value.uid) || !text(value.resourceVersion))
    throw badRequest("preconditions must be an object with the strings uid and resourceVersion");
  return {
    uid: (value.uid as string | null) ?? undefined,
    resourceVersion: (value.resourceVersion as string | null) ?? undefined,
  };
}

/** Deletes the object, or marks it as being deleted. Throws the `StatusError` that refuses it. */
export async function deleteObject(writing: Writing, deletion: Deletion): Promise<Deleted> {
  const { resource, namespace, name, dryRun } = deletion;
  const key = keyOf(namespace, name);
  let gone = false;
  const plan = (current: StoredObject | undefined): MaybePromise<Mutation> =>
    andThen(planDeletion(writing, deletion, current), (mutation) => {
      gone = mutation === "delete";
      return mutation;
    });
  if (dryRun) {
    const current = writing.objects.get(resource.collection, key);
    const mutation = await plan(current);
    const object = mutation === undefined || mutation === "delete" ? (current as StoredObject).object : mutation;
    return answer(resource, gone, { object: shown(resource, object) });
  }
  const { stored, previous } = await transact(writing.objects, resource.collection, key, plan);
  return answer(resource, gone, writtenFrom(resource, (gone ? previous : (stored ?? previous)) as StoredObject, false));
}

function answer(
  resource: ServedResource,
  gone: boolean,
  written: { readonly object: JsonObject; readonly encoded?: () => Uint8Array },
): Deleted {
  if (!gone) return written;
  if (resource.rules.answersDeleted) {
    // Nothing was waited for.
    const { deletionGracePeriodSeconds } = metaOf(written.object);
    return deletionGracePeriodSeconds
      ? { object: withMeta(written.object, { deletionGracePeriodSeconds: 0 }) }
      : written;
  }
  const { group, plural } = resource.definition;
  const { name, uid } = metaOf(written.object);
  return {
    done: {
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Success",
      details: { name, ...(group && { group }), kind: plural, uid: uid ?? "" },
    },
  };
}

function planDeletion(writing: Writing, deletion: Deletion, current: StoredObject | undefined): MaybePromise<Mutation> {
  const { resource, namespace, name, request, user, dryRun, warnings } = deletion;
  const { definition } = resource;
  if (!current) throw notFound(definition.group, definition.plural, name);
  const old = shown(resource, current.object);
  checkDeletePreconditions(definition, metaOf(old), request.preconditions);
  const mutation = decided(resource, old, request, writing.clock.now());
  const subject = {
    resource,
    operation: "DELETE" as const,
    namespace,
    name,
    object: null,
    old,
    user,
    dryRun,
    warnings,
  };
  return andThen(writing.admission.validate(subject), () =>
    typeof mutation === "object" && resource.view ? resource.view.write(mutation) : mutation,
  );
}

/** What becomes of the object. A first deletion marks it; finalizers, grace and content then hold it. */
function decided(resource: ServedResource, old: JsonObject, request: DeleteRequest, now: number): Mutation {
  const withPolicy = withPolicyFinalizer(old, request);
  const step = resource.rules.deletion?.(withPolicy, request, now) ?? { step: "remove" as const };
  if (step.step === "wait") return withPolicy === old ? undefined : withPolicy;
  if (step.step === "mark") return step.object;
  const marked = markedForDeletion(withPolicy, 0, now);
  if (mayGo(resource, marked)) return "delete";
  return marked === old ? undefined : marked;
}

function withPolicyFinalizer(object: JsonObject, { propagationPolicy }: DeleteRequest): JsonObject {
  const { finalizers = [], deletionTimestamp } = metaOf(object);
  const wanted = propagationPolicy && policyFinalizers[propagationPolicy];
  const others = finalizers.filter((each) => !Object.values(policyFinalizers).includes(each));
  const next = wanted ? [...others, wanted] : others;
  if (deletionTimestamp || propagationPolicy === undefined) return object;
  if (next.length === finalizers.length && next.every((each) => finalizers.includes(each))) return object;
  return withMeta(object, { finalizers: next.length > 0 ? next : undefined });
}
