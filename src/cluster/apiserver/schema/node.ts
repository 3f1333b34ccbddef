/** A schema as a tree of nodes that are read when a value first reaches them: a large schema costs nothing at start-up. */
import { isJsonObject, type JsonObject, type JsonValue } from "#api/meta/json.ts";
import { fillValue } from "./defaulting.ts";
import { memberOf } from "./members.ts";
import { compileValidation, type Validate } from "./validation.ts";
import type { JsonKind } from "./values.ts";

export interface SchemaContext {
  /** The schema behind a `$ref`, by the last part of the reference. */
  readonly definition: (name: string) => JsonObject;
  /** Nodes made from definitions, so that recursive ones end. */
  readonly definitions: Map<string, SchemaNode>;
  /**
   * Schemas of typed kinds (the built-ins): an object schema without members holds anything, as the raw values of typed
   * clients do, and `default` is not applied.
   */
  readonly typed: boolean;
  /** False where typed clients may leave out what the schema requires. */
  readonly enforceRequired: boolean;
}

/** `root` and `embedded` objects carry `apiVersion`, `kind` and `metadata` without their schema saying so. */
export type NodeRole = "root" | "embedded" | "plain";

export class SchemaNode {
  readonly schema: JsonObject;
  readonly context: SchemaContext;
  readonly role: NodeRole;
  /** Accepted types; empty means any. */
  readonly types: readonly JsonKind[];
  readonly nullable: boolean;
  readonly preserveUnknown: boolean;
  /** Schema of `metadata`, where the role has one. */
  readonly metadata: SchemaNode | undefined;
  readonly #properties: JsonObject | undefined;
  readonly #children = new Map<string, SchemaNode>();
  #additional: SchemaNode | boolean | undefined;
  #items: SchemaNode | null | undefined;
  #defaulted: readonly (readonly [string, SchemaNode])[] | undefined;
  #completeDefault: JsonValue | undefined;
  #validate: Validate | undefined;

  constructor(schema: JsonObject, context: SchemaContext, root = false) {
    this.schema = schema;
    this.context = context;
    this.role = root ? "root" : schema["x-kubernetes-embedded-resource"] === true ? "embedded" : "plain";
    this.metadata = this.role === "plain" ? undefined : referenced(OBJECT_META, context);
    this.types = typesOf(schema);
    this.nullable = schema.nullable === true;
    this.#properties = isJsonObject(schema.properties) ? schema.properties : undefined;
    this.preserveUnknown =
      schema["x-kubernetes-preserve-unknown-fields"] === true ||
      (context.typed && !this.#properties && schema.additionalProperties === undefined && !schema.items);
  }

  /** The node of a named property, or of any further member. */
  child(name: string): SchemaNode | undefined {
    return this.property(name) ?? (typeof this.additional === "object" ? this.additional : undefined);
  }

  property(name: string): SchemaNode | undefined {
    const known = this.#children.get(name);
    if (known || !this.#properties) return known;
    const schema = memberOf(this.#properties, name);
    if (!isJsonObject(schema)) return undefined;
    const node = nodeOf(schema, this.context);
    this.#children.set(name, node);
    return node;
  }

  /** What `additionalProperties` says: a schema, anything (`true`), nothing (`false`), or not given. */
  get additional(): SchemaNode | boolean | undefined {
    if (this.#additional === undefined) {
      const schema = this.schema.additionalProperties;
      if (typeof schema === "boolean") this.#additional = schema;
      else if (isJsonObject(schema)) this.#additional = nodeOf(schema, this.context);
    }
    return this.#additional;
  }

  get items(): SchemaNode | undefined {
    if (this.#items === undefined) {
      this.#items = isJsonObject(this.schema.items) ? nodeOf(this.schema.items, this.context) : null;
    }
    return this.#items ?? undefined;
  }

  /** The default with its own nested defaults filled in; `undefined` for none. Shared, never changed. */
  get completeDefault(): JsonValue | undefined {
    const plain = defaultOf(this.schema, this.context);
    if (plain !== undefined) this.#completeDefault ??= fillValue(plain, this);
    return this.#completeDefault;
  }

  /** Properties that have a default. */
  get defaulted(): readonly (readonly [string, SchemaNode])[] {
    this.#defaulted ??= Object.entries(this.#properties ?? {}).flatMap(([name, schema]) => {
      if (!isJsonObject(schema) || defaultOf(schema, this.context) === undefined) return [];
      const node = this.property(name);
      return node ? [[name, node] as const] : [];
    });
    return this.#defaulted;
  }

  get validate(): Validate {
    this.#validate ??= compileValidation(this);
    return this.#validate;
  }
}

export const OBJECT_META = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";

/** The node of a schema, following `$ref` (alone, or wrapped in an `allOf` of one as OpenAPI v3 does). */
export function nodeOf(schema: JsonObject, context: SchemaContext): SchemaNode {
  const reference = referenceOf(schema);
  return reference === undefined ? new SchemaNode(schema, context) : referenced(reference, context);
}

export function referenceOf(schema: JsonObject): string | undefined {
  const only = Array.isArray(schema.allOf) && schema.allOf.length === 1 ? (schema.allOf[0] as JsonValue) : undefined;
  const reference = schema.$ref ?? (isJsonObject(only) ? only.$ref : undefined);
  return typeof reference === "string" ? reference.slice(reference.lastIndexOf("/") + 1) : undefined;
}

function referenced(name: string, context: SchemaContext): SchemaNode {
  let node = context.definitions.get(name);
  if (!node) {
    node = nodeOf(context.definition(name), context);
    context.definitions.set(name, node);
  }
  return node;
}

function defaultOf(schema: JsonObject, context: SchemaContext): JsonValue | undefined {
  return context.typed || schema.default === null ? undefined : schema.default;
}

function typesOf(schema: JsonObject): readonly JsonKind[] {
  if (schema["x-kubernetes-int-or-string"] === true || schema.format === "int-or-string") return ["integer", "string"];
  if (Array.isArray(schema.type)) return schema.type as unknown as JsonKind[];
  return typeof schema.type === "string" ? [schema.type as JsonKind] : [];
}
