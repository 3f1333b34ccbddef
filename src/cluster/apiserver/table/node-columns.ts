/** How a node's state is told in a table cell. */
import type { Node, NodeAddressType } from "#api/core/node.ts";

/** `Ready`, `NotReady` or `Unknown`, with `SchedulingDisabled` for a cordoned node. */
export function nodeStatus({ spec, status }: Node): string {
  const ready = status?.conditions?.findLast(({ type }) => type === "Ready");
  const state = ready ? (ready.status === "True" ? "Ready" : "NotReady") : "Unknown";
  return spec?.unschedulable ? `${state},SchedulingDisabled` : state;
}

const ROLE_PREFIX = "node-role.kubernetes.io/";
const ROLE = "kubernetes.io/role";

export function nodeRoles({ metadata }: Node): string {
  const roles = Object.entries(metadata.labels ?? {}).map(([name, value]) => {
    if (name.startsWith(ROLE_PREFIX)) return name.slice(ROLE_PREFIX.length);
    return name === ROLE ? value : "";
  });
  return [...new Set(roles.filter(Boolean))].sort().join(",");
}

/** The first address of a kind; empty when there is none. */
export function nodeAddress({ status }: Node, type: NodeAddressType): string {
  return status?.addresses?.find((address) => address.type === type)?.address ?? "";
}
