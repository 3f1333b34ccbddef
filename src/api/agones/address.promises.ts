/** Where players reach a server, and how ports of both protocols are split. */
import type { NodeAddress } from "../core/node.ts";
import type { Members, PromiseRow } from "../meta/promise-row.ts";
import type { GameServerPort, GameServerSpec } from "./gameserver.ts";

interface AddressPromise extends PromiseRow {
  /** Of the node. */
  readonly addresses: readonly NodeAddress[];
  readonly address?: string;
}

const at = (type: NodeAddress["type"], address: string): NodeAddress => ({ type, address });
const externalDns = at("ExternalDNS", "a.example.net");
const externalIp = at("ExternalIP", "203.0.113.7");
const internalDns = at("InternalDNS", "a.local");
const internalIp = at("InternalIP", "10.0.0.4");
const hostname = at("Hostname", "node-a");
const row = (name: string, address: string | undefined, ...addresses: readonly NodeAddress[]): AddressPromise => ({
  section: "4.2",
  name,
  addresses,
  address,
});

export const addresses: readonly AddressPromise[] = [
  row("an external name comes first", "a.example.net", internalIp, internalDns, externalIp, externalDns),
  row("then an external number", "203.0.113.7", internalIp, internalDns, externalIp),
  row("then an internal name", "a.local", internalIp, internalDns),
  row("then an internal number", "10.0.0.4", hostname, internalIp),
  row("of several the first", "203.0.113.7", externalIp, at("ExternalIP", "203.0.113.8")),
  row("what is no number is passed over", "10.0.0.4", at("ExternalIP", "pending"), internalIp),
  row("IPv6", "2001:db8::1", at("ExternalIP", "2001:db8::1")),
  row("a host name never, nor one that is a number", undefined, hostname, at("Hostname", "10.0.0.5")),
];

interface StatusPromise extends PromiseRow {
  readonly spec: Partial<GameServerSpec>;
  readonly annotations?: Readonly<Record<string, string>>;
  /** Of a server on a node of one external address whose Pod has one, or of a development server that is Ready. */
  readonly shows: Members;
}

const ports: readonly GameServerPort[] = [
  { name: "play", portPolicy: "Dynamic", containerPort: 1, hostPort: 7012 },
  { portPolicy: "None", containerPort: 7800 },
  { name: "fixed", portPolicy: "Static", containerPort: 9 },
];

export const statuses: readonly StatusPromise[] = [
  {
    section: "4.2",
    name: "address, node, and all addresses, the Pod's last",
    spec: {},
    shows: {
      "status.address": "203.0.113.7",
      "status.addresses": [hostname, externalIp, at("PodIP", "10.8.0.21")],
      "status.nodeName": "node-a",
    },
  },
  {
    section: "4.9",
    name: "one port an entry: the host's, of None the container's, of Static without one 0",
    spec: { ports },
    shows: { "status.ports": [{ name: "play", port: 7012 }, { port: 7800 }, { name: "fixed", port: 0 }] },
  },
  {
    section: "4.7",
    name: "a development server is Ready at its address",
    spec: { ports: [{ name: "play", portPolicy: "Static", containerPort: 1, hostPort: 7000 }] },
    annotations: { "agones.dev/dev-address": "10.1.1.1" },
    shows: {
      "status.state": "Ready",
      "status.address": "10.1.1.1",
      "status.nodeName": "10.1.1.1",
      "status.addresses": [at("InternalIP", "10.1.1.1")],
      "status.ports": [{ name: "play", port: 7000 }],
    },
  },
];

interface SplitPromise extends PromiseRow {
  readonly ports: readonly GameServerPort[];
  readonly become: readonly GameServerPort[];
}

const both: GameServerPort = {
  name: "both",
  portPolicy: "Static",
  protocol: "TCPUDP",
  range: "default",
  containerPort: 1,
  hostPort: 7000,
};
const dynamic: GameServerPort = { name: "o", portPolicy: "Dynamic", protocol: "TCPUDP" };
const none: GameServerPort = { portPolicy: "None", protocol: "TCPUDP" };

/** Just before the Pod is made, when Dynamic and Passthrough ports are split already. */
export const splits: readonly SplitPromise[] = [
  {
    section: "4.9",
    name: "a Static port of both protocols is TCP in its place and UDP at the end, without a range",
    ports: [both, dynamic],
    become: [
      { ...both, name: "both-tcp", protocol: "TCP" },
      dynamic,
      { ...both, name: "both-udp", protocol: "UDP", range: undefined },
    ],
  },
  {
    section: "4.9",
    name: "a Static port without a name",
    ports: [{ ...both, name: undefined }],
    become: [
      { ...both, name: "-tcp", protocol: "TCP" },
      { ...both, name: "-udp", protocol: "UDP", range: undefined },
    ],
  },
  { section: "4.9", name: "a None port is never split", ports: [none], become: [none] },
];
