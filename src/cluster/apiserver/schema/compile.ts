/** Compiles a structural schema into the three passes of a write: pruning, defaulting, validation. */
import type { FieldError } from "#api/meta/field.ts";
import type { JsonObject, JsonValue } from "#api/meta/json.ts";
import type { ObjectSchema } from "../resource-definition.ts";
import { fillValue } from "./defaulting.ts";
import { Faults } from "./faults.ts";
import { nodeOf, OBJECT_META, type SchemaContext, SchemaNode } from "./node.ts";
import { objectMetaSchema } from "./object-meta.ts";
import { pruneValue } from "./pruning.ts";
import { publishedSchema } from "./published-schema.ts";
import { MAX_DEPTH } from "./values.ts";

export interface GroupVersionKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

export interface CompileOptions {
  readonly groupVersionKind: GroupVersionKind;
}

/**
 * The schema of a custom resource's version. Nothing is read before the first object comes: each part of the schema is
 * compiled when a value first reaches it.
 *
 * `prune` keeps `apiVersion`, `kind` and the members of `ObjectMeta`. `applyDefaults` also drops a null that may neither stay
 * nor be replaced, as Kubernetes does when it decodes.
 */
export function compileSchema(schema: JsonObject, options: CompileOptions): ObjectSchema {
  const root = new SchemaNode(schema, structuralContext(), true);
  let published: JsonObject | undefined;
  return {
    ...passesOf(root),
    openApi: () => (published ??= publishedSchema(schema, options.groupVersionKind)),
  };
}

/** Faults of a value that is not a whole object, such as a default at `field`; texts name what lies inside the value. */
export function validateValue(schema: JsonObject, value: JsonValue, field: string): readonly FieldError[] {
  return faultsInside(nodeOf(schema, structuralContext()), value, undefined, field);
}

function faultsInside(
  node: SchemaNode,
  value: JsonValue,
  old: JsonValue | undefined,
  field: string,
): readonly FieldError[] {
  const faults = new Faults(MAX_DEPTH, old);
  node.validate(value, faults);
  return faults.errors().map((fault) => {
    const inside = fault.field !== "" && fault.field !== "<nil>";
    return { ...fault, field: inside ? `${field}.${fault.field}` : field };
  });
}

/** Paths inside a value, each with a leading dot or bracket, of members that pruning would drop. */
export function unknownMembers(schema: JsonObject, value: JsonValue): readonly string[] {
  const dropped: string[] = [];
  pruneValue(value, nodeOf(schema, structuralContext()), dropped);
  return dropped;
}

export function passesOf(root: SchemaNode): Omit<ObjectSchema, "openApi"> {
  return {
    prune: (object) => {
      const dropped: string[] = [];
      const pruned = pruneValue(object, root, dropped) as JsonObject;
      const unknown = dropped.map((path) => path.slice(1));
      return { object: pruned, unknown: root.context.typed ? unknown : unknown.toSorted() };
    },
    applyDefaults: (object) => fillValue(object, root) as JsonObject,
    validate: (object, old) => {
      const faults = new Faults(MAX_DEPTH, old);
      root.validate(object, faults);
      return faults.errors();
    },
    validateStatus: ({ status }, old) => {
      const node = root.property("status");
      return node && status !== undefined ? faultsInside(node, status, old.status, "status") : [];
    },
  };
}

/** References are refused when a definition is written; one that is there all the same says nothing. */
function structuralContext(): SchemaContext {
  return {
    definition: (name) => (name === OBJECT_META ? objectMetaSchema : { "x-kubernetes-preserve-unknown-fields": true }),
    definitions: new Map(),
    typed: false,
    enforceRequired: true,
  };
}
