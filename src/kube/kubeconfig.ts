import { readFile } from "node:fs/promises";
import { delimiter, dirname, resolve } from "node:path";
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
 * Reads kubeconfig files (Kubernetes, "Organizing Cluster Access Using kubeconfig Files"): the current context, or the one named.
 * Several files stand joined by `:` (`;` on Windows), as in `KUBECONFIG`: of entries with one name the first file's holds, whole; the
 * current context is the first that a file sets; files that are not there are passed over while one is. Certificates, keys and tokens
 * may stand in a file or in others beside it. Rejects with `AccessError` that names the file and the member.
 */
export async function kubeconfigAccess(
  files: string,
  { context: wanted, clock }: { readonly context?: string; readonly clock: Clock },
): Promise<ClusterAccess> {
  const config = await loadAll([...new Set(files.split(delimiter).filter((file) => file !== ""))]);
  const context = config.entry("contexts", "context", wanted ?? config.currentContext);
  const cluster = config.entry("clusters", "cluster", context.text("cluster"));
  const user = config.user(context.optional("user"));
  cluster.refuse("cluster");
  user?.refuse("user");

  const server = cluster.text("server");
  if (!URL.canParse(server) || !/^https?:$/.test(new URL(server).protocol))
    throw cluster.fault(`the server ${JSON.stringify(server)} is no http or https URL`);
  const [authority, certificate, key] = await Promise.all([
    cluster.content("certificate-authority"),
    user?.content("client-certificate"),
    user?.content("client-key"),
  ]);
  if (user && (certificate === undefined) !== (key === undefined))
    throw user.fault("client-certificate and client-key belong together, and one is missing");
  const token = user?.optional("token");
  const tokenPath = user?.optional("tokenFile");
  const serverName = cluster.optional("tls-server-name");
  return {
    server,
    namespace: context.optional("namespace") ?? "default",
    ...(authority !== undefined && { authority }),
    ...(serverName !== undefined && { serverName }),
    ...(cluster.isSet("insecure-skip-tls-verify") && { insecure: true }),
    ...(certificate !== undefined && key !== undefined && { client: { certificate, key } }),
    ...(user && tokenPath !== undefined
      ? { token: tokenFile(user.path(tokenPath), clock) }
      : token !== undefined && { token: async () => token }),
  };
}

async function loadAll(files: readonly string[]): Promise<Kubeconfig> {
  const loaded = await Promise.allSettled(files.map(load));
  const found = loaded.flatMap((each) => (each.status === "fulfilled" ? [each.value] : []));
  const faults = loaded.flatMap((each) => (each.status === "rejected" ? [each.reason] : []));
  const serious = faults.find(({ cause }) => cause?.code !== "ENOENT") ?? (found.length === 0 ? faults[0] : undefined);
  if (serious) throw serious;
  return new Kubeconfig(found);
}

async function load(file: string): Promise<Part> {
  let value: unknown;
  try {
    value = await parsed(await readFile(file, "utf8"));
  } catch (cause) {
    throw new AccessError(`the kubeconfig ${file} cannot be read: ${cause instanceof Error ? cause.message : cause}`, {
      cause,
    });
  }
  if (isJsonObject(value)) return new Part(file, value);
  throw new AccessError(`the kubeconfig ${file} holds no object`);
}

/** JSON, or YAML, whose parser is loaded for it: whoever runs in a Pod reads no kubeconfig. */
async function parsed(text: string): Promise<unknown> {
  if (/^\s*\{/.test(text)) {
    try {
      return JSON.parse(text);
    } catch {
      // YAML in the same clothes: its reader says better what is wrong.
    }
  }
  const { parse } = await import("yaml");
  return parse(text);
}

/** Several files as one. */
class Kubeconfig {
  readonly #files: readonly Part[];

  constructor(files: readonly Part[]) {
    this.#files = files;
  }

  get currentContext(): string {
    const found = this.#files.map((file) => file.optional("current-context")).find((name) => name !== undefined);
    if (found === undefined) throw this.#fault("current-context is missing");
    return found;
  }

  /** What the first file that has it has in `list` under a name. */
  entry(list: string, member: string, name: string): Part {
    for (const file of this.#files) {
      const found = file.named(list, member, name);
      if (found) return found;
    }
    throw this.#fault(`there is no ${member} ${JSON.stringify(name)}`);
  }

  /** A context may name none. */
  user(name: string | undefined): Part | undefined {
    return name === undefined ? undefined : this.entry("users", "user", name);
  }

  #fault(why: string): AccessError {
    return new AccessError(`kubeconfig ${this.#files.map(({ file }) => file).join(delimiter)}: ${why}`);
  }
}

/** A file, or an entry of one: its members, and errors that name the file. */
class Part {
  readonly file: string;
  readonly #members: JsonObject;

  constructor(file: string, members: JsonObject) {
    this.file = file;
    this.#members = members;
  }

  fault(why: string, options?: ErrorOptions): AccessError {
    return new AccessError(`kubeconfig ${this.file}: ${why}`, options);
  }

  named(list: string, member: string, name: string): Part | undefined {
    const entries = this.#members[list];
    const found = (Array.isArray(entries) ? entries : []).find(
      (each: JsonValue) => isJsonObject(each) && each.name === name,
    );
    const value = isJsonObject(found) ? found[member] : undefined;
    return isJsonObject(value) ? new Part(this.file, value) : undefined;
  }

  refuse(kind: "cluster" | "user"): void {
    const found = unsupported[kind].find((name) => this.#members[name] !== undefined);
    if (found !== undefined) throw this.fault(`${found} of a ${kind} is not supported`);
  }

  isSet(member: string): boolean {
    return this.#members[member] === true;
  }

  text(member: string): string {
    const value = this.optional(member);
    if (value === undefined) throw this.fault(`${member} is missing`);
    return value;
  }

  optional(member: string): string | undefined {
    const value = this.#members[member];
    if (value === undefined || value === null || value === "") return undefined;
    if (typeof value === "string") return value;
    throw this.fault(`${member} must be a text`);
  }

  /** Relative to the file's own folder. */
  path(name: string): string {
    return resolve(dirname(this.file), name);
  }

  /** PEM that stands in base64 under `NAME-data`, or in the file that `NAME` names; the former wins. */
  async content(name: string): Promise<string | undefined> {
    const data = this.optional(`${name}-data`);
    if (data !== undefined) return Buffer.from(data, "base64").toString("utf8");
    const named = this.optional(name);
    if (named === undefined) return undefined;
    try {
      return await readFile(this.path(named), "utf8");
    } catch (cause) {
      throw this.fault(`${name} ${this.path(named)} cannot be read`, { cause });
    }
  }
}
