import type { ConfigMap, Secret } from "#api/core/config.ts";
import { CONFIG_MAPS, SECRETS } from "#api/core/resources.ts";
import { isNotFound } from "#api/meta/status.ts";
import type { Reader } from "#kube/client.ts";
import { ContainerConfigError } from "./downward-api.ts";

/** What a container refers to: a ConfigMap or a Secret of its pod's namespace. */
export interface StoredReference {
  readonly kind: "configmap" | "secret";
  readonly namespace: string;
  readonly name: string;
  readonly optional: boolean;
}

/**
 * The texts a ConfigMap or a Secret holds, the latter's decoded. `undefined` when it is not there and optional; rejects with
 * `ContainerConfigError` when it is not there else, and with the client's errors when the API cannot be asked.
 */
export async function storedData(
  { kind, namespace, name, optional }: StoredReference,
  reader: Pick<Reader, "get">,
): Promise<ReadonlyMap<string, string> | undefined> {
  try {
    const found: ConfigMap | Secret = await reader.get(kind === "secret" ? SECRETS : CONFIG_MAPS, namespace, name);
    const decoded = (value: string) => (kind === "secret" ? Buffer.from(value, "base64").toString() : value);
    return new Map(Object.entries(found.data ?? {}).map(([key, value]) => [key, decoded(value)]));
  } catch (error) {
    if (!isNotFound(error)) throw error;
    if (optional) return undefined;
    throw new ContainerConfigError(`${kind} "${name}" not found`, { cause: error });
  }
}
