import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type RequestListener } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { systemClock as clock } from "#runtime/clock.ts";
import { heldTransport } from "./held-transport.ts";
import { TransportError } from "./transport.ts";
import { httpTransport } from "./transport-http.ts";

/** A client of a socket that nobody listens at yet. */
function away() {
  const folder = mkdtempSync(join(tmpdir(), "held-"));
  const socketPath = join(folder, "api.sock");
  const stop = new AbortController();
  const direct = httpTransport({ socketPath });
  let sent = 0;
  let failed = 0;
  onTestFinished(async () => {
    stop.abort();
    await direct.close();
    rmSync(folder, { recursive: true });
  });
  const transport = heldTransport(
    {
      ...direct,
      exchange: (request) => {
        sent++;
        return direct.exchange(request).catch((error: unknown) => {
          failed++;
          throw error;
        });
      },
    },
    { socketPath, clock, until: stop.signal },
  );
  const listen = (listener: RequestListener) => {
    const server = createServer(listener).listen(socketPath);
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
  };
  const tried = (count: number) => expect.poll(() => failed).toBe(count);
  return { transport, listen, stop, sent: () => sent, tried };
}

const get = (path: string, signal?: AbortSignal) => ({ method: "GET", path, ...(signal && { signal }) }) as const;

test("what was asked while the server is away is answered when it is there, each once", async () => {
  const { transport, listen, sent, tried } = away();
  const answers = Promise.all(["/a", "/b"].map((path) => transport.exchange(get(path))));
  const watch = transport.watch(get("/w"));
  await tried(2);
  const asked: string[] = [];
  listen((request, response) => {
    asked.push(request.url ?? "");
    response.end(request.url === "/w" ? "" : "{}");
  });
  expect(await answers).toEqual([{}, {}]);
  expect(await Array.fromAsync(await watch)).toEqual([]);
  expect(asked.sort()).toEqual(["/a", "/b", "/w"]);
  expect(sent()).toBe(4);
});

test("a request that is given up while it is held is not sent", async () => {
  const { transport, sent, tried } = away();
  const gaveUp = new AbortController();
  const asked = transport.exchange(get("/a", gaveUp.signal));
  await tried(1);
  gaveUp.abort(new Error("given up"));
  await expect(asked).rejects.toThrow("given up");
  expect(sent()).toBe(1);
});

test("nothing is held once it is told so: what waits fails, and so does what comes", async () => {
  const { transport, stop, tried } = away();
  const asked = transport.exchange(get("/a"));
  await tried(1);
  stop.abort();
  await expect(asked).rejects.toThrow(TransportError);
  await expect(transport.exchange(get("/b"))).rejects.toThrow(TransportError);
});

test("a request that reached the server and broke fails: nobody knows whether it took effect", async () => {
  const { transport, listen, sent } = away();
  listen((request) => request.socket.destroy());
  await expect(transport.exchange(get("/a"))).rejects.toThrow(TransportError);
  expect(sent()).toBe(1);
});
