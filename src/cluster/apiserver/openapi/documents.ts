/** The OpenAPI v3 documents of the server, one for each group and version. */
import { createHash } from "node:crypto";
import type { ApiGroup } from "#api/meta/admission.ts";
import { type JsonObject, stringifyJson } from "#api/meta/json.ts";
import type { ResourceDefinition } from "../resource-definition.ts";
import { componentNames, ownComponents, withReferenced } from "./components.ts";
import { pathsOf } from "./operations.ts";

/** A document, made when it is first asked for. */
export interface OpenApiDocument {
  /** Changes whenever the content does: it belongs in the document's address, by which clients keep it. */
  readonly hash: string;
  /** Compact JSON. */
  readonly bytes: Uint8Array;
}

/** Documents by their path below `/openapi/v3/`: `api/v1`, `apis/agones.dev/v1`. */
export function openApiDocuments(
  resources: readonly ResourceDefinition[],
  extra: readonly ApiGroup[],
): ReadonlyMap<string, OpenApiDocument> {
  const own = Map.groupBy(resources, documentPath);
  return new Map([
    ...[...own].map(([path, definitions]) => [path, new LazyDocument(() => documentOf(definitions))] as const),
    ...extra.map((group) => [documentPath(group), new LazyDocument(() => group.openApi())] as const),
  ]);
}

const documentPath = ({ group, version }: { readonly group: string; readonly version: string }): string =>
  group === "" ? `api/${version}` : `apis/${group}/${version}`;

class LazyDocument implements OpenApiDocument {
  readonly #make: () => JsonObject;
  #bytes: Uint8Array | undefined;
  #hash: string | undefined;

  constructor(make: () => JsonObject) {
    this.#make = make;
  }

  get bytes(): Uint8Array {
    this.#bytes ??= new TextEncoder().encode(stringifyJson(this.#make()));
    return this.#bytes;
  }

  get hash(): string {
    this.#hash ??= createHash("sha256").update(this.bytes).digest("hex").toUpperCase();
    return this.#hash;
  }
}

function documentOf(definitions: readonly ResourceDefinition[]): JsonObject {
  const parts = definitions.map((definition) => {
    const names = componentNames(definition);
    return { paths: pathsOf(definition, names), components: ownComponents(definition, names) };
  });
  const paths: JsonObject = Object.assign({}, ...parts.map((part) => part.paths));
  const components: JsonObject = Object.assign({}, ...parts.map((part) => part.components));
  return {
    openapi: "3.0.0",
    info: { title: "Kubernetes", version: "unversioned" },
    paths,
    components: { schemas: withReferenced(components, paths) },
  };
}
