import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { isIPv6 } from "node:net";
import { join } from "node:path";
import type { Clock } from "#runtime/clock.ts";
import { AccessError, type ClusterAccess } from "./cluster-access.ts";
import { tokenFile } from "./token-file.ts";

/** Where every pod finds its service account (Kubernetes, "Accessing the Kubernetes API from a Pod"). */
const FOLDER = "/var/run/secrets/kubernetes.io/serviceaccount";

export interface PodSurroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  /** Another place of the service account's files. */
  readonly folder?: string;
}

/** True in a pod that was given a service account. */
export function isInCluster({ env, folder = FOLDER }: PodSurroundings): boolean {
  return Boolean(env.KUBERNETES_SERVICE_HOST && env.KUBERNETES_SERVICE_PORT) && existsSync(join(folder, "token"));
}

/** The access of a pod by its service account. Rejects with `AccessError` outside a cluster, or when a file is missing. */
export async function inClusterAccess(surroundings: PodSurroundings): Promise<ClusterAccess> {
  const { env, folder = FOLDER, clock } = surroundings;
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port } = env;
  if (!host || !port) throw new AccessError("this is no pod: KUBERNETES_SERVICE_HOST is not set");
  const read = async (name: string): Promise<string> => {
    try {
      return await readFile(join(folder, name), "utf8");
    } catch (cause) {
      throw new AccessError(`${join(folder, name)} cannot be read`, { cause });
    }
  };
  const [authority, namespace] = await Promise.all([read("ca.crt"), read("namespace").catch(() => "default")]);
  return {
    server: `https://${isIPv6(host) ? `[${host}]` : host}:${port}`,
    authority,
    token: tokenFile(join(folder, "token"), clock),
    namespace: namespace.trim(),
  };
}
