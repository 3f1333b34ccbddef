/** Replacement of an object: what PUT, every kind of PATCH and the subresources that write come to. */
import { deepEqual } from "#api/meta/equality.ts";
import { invalid } from "#api/meta/field.ts";
import type { JsonObject } from "#api/meta/json.ts";
import { invalidObject, notFound } from "#api/meta/status.ts";
import type { Mutation, StoredObject } from "../../store/objects.ts";
import { identified } from "../metadata/identity.ts";
import { carriedOver, checkPreconditions, metadataUpdateFaults } from "../metadata/lifecycle.ts";
import { metadataFaults } from "../metadata/validate.ts";
import type { WriteOptions } from "../request/options.ts";
import type { ResourceDefinition } from "../resource-definition.ts";
import { metaOf, withMember, withMeta } from "../resources/object-fields.ts";
import { keyOf, type ServedResource, shown } from "../resources/served-resource.ts";
import type { AdmissionSubject } from "./admission.ts";
import type { Addressed, Requester, Writing, Written } from "./context.ts";
import { type FieldPolicy, pruned, undecodable } from "./field-validation.ts";
import { settledBy, withSchemaDefaults, writtenFrom } from "./shape.ts";
import { andThen, type MaybePromise, transact } from "./transact.ts";

/** Which part of an object a request may change, where status is a subresource. Admission sees `main` alone. */
export type Half = "main" | "scale" | "status" | "finalize";

export interface Update extends Addressed, Requester {
  readonly half: Half;
  readonly options: WriteOptions;
  /** What the client wants the object to be, given what it is; called again when it changed meanwhile. */
  readonly propose: (current: JsonObject) => JsonObject;
  readonly policy: FieldPolicy;
  readonly duplicates?: readonly string[];
  /** The client wrote the whole object (PUT), so a missing version is an omission. */
  readonly whole: boolean;
}

/** Updates the object of the request. Throws the `StatusError` that refuses it. */
export async function updateObject(writing: Writing, update: Update): Promise<Written> {
  const { resource, namespace, name } = update;
  const key = keyOf(namespace, name);
  const plan = (current: StoredObject | undefined, goes?: Farewell) => planUpdate(writing, update, current, goes);
  if (update.options.dryRun) {
    const current = writing.objects.get(resource.collection, key);
    const mutation = await plan(current);
    const before = current as StoredObject;
    const stored = mutation === undefined || mutation === "delete" ? before.object : mutation;
    return { object: shown(resource, stored), created: false };
  }
  let last: JsonObject | undefined;
  const { stored, previous } = await transact(writing.objects, resource.collection, key, (current) =>
    plan(current, (object) => {
      last = object;
    }),
  );
  if (!stored && last) return { object: last, created: false };
  return writtenFrom(resource, (stored ?? previous) as StoredObject, false);
}

/** Is told of the object as it was at last, when it goes with this update. */
type Farewell = (object: JsonObject) => void;

function planUpdate(
  writing: Writing,
  update: Update,
  current: StoredObject | undefined,
  goes?: Farewell,
): MaybePromise<Mutation> {
  const { resource, namespace, name } = update;
  const { definition } = resource;
  if (!current) throw notFound(definition.group, definition.plural, name);
  const old = shown(resource, current.object);
  const body = identified(definition, update.propose(old), { namespace, name });
  const clean = withSchemaDefaults(resource, pruned(definition, body, update.policy, update.duplicates));
  checkVersion(update, metaOf(clean), old);
  const wanted = half(resource, update.half, carriedOver(clean, old), old);
  if (update.half !== "main") return finish(writing, update, wanted, old, goes);

  const subject: AdmissionSubject = {
    resource,
    operation: "UPDATE",
    namespace,
    name,
    object: wanted,
    old,
    user: update.user,
    dryRun: update.options.dryRun,
    warnings: update.warnings,
  };
  return andThen(writing.admission.mutate(subject), (mutated) => {
    const settled = mutated === wanted ? wanted : half(resource, "main", settledBy(resource, wanted, mutated), old);
    return andThen(finish(writing, update, settled, old, goes), (mutation) =>
      mutation === undefined
        ? undefined
        : andThen(writing.admission.validate({ ...subject, object: settled }), () => mutation),
    );
  });
}

/** A patch that names another UID is no precondition: it changes what may not change. */
function checkVersion(update: Update, meta: ReturnType<typeof metaOf>, old: JsonObject): void {
  const { resource, name, whole, half: which } = update;
  const { definition, rules } = resource;
  const current = metaOf(old);
  if (whole || which === "scale") checkPreconditions(definition, current, { uid: meta.uid });
  if (whole && !meta.resourceVersion && !rules.unconditionalUpdate)
    throw invalidObject(definition.group, definition.plural, name, [
      invalid("metadata.resourceVersion", 0, "must be specified for an update"),
    ]);
  checkPreconditions(definition, current, { resourceVersion: meta.resourceVersion });
}

/** The proposed object with the half that the request may not touch put back. */
function half(resource: ServedResource, which: Half, proposed: JsonObject, old: JsonObject): JsonObject {
  if (which === "status") return withMember({ ...old }, "status", proposed.status);
  if (which === "finalize") {
    const finalizers = (proposed.spec as JsonObject | undefined)?.finalizers;
    return { ...old, spec: withMember((old.spec ?? {}) as JsonObject, "finalizers", finalizers) };
  }
  return resource.definition.subresources.status ? withMember(proposed, "status", old.status) : proposed;
}

/** Everything after mutation: what is left to fill in, whether anything changed, whether it is valid, whether it was the last word. */
function finish(
  writing: Writing,
  update: Update,
  wanted: JsonObject,
  old: JsonObject,
  goes: Farewell | undefined,
): Mutation {
  const { resource, name, half: which } = update;
  const { definition, rules } = resource;
  const now = writing.clock.now();
  const spec = which === "main" || which === "scale";
  const prepared = spec && rules.prepareUpdate ? rules.prepareUpdate(wanted, old, now) : wanted;
  if (deepEqual(prepared, old)) return undefined;
  const wrong = schemaFaults(definition, which, prepared, old);
  const faults = [
    ...metadataFaults(definition, rules, prepared),
    ...metadataUpdateFaults(prepared, old),
    ...wrong,
    ...(rules.validate?.(prepared, old) ?? []),
  ];
  if (faults.length > 0)
    throw (
      (update.whole ? undecodable(definition, wrong) : undefined) ??
      invalidObject(definition.group, definition.kind, name, faults)
    );
  for (const warning of rules.warnings?.(prepared) ?? []) update.warnings.add(warning);
  if (mayGo(resource, prepared)) {
    goes?.(prepared);
    return "delete";
  }
  const object =
    rules.hasGeneration && spec && contentDiffers(resource, prepared, old)
      ? withMeta(prepared, { generation: (metaOf(old).generation ?? 0) + 1 })
      : prepared;
  return resource.view ? resource.view.write(object) : object;
}

function schemaFaults({ schema, custom }: ResourceDefinition, which: Half, object: JsonObject, old: JsonObject) {
  return custom && which === "status" ? schema.validateStatus(object, old) : schema.validate(object, old);
}

/** A deletion that only waited for this: no finalizer, no grace period and nothing else keeps the object. */
export function mayGo({ rules }: ServedResource, object: JsonObject): boolean {
  const { deletionTimestamp, deletionGracePeriodSeconds, finalizers = [] } = metaOf(object);
  return Boolean(deletionTimestamp) && !deletionGracePeriodSeconds && finalizers.length === 0 && !rules.holds?.(object);
}

/** True when something outside metadata (and outside status, where that is a subresource) differs. */
function contentDiffers({ definition }: ServedResource, a: JsonObject, b: JsonObject): boolean {
  const members = new Set([...Object.keys(a), ...Object.keys(b)]);
  members.delete("metadata");
  if (definition.subresources.status) members.delete("status");
  return [...members].some((member) => !deepEqual(a[member], b[member]));
}
