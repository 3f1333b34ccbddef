import { readFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { parse } from "yaml";
import { isJsonObject, type JsonObject, type JsonValue } from "#api/meta/json.ts";
import type { Clock } from "#runtime/clock.ts";
import { AccessError, type ClusterAccess } from "./cluster-access.ts";
import { tokenFile } from "./token-file.ts";

/** What a kubeconfig may ask for and this loader does not do: programs that make credentials, and other ways to the server. */
const unsupported: Readonly<Record<"cluster" | "user", readonly string[]>> = {
  cluster: ["proxy-url"],
  user: ["exec", "auth-provider", "username", "password", "as", "as-uid", "as-groups", "as-user-extra"],
};

/**
 * Reads one kubeconfig file (Kubernetes, "Organizing Cluster Access Using kubeconfig Files"): its current context, or the one named.
 * Certificates, keys and tokens may stand in it or in files beside it. Rejects with `AccessError` that names the file and the member.
 */
export async function kubeconfigAccess(
  file: string,
  { context: wanted, clock }: { readonly context?: string; readonly clock: Clock },
): Promise<ClusterAccess> {
  const config = new Kubeconfig(file, await load(file));
  const context = config.entry("contexts", "context", wanted ?? config.text(config.root, "current-context"));
  const cluster = config.entry("clusters", "cluster", config.text(context, "cluster"));
  const userName = config.optional(context, "user");
  const user = userName === undefined ? {} : config.entry("users", "user", userName);
  config.refuse(cluster, "cluster");
  config.refuse(user, "user");

  const server = config.text(cluster, "server");
  if (!URL.canParse(server) || !/^https?:$/.test(new URL(server).protocol))
    throw config.fault(`the server ${JSON.stringify(server)} is no http or https URL`);
  const [authority, certificate, key] = await Promise.all([
    config.content(cluster, "certificate-authority"),
    config.content(user, "client-certificate"),
    config.content(user, "client-key"),
  ]);
  if ((certificate === undefined) !== (key === undefined))
    throw config.fault("client-certificate and client-key belong together, and one is missing");
  const token = config.optional(user, "token");
  const tokenPath = config.optional(user, "tokenFile");
  const serverName = config.optional(cluster, "tls-server-name");
  return {
    server,
    namespace: config.optional(context, "namespace") ?? "default",
    ...(authority !== undefined && { authority }),
    ...(serverName !== undefined && { serverName }),
    ...(cluster["insecure-skip-tls-verify"] === true && { insecure: true }),
    ...(certificate !== undefined && key !== undefined && { client: { certificate, key } }),
    ...(tokenPath !== undefined
      ? { token: tokenFile(config.path(tokenPath), clock) }
      : token !== undefined && { token: async () => token }),
  };
}

async function load(file: string): Promise<JsonObject> {
  let value: unknown;
  try {
    value = parse(await readFile(file, "utf8"));
  } catch (cause) {
    throw new AccessError(`the kubeconfig ${file} cannot be read: ${cause instanceof Error ? cause.message : cause}`, {
      cause,
    });
  }
  if (isJsonObject(value)) return value;
  throw new AccessError(`the kubeconfig ${file} holds no object`);
}

/** The members of one file, and errors that name it. */
class Kubeconfig {
  readonly root: JsonObject;
  readonly #file: string;

  constructor(file: string, root: JsonObject) {
    this.#file = file;
    this.root = root;
  }

  fault(why: string, options?: ErrorOptions): AccessError {
    return new AccessError(`kubeconfig ${this.#file}: ${why}`, options);
  }

  /** What `list` has under a name. */
  entry(list: string, member: string, name: string): JsonObject {
    const entries = this.root[list];
    const found = (Array.isArray(entries) ? entries : []).find(
      (each: JsonValue) => isJsonObject(each) && each.name === name,
    );
    const value = isJsonObject(found) ? found[member] : undefined;
    if (isJsonObject(value)) return value;
    throw this.fault(`there is no ${member} ${JSON.stringify(name)}`);
  }

  refuse(entry: JsonObject, kind: "cluster" | "user"): void {
    const found = unsupported[kind].find((name) => entry[name] !== undefined);
    if (found !== undefined) throw this.fault(`${found} of a ${kind} is not supported`);
  }

  text(entry: JsonObject, member: string): string {
    const value = this.optional(entry, member);
    if (value === undefined) throw this.fault(`${member} is missing`);
    return value;
  }

  optional(entry: JsonObject, member: string): string | undefined {
    const value = entry[member];
    if (value === undefined || value === null || value === "") return undefined;
    if (typeof value === "string") return value;
    throw this.fault(`${member} must be a text`);
  }

  /** Relative to the file's own folder. */
  path(name: string): string {
    return resolve(dirname(this.#file), name);
  }

  /** PEM that stands in base64 under `NAME-data`, or in the file that `NAME` names; the former wins. */
  async content(entry: JsonObject, name: string): Promise<string | undefined> {
    const data = this.optional(entry, `${name}-data`);
    if (data !== undefined) return Buffer.from(data, "base64").toString("utf8");
    const named = this.optional(entry, name);
    if (named === undefined) return undefined;
    try {
      return await readFile(this.path(named), "utf8");
    } catch (cause) {
      throw this.fault(`${name} ${this.path(named)} cannot be read`, { cause });
    }
  }
}
