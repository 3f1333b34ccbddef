/** Selectors and affinity of pods (core/v1 `Affinity`), towards nodes and towards other pods. */
import type { Node } from "#api/core/node.ts";
import type { Pod } from "#api/core/pod.ts";
import { type LabelSelector, labelSelectorMatcher } from "#api/meta/label-selector.ts";

interface NodeRequirement {
  readonly key: string;
  readonly operator: "In" | "NotIn" | "Exists" | "DoesNotExist" | "Gt" | "Lt";
  readonly values?: readonly string[];
}

interface NodeTerm {
  readonly matchExpressions?: readonly NodeRequirement[];
  readonly matchFields?: readonly NodeRequirement[];
}

export interface PodTerm {
  readonly topologyKey: string;
  readonly labelSelector?: LabelSelector;
  /** Absent or empty: the pod's own. */
  readonly namespaces?: readonly string[];
}

interface PodTerms {
  readonly requiredDuringSchedulingIgnoredDuringExecution?: readonly PodTerm[];
  readonly preferredDuringSchedulingIgnoredDuringExecution?: readonly {
    readonly weight: number;
    readonly podAffinityTerm: PodTerm;
  }[];
}

interface Affinity {
  readonly nodeAffinity?: {
    readonly requiredDuringSchedulingIgnoredDuringExecution?: { readonly nodeSelectorTerms?: readonly NodeTerm[] };
    readonly preferredDuringSchedulingIgnoredDuringExecution?: readonly {
      readonly weight: number;
      readonly preference: NodeTerm;
    }[];
  };
  readonly podAffinity?: PodTerms;
  readonly podAntiAffinity?: PodTerms;
}

const affinityOf = (pod: Pod): Affinity => (pod.spec.affinity ?? {}) as Affinity;

/** The node selector and the required node affinity allow the node. */
export function nodeMatches(pod: Pod, node: Node): boolean {
  const { labels = {} } = node.metadata;
  if (!Object.entries(pod.spec.nodeSelector ?? {}).every(([key, value]) => labels[key] === value)) return false;
  const required = affinityOf(pod).nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  return !required || (required.nodeSelectorTerms ?? []).some((term) => termMatches(term, node));
}

/** Sum of the weights of the preferred node terms that the node matches. */
export function nodePreference(pod: Pod, node: Node): number {
  const preferred = affinityOf(pod).nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
  return preferred.reduce((sum, { weight, preference }) => sum + (termMatches(preference, node) ? weight : 0), 0);
}

/** A term without conditions matches nothing. */
function termMatches({ matchExpressions = [], matchFields = [] }: NodeTerm, { metadata }: Node): boolean {
  if (matchExpressions.length + matchFields.length === 0) return false;
  const fields = { "metadata.name": metadata.name ?? "" };
  return (
    matchExpressions.every((requirement) => requirementHolds(requirement, metadata.labels ?? {})) &&
    matchFields.every((requirement) => requirementHolds(requirement, fields))
  );
}

function requirementHolds(
  { key, operator, values = [] }: NodeRequirement,
  labels: Readonly<Record<string, string>>,
): boolean {
  const value = Object.hasOwn(labels, key) ? labels[key] : undefined;
  switch (operator) {
    case "In":
      return value !== undefined && values.includes(value);
    case "NotIn":
      return value === undefined || !values.includes(value);
    case "Exists":
      return value !== undefined;
    case "DoesNotExist":
      return value === undefined;
    case "Gt":
      return isInteger(value) && isInteger(values[0]) && BigInt(value) > BigInt(values[0]);
    case "Lt":
      return isInteger(value) && isInteger(values[0]) && BigInt(value) < BigInt(values[0]);
  }
}

const isInteger = (text: string | undefined): text is string => text !== undefined && /^-?\d+$/.test(text);

/** The pods of a node, asked how many match. */
export interface MatchingPods {
  /** How many pods of the namespaces match the selector; its text stands for it. */
  matching(selector: LabelSelector, namespaces: readonly string[]): number;
}

export interface PodCounter {
  readonly node: Node;
  readonly load: MatchingPods;
}

/** What a pod's affinity to other pods says of each node. */
export interface PodAffinity {
  /** Some required term of its affinity is not met there. */
  readonly unmet: (node: Node) => boolean;
  /** Some required term of its anti-affinity is hurt there. */
  readonly repelled: (node: Node) => boolean;
  /** Sum of weight × matching pods over the preferred terms; those of anti-affinity count against. */
  readonly preference: (node: Node) => number;
}

/** Counts the matching pods of each topology domain once. Anti-affinity of the pods that run already is not considered. */
export function podAffinityOf(pod: Pod, nodes: readonly PodCounter[]): PodAffinity {
  const { podAffinity = {}, podAntiAffinity = {} } = affinityOf(pod);
  const counted = (term: PodTerm) => countByDomain(term, pod, nodes);
  const attracting = (podAffinity.requiredDuringSchedulingIgnoredDuringExecution ?? []).map((term) => {
    const count = counted(term);
    // The first of a group that wants to be together has nobody to join.
    const first = !count.some && matchesItself(term, pod);
    return (node: Node) => count.at(node) > 0 || (first && node.metadata.labels?.[term.topologyKey] !== undefined);
  });
  const repelling = (podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution ?? []).map(counted);
  const preferred = [
    ...(podAffinity.preferredDuringSchedulingIgnoredDuringExecution ?? []).map((each) => ({ ...each, sign: 1 })),
    ...(podAntiAffinity.preferredDuringSchedulingIgnoredDuringExecution ?? []).map((each) => ({ ...each, sign: -1 })),
  ].map(({ sign, weight, podAffinityTerm }) => ({ weight: sign * weight, count: counted(podAffinityTerm) }));
  return {
    unmet: (node) => !attracting.every((holds) => holds(node)),
    repelled: (node) => repelling.some(({ at }) => at(node) > 0),
    preference: (node) => preferred.reduce((sum, { weight, count }) => sum + weight * count.at(node), 0),
  };
}

const namespacesOf = ({ namespaces }: PodTerm, pod: Pod): readonly string[] =>
  namespaces?.length ? namespaces : [pod.metadata.namespace ?? ""];

function matchesItself(term: PodTerm, pod: Pod): boolean {
  if (!term.labelSelector || !namespacesOf(term, pod).includes(pod.metadata.namespace ?? "")) return false;
  return labelSelectorMatcher(term.labelSelector)(pod.metadata.labels);
}

function countByDomain(term: PodTerm, pod: Pod, nodes: readonly PodCounter[]) {
  const counts = new Map<string, number>();
  const namespaces = namespacesOf(term, pod);
  for (const { node, load } of nodes) {
    const domain = node.metadata.labels?.[term.topologyKey];
    if (domain === undefined || !term.labelSelector) continue;
    counts.set(domain, (counts.get(domain) ?? 0) + load.matching(term.labelSelector, namespaces));
  }
  return {
    some: [...counts.values()].some((count) => count > 0),
    at: (node: Node): number => counts.get(node.metadata.labels?.[term.topologyKey] ?? "") ?? 0,
  };
}
