/** What an API server serves, by its own account (`/api/v1`, `/apis`, `/apis/GROUP/VERSION`). */
import { isJsonObject, type JsonObject, type JsonValue } from "#api/meta/json.ts";
import type { KubeObject } from "#api/meta/object.ts";
import type { ResourceType } from "#api/meta/resource-type.ts";
import type { Client } from "#kube/client.ts";

export interface ApiType extends ResourceType<KubeObject> {
  readonly verbs: readonly string[];
}

export interface ApiTypes {
  /** Each resource once, in the version its group prefers. Subresources are left out. */
  readonly all: readonly ApiType[];
  /** Some group did not answer; what it serves is missing. */
  readonly incomplete: boolean;
  /** The resource of an `apiVersion` and `kind`, whatever the version. */
  ofKind(apiVersion: string, kind: string): ApiType | undefined;
}

/** Rejects only when the core group or the list of groups cannot be read. */
export async function discoverTypes(client: Pick<Client, "raw">): Promise<ApiTypes> {
  const core = await client.raw("GET", "/api/v1");
  const groups = objects((await client.raw("GET", "/apis")) as JsonObject, "groups");
  const found = new Map(typesIn(core, "", "v1").map((type) => [idOf(type), type]));
  let incomplete = false;
  for (const group of groups) {
    const name = String(group.name);
    const preferred = isJsonObject(group.preferredVersion) ? group.preferredVersion.version : undefined;
    const versions = objects(group, "versions").map(({ version }) => String(version));
    for (const version of [...new Set([...(preferred ? [String(preferred)] : []), ...versions])]) {
      try {
        for (const type of typesIn(await client.raw("GET", `/apis/${name}/${version}`), name, version))
          if (!found.has(idOf(type))) found.set(idOf(type), type);
      } catch {
        incomplete = true;
      }
    }
  }
  const all = [...found.values()];
  const byKind = new Map(all.map((type) => [`${type.group}/${type.kind}`, type]));
  return { all, incomplete, ofKind: (apiVersion, kind) => byKind.get(`${groupOf(apiVersion)}/${kind}`) };
}

/** `GROUP/PLURAL` */
export const idOf = ({ group, plural }: ResourceType<KubeObject>): string => `${group}/${plural}`;

export const groupOf = (apiVersion: string): string =>
  apiVersion.includes("/") ? apiVersion.slice(0, apiVersion.indexOf("/")) : "";

function typesIn(list: JsonValue, group: string, version: string): readonly ApiType[] {
  return objects(list, "resources")
    .filter(({ name }) => typeof name === "string" && !name.includes("/"))
    .map(({ name, kind, namespaced, verbs }) => ({
      group,
      version,
      kind: String(kind),
      plural: String(name),
      namespaced: namespaced === true,
      verbs: Array.isArray(verbs) ? verbs.map(String) : [],
      decode: (json) => json as unknown as KubeObject,
    }));
}

function objects(from: JsonValue, member: string): readonly JsonObject[] {
  const value = isJsonObject(from) ? from[member] : undefined;
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}
