import type { DiscoveredResource } from "#api/meta/admission.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "#api/meta/json.ts";
import type { KubeObject } from "#api/meta/object.ts";
import type { ResourceType } from "#api/meta/resource-type.ts";
import { isNotFound } from "#api/meta/status.ts";
import type { Transport } from "#kube/transport.ts";
import { nearestWord } from "#runtime/nearest-word.ts";
import { CliError } from "./errors.ts";

/** A resource as its JSON: commands print and send objects of any kind as they are. */
export interface AnyResource extends ResourceType<KubeObject> {
  readonly names: readonly string[];
  readonly subresources: readonly string[];
  readonly verbs: readonly string[];
}

/** The resources a cluster serves, asked for once, and again when one is not found: an apply may have defined it meanwhile. */
export class Resources {
  readonly #transport: Transport;
  #known: Promise<readonly AnyResource[]> | undefined;
  /** Of single versions, which manifests name. */
  readonly #versions = new Map<string, Promise<readonly AnyResource[]>>();

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** By any name people use: `fleets`, `fleet`, `flt`, `Fleet`, `fleets.agones.dev`, `fleets.v1.agones.dev`. Throws `CliError`. */
  async named(word: string): Promise<AnyResource> {
    const name = word.toLowerCase();
    const found = await this.#find(({ names }) => names.includes(name));
    if (found) return found;
    const listed = (await this.#all()).filter(({ verbs }) => verbs.includes("list"));
    const plurals = [...new Set(listed.map(({ plural }) => plural))].sort();
    const near = nearestWord(name, [...plurals, ...listed.flatMap(({ names }) => names)]);
    const meant = near === undefined ? `; it has: ${plurals.join(", ")}` : `: did you mean ${near}?`;
    throw new CliError("Usage", `the cluster has no resource called ${JSON.stringify(word)}${meant}`);
  }

  /** Of a manifest. Throws `CliError`. */
  async of({ apiVersion, kind }: KubeObject): Promise<AnyResource> {
    const [version = "", group = ""] = apiVersion.split("/").reverse();
    const fits = (each: AnyResource) => each.kind === kind && each.group === group && each.version === version;
    const known = [...((await this.#known) ?? []), ...((await this.#versions.get(apiVersion)) ?? [])];
    const found = known.find(fits) ?? (await this.#ask(group, version)).find(fits);
    if (!found) throw new CliError("Refused", `the cluster knows no ${kind} of ${apiVersion}`);
    return found;
  }

  #ask(group: string, version: string): Promise<readonly AnyResource[]> {
    const groupVersion = group ? `${group}/${version}` : version;
    const asked = resourcesAt(this.#transport, group, version).catch((error: unknown) => {
      if (isNotFound(error)) return [];
      this.#versions.delete(groupVersion);
      throw error;
    });
    this.#versions.set(groupVersion, asked);
    return asked;
  }

  async #find(fits: (resource: AnyResource) => boolean): Promise<AnyResource | undefined> {
    const found = this.#known && (await this.#known).find(fits);
    if (found) return found;
    this.#known = discover(this.#transport);
    return (await this.#known).find(fits);
  }

  #all(): Promise<readonly AnyResource[]> {
    this.#known ??= discover(this.#transport);
    return this.#known;
  }
}

async function discover(transport: Transport): Promise<readonly AnyResource[]> {
  const found = await transport.exchange({ method: "GET", path: "/apis" });
  const groups = objects(found, "groups").map(({ preferredVersion }) =>
    isJsonObject(preferredVersion) ? String(preferredVersion.groupVersion) : "",
  );
  const lists = await Promise.all([
    resourcesAt(transport, "", "v1"),
    ...groups.map((groupVersion) => {
      const [group = "", version = ""] = groupVersion.split("/");
      return resourcesAt(transport, group, version);
    }),
  ]);
  return lists.flat();
}

async function resourcesAt(transport: Transport, group: string, version: string): Promise<readonly AnyResource[]> {
  const path = group ? `/apis/${group}/${version}` : `/api/${version}`;
  return resourcesOf(await transport.exchange({ method: "GET", path }), group, version);
}

function resourcesOf(list: JsonValue, group: string, version: string): readonly AnyResource[] {
  const all = objects(list, "resources") as unknown as readonly DiscoveredResource[];
  return all
    .filter(({ name }) => !name.includes("/"))
    .map(({ name, singularName, kind, namespaced, verbs, shortNames = [] }) => ({
      group,
      version,
      kind,
      plural: name,
      namespaced,
      verbs,
      decode: (json) => json as unknown as KubeObject,
      names: [
        ...[name, singularName, kind.toLowerCase(), ...shortNames],
        ...(group ? [`${name}.${group}`, `${singularName}.${group}`, `${name}.${version}.${group}`] : []),
      ],
      subresources: all.flatMap((each) => (each.name.startsWith(`${name}/`) ? [each.name.slice(name.length + 1)] : [])),
    }));
}

function objects(value: JsonValue, member: string): readonly JsonObject[] {
  const items = isJsonObject(value) ? value[member] : [];
  return Array.isArray(items) ? items.filter(isJsonObject) : [];
}
