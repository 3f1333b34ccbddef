import { homedir } from "node:os";
import { join } from "node:path";
import type { ClusterAccess } from "#kube/cluster-access.ts";
import { inClusterAccess, isInCluster } from "#kube/in-cluster.ts";
import { kubeconfigAccess } from "#kube/kubeconfig.ts";
import type { Clock } from "#runtime/clock.ts";

/**
 * How a program of ours reaches its cluster: by the kubeconfig it is told, else as the service account of its pod, else by the
 * user's own kubeconfig. Rejects with `AccessError`.
 */
export async function clusterAccess(kubeconfig: string, clock: Clock): Promise<ClusterAccess> {
  if (kubeconfig) return kubeconfigAccess(kubeconfig, { clock });
  const surroundings = { env: process.env, clock };
  if (isInCluster(surroundings)) return inClusterAccess(surroundings);
  return kubeconfigAccess(join(homedir(), ".kube", "config"), { clock });
}
