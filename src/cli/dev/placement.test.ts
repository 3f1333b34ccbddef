import { createSocket } from "node:dgram";
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import type { Fleet } from "#api/agones/fleet.ts";
import { NODES } from "#api/core/resources.ts";
import { fleetManifest, gameServer, openCommandLine } from "#tests/command-line/command-line.ts";
import { portVariables } from "./development-server.ts";
import { freePort, isFree } from "./free-port.ts";
import { nodeAddress, numberedPorts } from "./placement.ts";

const wishes = { protocol: "UDP", fleet: undefined, servers: [], mustBeFree: true } as const;

async function takenUdp(): Promise<number> {
  const socket = createSocket("udp4").bind(0);
  onTestFinished(() => void socket.close());
  await once(socket, "listening");
  return socket.address().port;
}

test("a port is free until somebody has it, for each protocol by itself", async () => {
  const udp = await takenUdp();
  expect(await isFree(udp, "UDP")).toBe(false);
  expect(await isFree(udp, "TCPUDP")).toBe(false);
  const server = createServer().listen(0);
  onTestFinished(() => void server.close());
  await once(server, "listening");
  const { port: tcp } = server.address() as AddressInfo;
  expect(await isFree(tcp, "TCP")).toBe(false);
  expect(await isFree(await freePort("TCPUDP"), "TCPUDP")).toBe(true);
});

test("a game gets the port that it asks for, else a free one", async () => {
  const wanted = await freePort("UDP");
  const [asked] = await numberedPorts({ ...wishes, port: wanted });
  expect(asked).toMatchObject({ name: "default", portPolicy: "Static", hostPort: wanted, containerPort: wanted });
  const [given] = await numberedPorts({ ...wishes, port: 0 });
  expect(given?.hostPort).toBeGreaterThan(0);
});

test("a port of both protocols is two of one number, named as those of a fleet", async () => {
  const ports = await numberedPorts({ ...wishes, protocol: "TCPUDP" });
  const number = ports[0]?.hostPort ?? 0;
  expect(number).toBeGreaterThan(0);
  expect(ports.map(({ name, protocol, hostPort }) => [name, protocol, hostPort])).toEqual([
    ["default-tcp", "TCP", number],
    ["default-udp", "UDP", number],
  ]);
  expect(portVariables(ports, undefined)).toEqual({
    PORT: String(number),
    STADION_PORT_DEFAULT_TCP: String(number),
    STADION_PORT_DEFAULT_UDP: String(number),
  });
});

test("the port that is asked for is the game's own, not that of another container", async () => {
  const manifest = fleetManifest("arena", 1);
  const { template } = manifest.spec;
  const ports = [{ name: "voice", container: "voice" }, { name: "game" }];
  const fleet = { ...manifest, spec: { template: { spec: { ...template.spec, ports } } } } as Fleet;
  const port = await freePort("UDP");
  const [voice, game] = await numberedPorts({ ...wishes, fleet, port });
  expect(game).toMatchObject({ name: "game", hostPort: port });
  expect(voice?.hostPort).not.toBe(port);
});

test("a port of somebody else is refused; that of a game that runs already is not looked at", async () => {
  const taken = await takenUdp();
  const refusal = (more: object) => numberedPorts({ ...wishes, port: taken, ...more }).catch(({ message }) => message);
  expect(await refusal({})).toBe(
    `port ${taken} is in use by another process: choose another with --port, or leave it out for a free one`,
  );
  expect(await refusal({ mustBeFree: false })).toMatchObject([{ hostPort: taken }]);
  const holder = gameServer("arena-1");
  const servers = [{ ...holder, spec: { ...holder.spec, ports: [{ name: "default", hostPort: taken }] } }];
  expect(await refusal({ mustBeFree: false, servers })).toContain(`port ${taken} belongs to game server arena-1`);
});

test("players come by the node's number: the external one, else the internal one, else this machine's own", async () => {
  const { client } = await openCommandLine();
  expect(await nodeAddress(client)).toBe("127.0.0.1");
  const addresses = [
    { type: "Hostname", address: "desk" },
    { type: "InternalIP", address: "192.0.2.1" },
  ] as const;
  const node = await client.create(NODES, { apiVersion: "v1", kind: "Node", metadata: { name: "desk" }, spec: {} });
  const withAddresses = await client.updateStatus(NODES, { ...node, status: { addresses } });
  expect(await nodeAddress(client)).toBe("192.0.2.1");
  await client.updateStatus(NODES, {
    ...withAddresses,
    status: { addresses: [...addresses, { type: "ExternalIP", address: "203.0.113.9" }] },
  });
  expect(await nodeAddress(client)).toBe("203.0.113.9");
});
