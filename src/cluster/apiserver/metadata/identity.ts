/** Does a body say what its address says? */
import { invalid } from "#api/meta/field.ts";
import { isJsonObject, type JsonObject, stringifyJson } from "#api/meta/json.ts";
import { badRequest, invalidObject } from "#api/meta/status.ts";
import type { ResourceDefinition } from "../resource-definition.ts";
import { asText } from "../resources/object-fields.ts";
import { apiVersionOf } from "../resources/served-resource.ts";
import { shapedMetadata } from "./shape.ts";

type Described = Pick<ResourceDefinition, "group" | "version" | "kind" | "namespaced"> & { readonly custom?: boolean };

export interface Address {
  readonly namespace?: string;
  /** Absent for a creation. */
  readonly name?: string;
}

/**
 * The body with apiVersion, kind, namespace and, for an addressed object, name filled in from the address.
 * Throws BadRequest, or Invalid for the kind of an update, when it says something else, or when its metadata is not an object.
 */
export function identified(definition: Described, body: JsonObject, address: Address): JsonObject {
  const apiVersion = apiVersionOf(definition);
  const { kind } = definition;
  if (definition.custom) checkNamed(body, kind, apiVersion);
  if (body.apiVersion !== undefined && body.apiVersion !== "" && body.apiVersion !== apiVersion)
    throw badRequest(
      `the API version in the data (${asText(body.apiVersion)}) does not match the expected API version (${apiVersion})`,
    );
  if (body.kind !== undefined && body.kind !== "" && body.kind !== kind) {
    if (definition.custom && address.name !== undefined)
      throw invalidObject(definition.group, asText(body.kind), address.name, [
        invalid("kind", body.kind, `must be ${kind}`),
      ]);
    throw badRequest(
      `${asText(body.kind)} in version ${JSON.stringify(definition.version)} cannot be handled as a ${kind}: the kind must be ${kind}`,
    );
  }
  if (body.metadata !== undefined && body.metadata !== null && !isJsonObject(body.metadata))
    throw badRequest("the object provided is unrecognized: metadata must be an object");
  const metadata = shapedMetadata(definition, (body.metadata ?? {}) as JsonObject);
  const { apiVersion: _version, kind: _kind, metadata: _metadata, ...rest } = body;
  return { apiVersion, kind, metadata: withAddress(definition, metadata, address), ...rest };
}

/** Nothing else says of what kind a custom resource is. */
function checkNamed(body: JsonObject, kind: string, expected: string): void {
  if (!body.kind)
    throw badRequest(
      `the object provided is unrecognized (must be of type ${kind}): Object 'Kind' is missing in '${stringifyJson(body)}'`,
    );
  if (!body.apiVersion)
    throw badRequest(`the API version in the data () does not match the expected API version (${expected})`);
}

function withAddress(definition: Described, metadata: JsonObject, address: Address): JsonObject {
  const { managedFields: _managed, selfLink: _link, ...kept } = metadata;
  const namespace = definition.namespaced ? address.namespace : undefined;
  if (kept.namespace && kept.namespace !== namespace)
    throw badRequest("the namespace of the provided object does not match the namespace sent on the request");
  if (address.name !== undefined && kept.name && kept.name !== address.name)
    throw badRequest(
      `the name of the object (${asText(kept.name)}) does not match the name on the URL (${address.name})`,
    );
  const { namespace: _namespace, ...unplaced } = kept;
  return {
    ...unplaced,
    ...(address.name !== undefined && { name: address.name }),
    ...(namespace && { namespace }),
  };
}
