import { deepEqual } from "#api/meta/equality.ts";
import { isJsonObject, type JsonObject, type JsonValue, parseJson, stringifyJson } from "#api/meta/json.ts";
import type { KubeObject } from "#api/meta/object.ts";
import { isNotFound } from "#api/meta/status.ts";
import { pathOf } from "#kube/resource.ts";
import type { Transport } from "#kube/transport.ts";
import { type AnyResource, Resources } from "./resources.ts";

/** Where an apply remembers what it applied; the same as kubectl's, so that both can be used on one object. */
export const LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration";

export interface Applied {
  readonly object: JsonObject;
  readonly outcome: "created" | "configured" | "unchanged";
  readonly resource: AnyResource;
}

export interface ApplyOptions {
  /** Refuses what would be refused, and changes nothing. */
  readonly dryRun?: boolean;
  /** It is created, or refused when it is there already. */
  readonly onlyNew?: boolean;
  /** Told each warning of the server. */
  readonly warned?: (warning: string) => void;
}

/**
 * Creates the object, or changes what the manifest says differently from the stored one and takes away what the last apply
 * said and this one does not; what others set stays. Unknown fields are refused.
 */
export async function applyManifest(
  transport: Transport,
  manifest: KubeObject,
  defaultNamespace: string,
  resources = new Resources(transport),
  { dryRun = false, onlyNew = false, warned }: ApplyOptions = {},
): Promise<Applied> {
  const resource = await resources.of(manifest);
  const namespace = resource.namespaced ? (manifest.metadata.namespace ?? defaultNamespace) : undefined;
  const { annotations, ...metadata } = manifest.metadata;
  const { [LAST_APPLIED]: _, ...ownAnnotations } = annotations ?? {};
  const stated = {
    ...manifest,
    metadata: { ...metadata, annotations: ownAnnotations, ...(namespace && { namespace }) },
  };
  const wanted = {
    ...stated,
    metadata: { ...stated.metadata, annotations: { ...ownAnnotations, [LAST_APPLIED]: `${stringifyJson(stated)}\n` } },
  } as unknown as JsonObject;
  const query = { fieldManager: "stadion", fieldValidation: "Strict", ...(dryRun && { dryRun: "All" }) };
  const answered = (_code: number, warnings: readonly string[]) => {
    for (const warning of warnings) warned?.(warning);
  };
  const name = manifest.metadata.name;
  const create = async (): Promise<Applied> => {
    const created = await transport.exchange({
      method: "POST",
      path: pathOf(resource, namespace),
      query,
      body: wanted,
      answered,
    });
    return { object: created as JsonObject, outcome: "created", resource };
  };
  if (name === undefined || onlyNew) return create();

  const path = pathOf(resource, namespace, name);
  let stored: JsonObject;
  try {
    stored = (await transport.exchange({ method: "GET", path })) as JsonObject;
  } catch (error) {
    if (isNotFound(error)) return create();
    throw error;
  }
  const patch = threeWayPatch(lastApplied(stored), wanted, stored);
  if (Object.keys(patch).length === 0) return { object: stored, outcome: "unchanged", resource };
  const contentType = "application/merge-patch+json";
  const changed = await transport.exchange({ method: "PATCH", path, query, body: patch, contentType, answered });
  const versionOf = (object: JsonObject) => (object.metadata as JsonObject | undefined)?.resourceVersion;
  const outcome = versionOf(changed as JsonObject) === versionOf(stored) ? "unchanged" : "configured";
  return { object: changed as JsonObject, outcome, resource };
}

/** What the last apply said; nothing when nobody applied, or what is kept cannot be read. */
function lastApplied(stored: JsonObject): JsonObject {
  const text = (stored.metadata as { annotations?: Record<string, string> } | undefined)?.annotations?.[LAST_APPLIED];
  try {
    const value = parseJson(text ?? "{}");
    return isJsonObject(value) ? value : {};
  } catch {
    return {};
  }
}

/** The merge patch (RFC 7386) that brings `stored` to `wanted`, removing what only `last` said. */
export function threeWayPatch(last: JsonObject, wanted: JsonObject, stored: JsonObject): JsonObject {
  const patch: [string, JsonValue][] = [];
  for (const [name, value] of Object.entries(wanted)) {
    if (value === undefined) continue;
    const [before, now] = [own(last, name), own(stored, name)];
    if (isJsonObject(value) && isJsonObject(now)) {
      const inner = threeWayPatch(isJsonObject(before) ? before : {}, value, now);
      if (Object.keys(inner).length > 0) patch.push([name, inner]);
    } else if (!deepEqual(value, now)) patch.push([name, value]);
  }
  for (const name of Object.keys(last)) {
    if (own(wanted, name) === undefined && own(stored, name) !== undefined) patch.push([name, null]);
  }
  return Object.fromEntries(patch);
}

/** A key such as `constructor` reads nothing inherited. */
function own(object: JsonObject, name: string): JsonValue | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}
