/** What a pod asks of a node: resources and host ports. */
import type { Node } from "#api/core/node.ts";
import type { Container, Pod } from "#api/core/pod.ts";
import { parseQuantity } from "#api/meta/quantity.ts";

/** Amounts by resource name, in units of 10^−9. */
export type Amounts = ReadonlyMap<string, bigint>;

/** The container that a process node runs as a handler in itself: it needs no room there. */
const HANDLER_CONTAINER = "agones-gameserver-sidecar";

/** True for a node whose pods are processes of the node agent. */
export function isProcessNode(node: Node | undefined): boolean {
  return node?.status?.nodeInfo?.containerRuntimeVersion?.startsWith("process://") ?? false;
}

/**
 * The sum over the containers and the sidecars, or what an init container needs beside the sidecars started before it, where that is more.
 * A limit without a request counts as the request. `onProcessNode`: the SDK server's container counts as zero.
 */
export function requestsOf(pod: Pod, onProcessNode: boolean): Amounts {
  const requestOf = (container: Container): Amounts =>
    onProcessNode && container.name === HANDLER_CONTAINER ? new Map() : amounts(container);
  let sidecars: Amounts = new Map();
  let starting: Amounts = new Map();
  for (const container of pod.spec.initContainers ?? []) {
    const own = sum(sidecars, requestOf(container));
    starting = most(starting, own);
    if (container.restartPolicy === "Always") sidecars = own;
  }
  return most(starting, pod.spec.containers.map(requestOf).reduce(sum, sidecars));
}

function amounts({ resources }: Container): Amounts {
  const wanted = { ...resources?.limits, ...resources?.requests };
  return new Map(Object.entries(wanted).map(([name, quantity]) => [name, parseQuantity(quantity).nano]));
}

function sum(a: Amounts, b: Amounts): Amounts {
  const result = new Map(a);
  for (const [name, amount] of b) result.set(name, (result.get(name) ?? 0n) + amount);
  return result;
}

function most(a: Amounts, b: Amounts): Amounts {
  const result = new Map(a);
  for (const [name, amount] of b)
    result.set(name, amount > (result.get(name) ?? 0n) ? amount : (result.get(name) ?? 0n));
  return result;
}

/** `UDP/7000` for every host port of the pod, sidecars included. The host address does not tell them apart: ports are the node's. */
export function hostPortsOf({ spec }: Pod): readonly string[] {
  const sidecars = (spec.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === "Always");
  return [...sidecars, ...spec.containers].flatMap(({ ports = [] }) =>
    ports.filter(({ hostPort }) => hostPort).map(({ protocol = "TCP", hostPort }) => `${protocol}/${hostPort}`),
  );
}
