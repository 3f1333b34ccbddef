/** Ports of this machine for a game that is started by hand. */
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import type { GameServerProtocol } from "#api/agones/gameserver.ts";

const ATTEMPTS = 20;

/** A port that nobody has, of the system's choice. */
export async function freePort(protocol: GameServerProtocol = "TCP", host?: string): Promise<number> {
  for (let attempt = 1; ; attempt++) {
    const port = await (protocol === "UDP" ? bindUdp(0) : bindTcp(0, host));
    if (protocol !== "TCPUDP" || (await isFree(port, "UDP")) || attempt === ATTEMPTS) return port;
  }
}

/** Whether nobody has a port, by the attempt to take it. */
export async function isFree(port: number, protocol: GameServerProtocol = "TCP", host?: string): Promise<boolean> {
  try {
    if (protocol !== "UDP") await bindTcp(port, host);
    if (protocol !== "TCP") await bindUdp(port);
    return true;
  } catch {
    return false;
  }
}

async function bindTcp(port: number, host?: string): Promise<number> {
  const server = createServer();
  server.listen({ port, ...(host !== undefined && { host }) });
  await once(server, "listening");
  const { port: bound } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return bound;
}

async function bindUdp(port: number): Promise<number> {
  const socket = createSocket("udp4");
  socket.bind(port);
  await once(socket, "listening");
  const { port: bound } = socket.address();
  socket.close();
  await once(socket, "close");
  return bound;
}
