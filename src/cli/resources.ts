import type { DiscoveredResource } from "#api/meta/admission.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "#api/meta/json.ts";
import type { KubeObject } from "#api/meta/object.ts";
import type { ResourceType } from "#kube/resource.ts";
import type { Transport } from "#kube/transport.ts";
import { CliError } from "./errors.ts";

/** A resource as its JSON: commands print and send objects of any kind as they are. */
export type AnyResource = ResourceType<KubeObject>;

interface Found {
  readonly resource: DiscoveredResource;
  readonly group: string;
  readonly version: string;
}

/** All resources the cluster serves. */
async function discover(transport: Transport): Promise<readonly Found[]> {
  const get = (path: string): Promise<JsonValue> => transport.exchange({ method: "GET", path });
  const groups = objects(await get("/apis"), "groups").map(({ preferredVersion }) =>
    isJsonObject(preferredVersion) ? String(preferredVersion.groupVersion) : "",
  );
  const lists = await Promise.all([
    get("/api/v1").then((list) => ({ group: "", version: "v1", list })),
    ...groups.map(async (groupVersion) => {
      const [group = "", version = ""] = groupVersion.split("/");
      return { group, version, list: await get(`/apis/${groupVersion}`) };
    }),
  ]);
  return lists.flatMap(({ group, version, list }) =>
    objects(list, "resources")
      .map((resource) => resource as unknown as DiscoveredResource)
      .filter(({ name }) => !name.includes("/"))
      .map((resource) => ({ resource, group, version })),
  );
}

function objects(value: JsonValue, member: string): readonly JsonObject[] {
  const items = isJsonObject(value) ? value[member] : [];
  return Array.isArray(items) ? items.filter(isJsonObject) : [];
}

const typeOf = ({ resource, group, version }: Found): AnyResource => ({
  group,
  version,
  kind: resource.kind,
  plural: resource.name,
  namespaced: resource.namespaced,
  decode: (json) => json as unknown as KubeObject,
});

/** Finds a resource by any name people use: `fleets`, `fleet`, `flt`, `Fleet`, `fleets.agones.dev`. */
export async function findResource(transport: Transport, word: string): Promise<AnyResource> {
  const name = word.toLowerCase();
  const found = (await discover(transport)).find(({ resource, group }) =>
    [
      resource.name,
      resource.singularName,
      resource.kind.toLowerCase(),
      ...(resource.shortNames ?? []),
      `${resource.name}.${group}`,
    ].includes(name),
  );
  if (!found) throw new CliError("Usage", `the cluster has no resource called ${JSON.stringify(word)}`);
  return typeOf(found);
}

/** Finds the resource of a manifest. */
export async function resourceOf(transport: Transport, object: KubeObject): Promise<AnyResource> {
  const [version, group = ""] = object.apiVersion.split("/").reverse();
  const found = (await discover(transport)).find(
    (each) => each.resource.kind === object.kind && each.group === group && each.version === version,
  );
  if (!found) throw new CliError("Refused", `the cluster knows no ${object.kind} of ${object.apiVersion}`);
  return typeOf(found);
}
