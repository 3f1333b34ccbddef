import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createAgentClient } from "./agent-client.ts";

test("an agent that is killed in the middle of its answer ends nobody who asks it", async () => {
  const folder = mkdtempSync(join(tmpdir(), "stadion-agent-client-"));
  const callers: Socket[] = [];
  // It has not read the request: the system resets such a connection.
  const piece = "\0\0\0\u0005\0\0\0\u0005placehello";
  const server = createServer({ pauseOnConnect: true }, (caller) => {
    callers.push(caller.on("error", () => {}));
    caller.write(`HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${piece.length.toString(16)}\r\n${piece}\r\n`);
  });
  onTestFinished(() => {
    server.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const path = join(folder, "agent.sock");
  await once(server.listen(path), "listening");
  const logs = await createAgentClient(path).logs({ namespace: "default", pod: "game", follow: true });
  const read: string[] = [];
  const reading = (async () => {
    for await (const { bytes } of logs) {
      read.push(String(bytes));
      for (const caller of callers) caller.destroy();
    }
  })();
  await expect(reading).rejects.toMatchObject({ code: "ECONNRESET" });
  expect(read).toEqual(["hello"]);
});

test("an agent that takes a connection and says nothing is told from none", async () => {
  const folder = mkdtempSync(join(tmpdir(), "stadion-agent-client-"));
  const path = join(folder, "agent.sock");
  const client = createAgentClient(path, { silenceMs: 50 });
  expect(await client.identity()).toBeUndefined();
  const server = createServer({ pauseOnConnect: true });
  onTestFinished(() => {
    server.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const callers: Socket[] = [];
  server.on("connection", (caller) => callers.push(caller));
  await once(server.listen(path), "listening");
  await expect(client.identity()).rejects.toMatchObject({ code: "AgentSilent" });
  await expect(client.stop("none")).rejects.toMatchObject({ code: "AgentSilent" });
  for (const caller of callers) caller.destroy();
});
