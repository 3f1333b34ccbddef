/** Kinds that a client needs with their schemas. int64 fields become `bigint` when an object is read. */
import type { TSchema } from "typebox";
import * as Type from "typebox";
import { int64Decoder } from "../meta/int64.ts";
import type { JsonObject } from "../meta/json.ts";
import type { KubeObject } from "../meta/object.ts";
import type { ResourceType } from "../meta/resource-type.ts";

/** Describes a namespaced custom resource with the schemas of its spec and, where it has one, its status. */
export function customResource<T extends KubeObject>(
  names: Pick<ResourceType<T>, "group" | "version" | "kind" | "plural">,
  spec: TSchema,
  status?: TSchema,
): ResourceType<T> {
  const decode = int64Decoder(Type.Object({ spec, ...(status && { status }) }) as unknown as JsonObject);
  return { ...names, namespaced: true, decode: (json) => decode(json) as unknown as T };
}
