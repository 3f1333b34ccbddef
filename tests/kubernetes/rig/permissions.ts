/** Service accounts that are allowed what `docs/reference/permissions.md` says, and what their programs ask for held against it. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { JsonObject } from "#api/meta/json.ts";
import { plain, rowsWith } from "../../../tools/reference/markdown.ts";
import type { ApiServer } from "../agreement/api-server.ts";

const ROOT = join(import.meta.dirname, "..", "..", "..");
const SYSTEM = "agones-system";
const GROUP = "rbac.authorization.k8s.io";

export type Program = "controller" | "extensions";

interface Permission {
  /** `*` for all. */
  readonly namespace: string;
  readonly group: string;
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
}

const codes = (cell: string): readonly string[] => [...cell.matchAll(/`([^`]+)`/g)].map(([, text = ""]) => text);

/** What the page grants a program. */
export function permissionsOf(program: Program): readonly Permission[] {
  const page = readFileSync(join(ROOT, "docs", "reference", "permissions.md"), "utf8");
  return rowsWith(page, "Verbs")
    .filter(({ Program = "" }) => plain(Program) === program)
    .map((row) => ({
      namespace: plain(row.Namespace ?? ""),
      group: plain(row["API group"] ?? ""),
      resources: codes(row.Resources ?? ""),
      verbs: codes(row.Verbs ?? ""),
    }));
}

/** Makes a service account with these permissions and no others; the path of a kubeconfig for it. */
export async function kubeconfigFor(program: Program, server: ApiServer, folder: string): Promise<string> {
  const post = async (path: string, object: JsonObject): Promise<JsonObject> => {
    const { status, body } = await server.call("POST", path, object);
    if (status !== 201 && status !== 409) throw new Error(`${path}: ${status}: ${JSON.stringify(body)}`);
    return body as JsonObject;
  };
  const name = `rig-${program}`;
  await post("/api/v1/namespaces", { apiVersion: "v1", kind: "Namespace", metadata: { name: SYSTEM } });
  const accounts = `/api/v1/namespaces/${SYSTEM}/serviceaccounts`;
  await post(accounts, { apiVersion: "v1", kind: "ServiceAccount", metadata: { name } });
  const permissions = permissionsOf(program);
  for (const namespace of new Set(permissions.map((permission) => permission.namespace))) {
    const everywhere = namespace === "*";
    const path = `/apis/${GROUP}/v1/${everywhere ? "" : `namespaces/${namespace}/`}`;
    const kind = everywhere ? "ClusterRole" : "Role";
    const own = permissions.filter((permission) => permission.namespace === namespace);
    const rules = own.map(({ group, resources, verbs }) => ({
      apiGroups: [group],
      resources: [...resources],
      verbs: [...verbs],
    }));
    await post(`${path}${kind.toLowerCase()}s`, { apiVersion: `${GROUP}/v1`, kind, metadata: { name }, rules });
    await post(`${path}${kind.toLowerCase()}bindings`, {
      apiVersion: `${GROUP}/v1`,
      kind: `${kind}Binding`,
      metadata: { name },
      roleRef: { apiGroup: GROUP, kind, name },
      subjects: [{ kind: "ServiceAccount", name, namespace: SYSTEM }],
    });
  }
  const { status } = await post(`${accounts}/${name}/token`, {
    apiVersion: "authentication.k8s.io/v1",
    kind: "TokenRequest",
    spec: { expirationSeconds: 3600 },
  });
  const config = JSON.parse(readFileSync(server.kubeconfig, "utf8"));
  config.users = [{ ...config.users[0], user: { token: (status as JsonObject).token } }];
  const file = join(folder, `${name}-kubeconfig`);
  writeFileSync(file, JSON.stringify(config), { mode: 0o600 });
  return file;
}

const VERBS: Readonly<Record<string, readonly string[]>> = {
  POST: ["create"],
  PUT: ["update"],
  PATCH: ["patch"],
  DELETE: ["delete"],
};

/** Of the requests that a program's metrics tell, as `METHOD endpoint`, those that it has no permission for. */
export function notPermitted(metrics: string, program: Program): readonly string[] {
  const permissions = permissionsOf(program);
  const requests = [...metrics.matchAll(/http_request_duration_seconds_count\{verb="(\w+)",endpoint="([^"]+)"\}/g)].map(
    ([, verb = "", endpoint = ""]) => ({ verb, endpoint }),
  );
  if (requests.length === 0) throw new Error("the metrics tell of no request");
  return requests
    .filter(({ verb, endpoint }) => {
      const [, api, ...rest] = endpoint.split("/");
      const group = api === "apis" ? (rest[0] ?? "") : "";
      const [resource, name, subresource] = rest
        .slice(api === "apis" ? 2 : 1)
        .filter((part, place, all) => part !== "namespaces" && all[place - 1] !== "namespaces");
      const needs = VERBS[verb] ?? (name ? ["get"] : ["list", "watch"]);
      const wanted = subresource ? `${resource}/${subresource}` : (resource ?? "");
      return !permissions.some(
        (each) =>
          each.group === group && each.resources.includes(wanted) && needs.every((need) => each.verbs.includes(need)),
      );
    })
    .map(({ verb, endpoint }) => `${verb} ${endpoint}`);
}
