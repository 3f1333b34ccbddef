/** Which node a pod runs on, or why on none. Follows kube-scheduler in what it asks of a node and in the words it uses. */
import type { Node, Taint } from "#api/core/node.ts";
import type { Pod, Toleration } from "#api/core/pod.ts";
import { parseQuantity } from "#api/meta/quantity.ts";
import { type MatchingPods, nodeMatches, nodePreference, type PodAffinity, podAffinityOf } from "./decide-affinity.ts";
import { type Amounts, hostPortsOf, isProcessNode, requestsOf } from "./decide-requests.ts";

/** What runs on a node, or is about to. */
export interface Load extends MatchingPods {
  readonly pods: number;
  /** In units of 10^−9. */
  requested(resource: string): bigint;
  /** `UDP/7000` */
  holdsPort(port: string): boolean;
}

export interface Candidate {
  readonly node: Node;
  readonly load: Load;
}

export type Choice =
  | { readonly node: string }
  /** `0/3 nodes are available: 1 Insufficient cpu, 2 Too many pods.` */
  | { readonly node?: undefined; readonly message: string };

const UNSCHEDULABLE: Taint = { key: "node.kubernetes.io/unschedulable", effect: "NoSchedule" };

/** Deterministic: of nodes that are equally good, the one with fewer pods, then the first by name. */
export function chooseNode(pod: Pod, candidates: readonly Candidate[]): Choice {
  if (candidates.length === 0) return { message: "no nodes available to schedule pods" };
  const affinity = podAffinityOf(pod, candidates);
  const ports = hostPortsOf(pod);
  const requests = { process: requestsOf(pod, true), container: requestsOf(pod, false) };
  const counts = new Map<string, number>();
  let best: Ranked | undefined;
  for (const candidate of candidates) {
    const wanted = isProcessNode(candidate.node) ? requests.process : requests.container;
    const obstacles = obstaclesAt(pod, candidate, ports, wanted, affinity);
    for (const obstacle of obstacles) counts.set(obstacle, (counts.get(obstacle) ?? 0) + 1);
    if (obstacles.length > 0) continue;
    const ranked = rank(pod, candidate, affinity);
    if (!best || isBetter(ranked, best)) best = ranked;
  }
  if (best) return { node: best.name };
  const reasons = [...counts].map(([reason, count]) => `${count} ${reason}`).sort();
  return { message: `0/${candidates.length} nodes are available: ${reasons.join(", ")}.` };
}

/** Why the pod cannot run there: the first kind of obstacle, in the order of kube-scheduler; none: it can. */
function obstaclesAt(
  pod: Pod,
  { node, load }: Candidate,
  ports: readonly string[],
  wanted: Amounts,
  affinity: PodAffinity,
): readonly string[] {
  const { tolerations = [] } = pod.spec;
  if (node.spec?.unschedulable && !tolerates(tolerations, UNSCHEDULABLE)) return ["node(s) were unschedulable"];
  const taint = node.spec?.taints?.find((each) => each.effect !== "PreferNoSchedule" && !tolerates(tolerations, each));
  if (taint) return [`node(s) had untolerated taint {${taint.key}: ${taint.value ?? ""}}`];
  if (!nodeMatches(pod, node)) return ["node(s) didn't match Pod's node affinity/selector"];
  if (ports.some((port) => load.holdsPort(port))) return ["node(s) didn't have free ports for the requested pod ports"];
  const lacking = lackingAt(node, load, wanted);
  if (lacking.length > 0) return lacking;
  if (affinity.unmet(node)) return ["node(s) didn't match pod affinity rules"];
  if (affinity.repelled(node)) return ["node(s) didn't match pod anti-affinity rules"];
  return [];
}

function lackingAt(node: Node, load: Load, wanted: Amounts): readonly string[] {
  const { allocatable = node.status?.capacity ?? {} } = node.status ?? {};
  const has = (resource: string) => parseQuantity(allocatable[resource] ?? "0").nano;
  const tooMany = BigInt(load.pods + 1) * 1_000_000_000n > has("pods");
  const insufficient = [...wanted]
    .filter(([resource, amount]) => amount > 0n && load.requested(resource) + amount > has(resource))
    .map(([resource]) => `Insufficient ${resource}`);
  return [...(tooMany ? ["Too many pods"] : []), ...insufficient];
}

/** Kubernetes `ToleratesTaint`: an empty key with `Exists` tolerates all, an empty effect any. */
function tolerates(tolerations: readonly Toleration[], taint: Taint): boolean {
  return tolerations.some(({ key = "", operator = "Equal", value = "", effect }) => {
    if (effect && effect !== taint.effect) return false;
    if (key !== taint.key && !(key === "" && operator === "Exists")) return false;
    return operator === "Exists" || value === (taint.value ?? "");
  });
}

interface Ranked {
  readonly name: string;
  /** Compared in order; more is better. */
  readonly scores: readonly number[];
}

function rank(pod: Pod, { node, load }: Candidate, affinity: PodAffinity): Ranked {
  const { tolerations = [] } = pod.spec;
  const disliked = (node.spec?.taints ?? []).filter(
    (taint) => taint.effect === "PreferNoSchedule" && !tolerates(tolerations, taint),
  );
  const scores = [-disliked.length, affinity.preference(node), nodePreference(pod, node), -load.pods];
  return { name: node.metadata.name ?? "", scores };
}

function isBetter(a: Ranked, b: Ranked): boolean {
  const at = a.scores.findIndex((score, position) => score !== b.scores[position]);
  return at < 0 ? a.name < b.name : (a.scores[at] ?? 0) > (b.scores[at] ?? 0);
}
