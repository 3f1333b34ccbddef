/** Where players reach a game server: the node's address and the ports of the Pod on it. */
import { isIPv4, isIPv6 } from "node:net";
import type { Node, NodeAddress, NodeAddressType } from "../core/node.ts";
import type { Pod } from "../core/pod.ts";
import type { CloudProduct } from "./cloud-product/cloud-product.ts";
import { generic } from "./cloud-product/generic.ts";
import { DEV_ADDRESS_ANNOTATION } from "./constants.ts";
import type { GameServer } from "./gameserver.ts";
import { statusPorts, withStaticPortsExpanded } from "./port-policy.ts";

/** A node offers no address that players could use; to be tried again later. */
export class AddressError extends Error {
  override readonly name = "AddressError";
  readonly code = "NoNodeAddress";
}

/** An IPv4 or IPv6 literal, without a zone. A text without a colon is not asked to be IPv6: Node compiles that for 20 ms. */
export const isIpAddress = (text: string): boolean =>
  text.includes(":") ? isIPv6(text) && !text.includes("%") : isIPv4(text);

/** External before internal, a DNS name before a number; a node's `Hostname` is never used. */
const preference: readonly NodeAddressType[] = ["ExternalDNS", "ExternalIP", "InternalDNS", "InternalIP"];

/** A node's addresses as it gives them, and the one for players: the first of the best class that is usable, if any. */
export function addressOf({ status }: Node): {
  readonly primary: string | undefined;
  readonly all: readonly NodeAddress[];
} {
  const all = status?.addresses ?? [];
  const usable = all.filter(({ type, address }) => type.endsWith("DNS") || isIpAddress(address));
  const best = preference.find((wanted) => usable.some(({ type }) => type === wanted));
  return { primary: usable.find(({ type }) => type === best)?.address, all };
}

/**
 * Fills `status` from where the Pod runs: address, all addresses (the Pod's own last, those it has by now), node and ports.
 * A product that found the host ports itself has them put into the spec first. Ports are split here too: a game may say that it is
 * Ready before the write that splits them, just after the making of its Pod, has come through. Throws `AddressError`, and what the
 * product throws.
 */
export function applyAddressAndPorts(
  gameServer: GameServer,
  pod: Pod,
  node: Node,
  product: CloudProduct = generic,
): GameServer {
  const { primary, all } = addressOf(node);
  if (primary === undefined) throw new AddressError(`Could not find an address for Node: ${node.metadata.name}`);
  const placed = product.portsFromPod(withStaticPortsExpanded(gameServer), pod);
  return {
    ...placed,
    status: {
      ...gameServer.status,
      address: primary,
      addresses: [...all, ...podAddresses(pod)],
      nodeName: pod.spec.nodeName,
      ports: statusPorts(placed.spec.ports ?? []),
    },
  };
}

const podAddresses = ({ status }: Pod): readonly NodeAddress[] =>
  (status?.podIPs ?? []).map(({ ip }) => ({ type: "PodIP", address: ip }));

/** Adds the addresses of its Pod, which may come later than that of the node; the same server when it has them, or the Pod none. */
export function withPodAddresses(gameServer: GameServer, pod: Pod): GameServer {
  const { status } = gameServer;
  const own = podAddresses(pod);
  const known = status?.addresses ?? [];
  if (own.length === 0 || known.some(({ type }) => type === "PodIP")) return gameServer;
  return { ...gameServer, status: { ...status, addresses: [...known, ...own] } };
}

/** A development server made Ready: its address is the annotation's value, taken as it stands, and its ports are the spec's. */
export function developmentReady(gameServer: GameServer): GameServer {
  const address = gameServer.metadata.annotations?.[DEV_ADDRESS_ANNOTATION] ?? "";
  return {
    ...gameServer,
    status: {
      ...gameServer.status,
      state: "Ready",
      address,
      addresses: [{ type: "InternalIP", address }],
      nodeName: address,
      ports: statusPorts(gameServer.spec.ports ?? []),
    },
  };
}
