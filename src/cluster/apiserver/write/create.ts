/** Creation of an object, in Kubernetes' order: prune, default, mutate, default, validate, admit, commit. */
import { required } from "#api/meta/field.ts";
import type { JsonObject } from "#api/meta/json.ts";
import { generatedName, randomSuffix } from "#api/meta/names.ts";
import { alreadyExists, badRequest, invalidObject, isAlreadyExists, notFound, statusError } from "#api/meta/status.ts";
import { identified } from "../metadata/identity.ts";
import { bornObject } from "../metadata/lifecycle.ts";
import { metadataFaults } from "../metadata/validate.ts";
import type { WriteOptions } from "../request/options.ts";
import { metaOf, textAt } from "../resources/object-fields.ts";
import { keyOf, type ServedResource } from "../resources/served-resource.ts";
import type { AdmissionSubject } from "./admission.ts";
import type { Requester, Writing, Written } from "./context.ts";
import { pruned, undecodable } from "./field-validation.ts";
import { settledBy, withKubernetesDefaults, withSchemaDefaults, writtenFrom } from "./shape.ts";
import { andThen, type MaybePromise, transact } from "./transact.ts";

/** How often a generated name that is taken is drawn again. */
const NAME_ATTEMPTS = 8;

export interface Creation extends Requester {
  readonly resource: ServedResource;
  readonly namespace?: string;
  readonly body: JsonObject;
  readonly duplicates: readonly string[];
  readonly options: WriteOptions;
  /** The body is known to be whole and valid: it is the program's own. Neither its schema nor its rules are asked. */
  readonly valid?: true;
}

/** Creates the object of the request. Throws the `StatusError` that refuses it. */
export async function createObject(writing: Writing, creation: Creation): Promise<Written> {
  const { resource, namespace, options } = creation;
  const { definition } = resource;
  const body = identified(definition, creation.body, { namespace });
  if (metaOf(body).resourceVersion) throw badRequest("resourceVersion should not be set on objects to be created");
  const refused = resource.rules.refusesCreation?.();
  if (refused) throw refused;
  const policy = { validation: options.fieldValidation, warnings: creation.warnings };
  const given = creation.valid
    ? withKubernetesDefaults(resource, body)
    : withSchemaDefaults(resource, pruned(definition, body, policy, creation.duplicates));
  const wanted = definition.subresources.status && definition.custom ? withoutStatus(given) : given;
  const drawn = metaOf(wanted).name ? 1 : NAME_ATTEMPTS;
  for (let attempt = 1; ; attempt++) {
    try {
      return await attemptCreation(writing, creation, wanted);
    } catch (error) {
      if (attempt === drawn || !isAlreadyExists(error)) throw error;
    }
  }
}

async function attemptCreation(writing: Writing, creation: Creation, wanted: JsonObject): Promise<Written> {
  const { resource, namespace, options, user, warnings } = creation;
  const { definition } = resource;
  const subject: AdmissionSubject = {
    resource,
    operation: "CREATE",
    namespace,
    name: metaOf(wanted).name,
    object: wanted,
    old: null,
    user,
    dryRun: options.dryRun,
    warnings,
  };
  const admitted = settledBy(resource, wanted, await writing.admission.mutate(subject));
  const object = born(writing, resource, admitted, namespace);
  const name = metaOf(object).name ?? "";
  if (!creation.valid) {
    checkValid(resource, name, object);
    for (const warning of resource.rules.warnings?.(object) ?? []) warnings.add(warning);
  }
  const key = keyOf(namespace, name);
  const stored = resource.view ? resource.view.write(object) : object;
  const plan = (exists: boolean): MaybePromise<JsonObject> => {
    checkNamespace(writing, resource, namespace, name);
    if (exists) throw alreadyExists(definition.group, definition.plural, name);
    return andThen(writing.admission.validate({ ...subject, name, object }), () => stored);
  };
  if (options.dryRun) {
    await plan(writing.objects.get(resource.collection, key) !== undefined);
    return { object, created: true };
  }
  const result = await transact(writing.objects, resource.collection, key, (current) => plan(current !== undefined));
  return writtenFrom(resource, result.stored as NonNullable<typeof result.stored>, true);
}

function checkValid({ definition, rules }: ServedResource, name: string, object: JsonObject): void {
  const wrong = definition.schema.validate(object);
  const faults = [
    ...metadataFaults(definition, rules, object),
    ...wrong,
    ...(rules.validate?.(object, undefined) ?? []),
  ];
  if (faults.length === 0) return;
  throw undecodable(definition, wrong) ?? invalidObject(definition.group, definition.kind, name, faults);
}

function born(writing: Writing, resource: ServedResource, object: JsonObject, namespace?: string): JsonObject {
  const { name, generateName } = metaOf(object);
  const { definition, rules } = resource;
  if (!name && !generateName)
    throw invalidObject(definition.group, definition.kind, "", [
      required("metadata.name", "name or generateName is required"),
    ]);
  const now = writing.clock.now();
  const made = bornObject(object, {
    name: name || generatedName(generateName ?? "", randomSuffix(writing.random)),
    uid: writing.uid(),
    now,
    hasGeneration: rules.hasGeneration,
  });
  const placed = namespace ? { ...made, metadata: { ...(made.metadata as JsonObject), namespace } } : made;
  return rules.prepareCreate ? rules.prepareCreate(placed, now) : placed;
}

/** A namespace takes new objects only while it exists and is not being deleted. */
function checkNamespace(writing: Writing, resource: ServedResource, namespace: string | undefined, name: string): void {
  if (!namespace) return;
  const { group, plural } = resource.definition;
  const found = writing.objects.get("/namespaces", keyOf(undefined, namespace));
  if (!found) throw notFound("", "namespaces", namespace);
  if (textAt(found.object, "status", "phase") !== "Terminating" && !metaOf(found.object).deletionTimestamp) return;
  const why = `unable to create new content in namespace ${namespace} because it is being terminated`;
  throw statusError("Forbidden", `${group ? `${plural}.${group}` : plural} "${name}" is forbidden: ${why}`, {
    name,
    ...(group && { group }),
    kind: plural,
    causes: [
      {
        reason: "NamespaceTerminating",
        message: `namespace ${namespace} is being terminated`,
        field: "metadata.namespace",
      },
    ],
  });
}

function withoutStatus(object: JsonObject): JsonObject {
  const { status: _status, ...rest } = object;
  return rest;
}
