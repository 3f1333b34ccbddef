import { once } from "node:events";
import { existsSync } from "node:fs";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { connectionsTo } from "./sdk-connection.ts";

test.skipIf(!existsSync("/proc/net/tcp"))(
  "a client is known as long as it is connected, and a while longer",
  async () => {
    const server = createServer((client) => client.resume()).listen(0, "127.0.0.1");
    onTestFinished(() => void server.close());
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    expect(await connectionsTo(port)).toEqual({ isOpen: false, clients: new Set() });
    const client: Socket = connect(port, "127.0.0.1");
    await once(client, "connect");
    const during = await connectionsTo(port);
    expect(during).toMatchObject({ isOpen: true, clients: { size: 1 } });
    client.end();
    await expect.poll(() => connectionsTo(port)).toEqual({ isOpen: false, clients: during.clients });
  },
);
