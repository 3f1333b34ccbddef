import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type RequestListener, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { conflict } from "#api/meta/status.ts";
import { TransportError } from "./transport.ts";
import { type HttpTransport, httpTransport } from "./transport-http.ts";

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function listen(listener: RequestListener, path?: string): Promise<Server> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => (path ? server.listen(path, resolve) : server.listen(0, "127.0.0.1", resolve)));
  ends.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return server;
}

function socketInFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "transport-"));
  ends.push(() => rmSync(folder, { recursive: true }));
  return join(folder, "api.sock");
}

async function serve(
  listener: RequestListener,
  options?: Partial<Parameters<typeof httpTransport>[0]>,
): Promise<HttpTransport> {
  const { port } = (await listen(listener)).address() as AddressInfo;
  const transport = httpTransport({ ...options, origin: `http://127.0.0.1:${port}` });
  ends.push(() => transport.close());
  return transport;
}

async function bodyOf(request: AsyncIterable<Buffer>): Promise<string> {
  let text = "";
  for await (const chunk of request) text += chunk;
  return text;
}

const json = (response: ServerResponse, code: number, text: string) =>
  response.writeHead(code, { "content-type": "application/json" }).end(text);
const get = { method: "GET", path: "/x" } as const;

test("tells the code of an answer that is no refusal", async () => {
  const transport = await serve((request, response) => json(response, request.url === "/x" ? 201 : 404, "{}"));
  const codes: number[] = [];
  const answered = (code: number) => void codes.push(code);
  await transport.exchange({ ...get, answered });
  await expect(transport.exchange({ ...get, path: "/y", answered })).rejects.toMatchObject({ status: { code: 404 } });
  expect(codes).toEqual([201]);
});

test("speaks over a unix socket, keeps the digits of int64 both ways, and sends the token", async () => {
  const socketPath = socketInFolder();
  const seen: unknown[] = [];
  await listen(async (request, response) => {
    const { method, url, headers } = request;
    const text = await bodyOf(request);
    seen.push({ method, url, type: headers["content-type"], token: headers.authorization, text });
    json(response, 200, text);
  }, socketPath);
  const transport = httpTransport({ socketPath, token: "secret" });
  ends.push(() => transport.close());

  const body = { count: 9223372036854775807n, small: 5n, name: "é😀" };
  const answer = await transport.exchange({
    method: "PUT",
    path: "/a%20b",
    query: { limit: "1", none: undefined },
    body,
  });
  expect(answer).toEqual({ count: 9223372036854775807n, small: 5, name: "é😀" });
  expect(seen).toEqual([
    {
      method: "PUT",
      url: "/a%20b?limit=1",
      type: "application/json",
      token: "Bearer secret",
      text: '{"count":9223372036854775807,"small":5,"name":"é😀"}',
    },
  ]);
});

test("turns a Status answer into a StatusError", async () => {
  const { status } = conflict("", "pods", "p", "stale");
  const transport = await serve((_request, response) => json(response, 409, JSON.stringify(status)));
  await expect(transport.exchange(get)).rejects.toMatchObject({ code: "Conflict", status });
});

test("an answer of a proxy becomes a StatusError by its code", async () => {
  const transport = await serve((_request, response) => response.writeHead(503).end("<html>"));
  await expect(transport.exchange(get)).rejects.toMatchObject({ code: "ServiceUnavailable", status: { code: 503 } });
});

test.each([
  ["breaks before it answers", (response: ServerResponse) => response.destroy()],
  [
    "breaks inside the answer",
    (response: ServerResponse) => {
      response.writeHead(200, { "content-length": "100" });
      response.write('{"a"');
      setImmediate(() => response.destroy());
    },
  ],
  ["answers with something else than JSON", (response: ServerResponse) => response.end("no")],
  ["never answers", () => {}],
] as const)("a server that %s is a TransportError with a cause", async (_name, answer) => {
  const transport = await serve((_request, response) => void answer(response), { requestTimeoutMs: 100 });
  const error = await transport.exchange(get).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(TransportError);
  expect((error as Error).cause).toBeInstanceOf(Error);
});

test("nobody listening is a TransportError", async () => {
  const transport = httpTransport({ socketPath: join(tmpdir(), "no-such-api.sock") });
  await expect(transport.exchange(get)).rejects.toThrow(TransportError);
});

test("aborting a request rejects with the reason", async () => {
  const abort = new AbortController();
  const transport = await serve(() => abort.abort(new Error("enough")));
  await expect(transport.exchange({ ...get, signal: abort.signal })).rejects.toThrow("enough");
});

test("reads a watch as it comes and ends with the server's clean end", async () => {
  let open: ServerResponse | undefined;
  const transport = await serve((_request, response) => {
    open = response;
    response.writeHead(200).flushHeaders();
  });
  const events = (await transport.watch(get))[Symbol.asyncIterator]();
  open?.write('{"type":"ADDED","object":{"n":1}}\n{"type":"MODI');
  expect((await events.next()).value).toEqual([{ type: "ADDED", object: { n: 1 } }]);
  open?.end('FIED","object":{"n":12345678901234567}}\n');
  expect((await events.next()).value).toEqual([{ type: "MODIFIED", object: { n: 12345678901234567n } }]);
  expect((await events.next()).done).toBe(true);
});

test.each([
  ["breaks", (response: ServerResponse) => setImmediate(() => response.destroy())],
  ["falls silent", () => {}],
] as const)("a watch whose connection %s throws a TransportError", async (_name, fail) => {
  const transport = await serve(
    (_request, response) => {
      response.writeHead(200).write('{"type":"ADDED","object":{}}\n');
      fail(response);
    },
    { watchTimeoutMs: 100 },
  );
  const watch = await transport.watch({ ...get, query: { allowWatchBookmarks: "true" } });
  await expect(async () => {
    for await (const batch of watch) expect(batch).toHaveLength(1);
  }).rejects.toThrow(TransportError);
});

test("a watch that broke before anybody read it throws when it is read", async () => {
  let gone = false;
  const transport = await serve((_request, response) => {
    response.on("close", () => {
      gone = true;
    });
    response.writeHead(200).flushHeaders();
    setImmediate(() => response.destroy());
  });
  const watch = (await transport.watch(get))[Symbol.asyncIterator]();
  await vi.waitUntil(() => gone);
  await new Promise((resolve) => setImmediate(resolve));
  await expect(watch.next()).rejects.toThrow(TransportError);
});

test("a reader that is slow is no silence", async () => {
  const event = `${JSON.stringify({ type: "ADDED", object: { filler: "x".repeat(300_000) } })}\n`;
  const transport = await serve(
    (_request, response) => {
      for (let count = 0; count < 20; count++) response.write(event);
      response.end();
    },
    { watchTimeoutMs: 50 },
  );
  const watch = await transport.watch({ ...get, query: { allowWatchBookmarks: "true" } });
  let events = 0;
  for await (const batch of watch) {
    events += batch.length;
    if (events === 1) await new Promise((resolve) => setTimeout(resolve, 300));
  }
  expect(events).toBe(20);
});

test("aborting a watch ends it quietly and closes its connection", async () => {
  let gone = false;
  const transport = await serve((_request, response) => {
    response.on("close", () => {
      gone = true;
    });
    response.writeHead(200).write('{"type":"ADDED","object":{}}\n');
  });
  const abort = new AbortController();
  let batches = 0;
  for await (const _batch of await transport.watch({ ...get, signal: abort.signal })) {
    batches++;
    abort.abort();
  }
  expect(batches).toBe(1);
  await vi.waitUntil(() => gone);
});

test("a thousand watches open at once on a unix socket", async () => {
  const socketPath = socketInFolder();
  await listen((_request, response) => response.writeHead(200).flushHeaders(), socketPath);
  const transport = httpTransport({ socketPath });
  ends.push(() => transport.close());
  const opened = await Promise.allSettled(Array.from({ length: 1000 }, () => transport.watch(get)));
  expect(opened.filter(({ status }) => status === "rejected")).toEqual([]);
});

test("open watches never hold up a request", async () => {
  const transport = await serve(
    (request, response) => {
      if (request.url === "/x") response.writeHead(200).flushHeaders();
      else json(response, 200, "{}");
    },
    { connections: 1 },
  );
  await Promise.all(Array.from({ length: 50 }, () => transport.watch(get)));
  expect(await transport.exchange({ method: "GET", path: "/y" })).toEqual({});
});

test("streams a text", async () => {
  const transport = await serve((_request, response) => response.end("one\ntwo\n"));
  let text = "";
  for await (const chunk of await transport.text(get)) text += Buffer.from(chunk).toString();
  expect(text).toBe("one\ntwo\n");
});

test("close ends watches, and later calls are refused", async () => {
  const transport = await serve((_request, response) => void response.writeHead(200).flushHeaders());
  const next = (await transport.watch(get))[Symbol.asyncIterator]().next();
  await Promise.all([expect(next).rejects.toThrow(TransportError), transport.close()]);
  await expect(transport.exchange(get)).rejects.toThrow("closed");
});
