import { once } from "node:events";
import { connect, createServer, type Server, type Socket } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { MOST_CONNECTIONS, openServer } from "./door.ts";

/** How many connections a server has open. */
const open = (server: Server) => new Promise((resolve) => server.getConnections((_, count) => resolve(count)));

test("a door takes so many connections and no more; each that closes makes room for one", async () => {
  let [refused, roomMade] = [0, 0];
  const server = createServer((socket) => socket.on("error", () => {}).resume());
  const port = await openServer(server, { host: "127.0.0.1", port: 0, onCrowded: () => refused++ }, () => roomMade++);
  const sockets: Socket[] = [];
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const dial = (): Socket => {
    const socket = connect(port, "127.0.0.1").on("error", () => {});
    sockets.push(socket);
    return socket;
  };
  const first = dial();
  for (let count = 1; count < MOST_CONNECTIONS; count++) await once(dial(), "connect");
  await once(dial(), "close");
  await once(dial(), "close");
  expect({ refused, roomMade }).toEqual({ refused: 2, roomMade: 2 });
  first.destroy();
  await expect.poll(() => open(server)).toBe(MOST_CONNECTIONS - 1);
  const next = dial();
  await once(next, "connect");
  await expect.poll(() => open(server)).toBe(MOST_CONNECTIONS);
  expect(refused).toBe(2);
});
