import { describe, expect, test } from "vitest";
import type { Node, NodeAddress } from "../core/node.ts";
import type { Pod } from "../core/pod.ts";
import { AddressError, addressOf, applyAddressAndPorts, developmentReady, isIpAddress } from "./address.ts";
import { stored } from "./gameserver.fixture.ts";
import { expandStaticPorts, statusPorts } from "./port-policy.ts";

const node = (...addresses: NodeAddress[]): Node => ({
  apiVersion: "v1",
  kind: "Node",
  metadata: { name: "node-a" },
  status: { addresses },
});
const pod = (...ips: string[]): Pod => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: {},
  spec: { containers: [], nodeName: "node-a" },
  status: { podIPs: ips.map((ip) => ({ ip })) },
});
const externalDns: NodeAddress = { type: "ExternalDNS", address: "a.example.net" };
const externalIp: NodeAddress = { type: "ExternalIP", address: "203.0.113.7" };
const internalDns: NodeAddress = { type: "InternalDNS", address: "a.local" };
const internalIp: NodeAddress = { type: "InternalIP", address: "10.0.0.4" };
const hostname: NodeAddress = { type: "Hostname", address: "node-a" };

describe("the address players get", () => {
  test.each([
    ["an external name first", [internalIp, internalDns, externalIp, externalDns], "a.example.net"],
    ["then an external number", [internalIp, internalDns, externalIp], "203.0.113.7"],
    ["then an internal name", [internalIp, internalDns], "a.local"],
    ["then an internal number", [hostname, internalIp], "10.0.0.4"],
    ["the first of a class", [externalIp, { ...externalIp, address: "203.0.113.8" }], "203.0.113.7"],
    ["an entry that is no number is passed over", [{ ...externalIp, address: "pending" }, internalIp], "10.0.0.4"],
    ["a host name never", [hostname], undefined],
  ])("is %s", (_, addresses, expected) => {
    expect(addressOf(node(...addresses))).toEqual({ primary: expected, all: addresses });
  });

  test("is filled in with all addresses, the Pod's last, the node and one port an entry", () => {
    const ports = [
      { name: "play", portPolicy: "Dynamic", containerPort: 1, hostPort: 7012 },
      { portPolicy: "None", containerPort: 7800 },
      { name: "fixed", portPolicy: "Static", containerPort: 9 },
    ] as const;
    const gameServer = stored({ state: "Starting" }, {}, { ports });
    expect(applyAddressAndPorts(gameServer, pod("10.8.0.21"), node(hostname, externalIp)).status).toMatchObject({
      state: "Starting",
      address: "203.0.113.7",
      addresses: [hostname, externalIp, { type: "PodIP", address: "10.8.0.21" }],
      nodeName: "node-a",
      ports: [{ name: "play", port: 7012 }, { port: 7800 }, { name: "fixed", port: 0 }],
    });
  });

  test("does not wait for the Pod's own", () => {
    expect(applyAddressAndPorts(stored(), pod(), node(externalIp)).status?.addresses).toEqual([externalIp]);
  });

  test("cannot be found on a node without a usable one", () => {
    expect(() => applyAddressAndPorts(stored(), pod(), node(hostname))).toThrow(
      new AddressError("Could not find an address for Node: node-a"),
    );
  });

  test("of a development server is its annotation, as it stands", () => {
    const annotations = { "agones.dev/dev-address": "10.1.1.1" };
    const ports = [{ name: "play", portPolicy: "Static", containerPort: 1, hostPort: 7000 }] as const;
    expect(developmentReady(stored({}, { annotations }, { ports })).status).toMatchObject({
      state: "Ready",
      address: "10.1.1.1",
      nodeName: "10.1.1.1",
      addresses: [{ type: "InternalIP", address: "10.1.1.1" }],
      ports: [{ name: "play", port: 7000 }],
    });
  });

  test.each([
    ["10.0.0.1", true],
    ["::1", true],
    ["fe80::1%eth0", false],
    ["10.0.0", false],
    ["host", false],
    ["", false],
  ])("%j is an IP address: %s", (text, expected) => {
    expect(isIpAddress(text)).toBe(expected);
  });
});

describe("a Static port for both protocols", () => {
  test("becomes tcp in its place and udp at the end, without a range", () => {
    const both = {
      portPolicy: "Static",
      protocol: "TCPUDP",
      range: "default",
      containerPort: 1,
      hostPort: 7000,
    } as const;
    const other = { name: "o", portPolicy: "Dynamic", protocol: "TCPUDP" } as const;
    const { range: _, ...withoutRange } = both;
    expect(expandStaticPorts([{ ...both, name: "both" }, other])).toEqual([
      { ...both, name: "both-tcp", protocol: "TCP" },
      other,
      { ...withoutRange, name: "both-udp", protocol: "UDP" },
    ]);
    expect(statusPorts(expandStaticPorts([both]))).toEqual([
      { name: "-tcp", port: 7000 },
      { name: "-udp", port: 7000 },
    ]);
  });

  test("leaves other ports as they are", () => {
    const ports = [{ portPolicy: "None", protocol: "TCPUDP" }] as const;
    expect(expandStaticPorts(ports)).toBe(ports);
  });
});
