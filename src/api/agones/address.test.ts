import { describe, expect, test } from "vitest";
import type { Node, NodeAddress } from "../core/node.ts";
import type { Pod } from "../core/pod.ts";
import { membersOf, titled } from "../meta/promise-row.ts";
import { addresses, splits, statuses } from "./address.promises.ts";
import { AddressError, addressOf, applyAddressAndPorts, developmentReady, isIpAddress } from "./address.ts";
import { stored } from "./gameserver.fixture.ts";
import { expandStaticPorts } from "./port-policy.ts";

const node = (...addresses: readonly NodeAddress[]): Node => ({
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
const externalIp: NodeAddress = { type: "ExternalIP", address: "203.0.113.7" };
const hostname: NodeAddress = { type: "Hostname", address: "node-a" };

describe("the address players get", () => {
  test.each(titled(addresses))("%s: %s", (_section, _name, { addresses: all, address }) => {
    expect(addressOf(node(...all))).toEqual({ primary: address, all });
  });

  test.each(titled(statuses))("%s: %s", (_section, _name, { spec, annotations, shows }) => {
    const server = stored({ state: "Starting" }, { annotations }, spec);
    const placed = annotations
      ? developmentReady(server)
      : applyAddressAndPorts(server, pod("10.8.0.21"), node(hostname, externalIp));
    expect(membersOf(placed, shows)).toEqual(shows);
  });

  test("does not wait for the Pod's own", () => {
    expect(applyAddressAndPorts(stored(), pod(), node(externalIp)).status?.addresses).toEqual([externalIp]);
  });

  test("comes with a port for each protocol, also when the game was faster than the write that splits them", () => {
    const both = {
      name: "play",
      portPolicy: "Static",
      hostPort: 7000,
      containerPort: 7654,
      protocol: "TCPUDP",
    } as const;
    const { spec, status } = applyAddressAndPorts(
      stored({ state: "RequestReady" }, {}, { ports: [both] }),
      pod(),
      node(externalIp),
    );
    expect(spec.ports?.map(({ name, protocol }) => `${name} ${protocol}`)).toEqual(["play-tcp TCP", "play-udp UDP"]);
    expect(status?.ports).toEqual([
      { name: "play-tcp", port: 7000 },
      { name: "play-udp", port: 7000 },
    ]);
  });

  test("cannot be found on a node without a usable one", () => {
    expect(() => applyAddressAndPorts(stored(), pod(), node(hostname))).toThrow(
      new AddressError("Could not find an address for Node: node-a"),
    );
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

describe("ports of both protocols", () => {
  test.each(titled(splits))("%s: %s", (_section, _name, { ports, become }) => {
    expect(expandStaticPorts(ports)).toEqual(become);
  });
});
