import { expect, test } from "vitest";
import type { ApiHandler, ApiRequest, WatchFrame } from "#api/meta/exchange.ts";
import { notFound } from "#api/meta/status.ts";
import { TransportError } from "./transport.ts";
import { inProcessTransport } from "./transport-in-process.ts";

const user = { username: "controller", groups: ["system:masters"] };
const frame = (name: string): WatchFrame => ({
  event: { type: "ADDED", object: { metadata: { name } } },
  encoded: () => new Uint8Array(),
});
const never = new Promise<never>(() => {});

test("hands the request over as values, with the user and the query", async () => {
  const seen: ApiRequest[] = [];
  const handler: ApiHandler = async (request) => {
    seen.push(request);
    return { type: "json", status: 200, value: { ok: true } };
  };
  const transport = inProcessTransport(handler, user);
  const body = { spec: { replicas: 3 } };
  await transport.exchange({ method: "PUT", path: "/a", query: { limit: "5", continue: undefined }, body });

  expect(seen).toHaveLength(1);
  expect(seen[0]).toMatchObject({ method: "PUT", path: "/a", user, headers: { "content-type": "application/json" } });
  expect(seen[0]?.body).toBe(body);
  expect(String(seen[0]?.query)).toBe("limit=5");
});

test("answers with the server's own value, not a copy", async () => {
  const value = { items: [{ big: 2n ** 62n }] };
  const transport = inProcessTransport(async () => ({ type: "json", status: 200, value }), user);
  expect(await transport.exchange({ method: "GET", path: "/" })).toBe(value);
});

test("turns a Status answer into a StatusError that carries it", async () => {
  const { status } = notFound("", "pods", "p");
  const handler: ApiHandler = async () => ({ type: "json", status: 404, value: { ...status } as never });
  const request = inProcessTransport(handler, user).exchange({ method: "GET", path: "/" });
  await expect(request).rejects.toMatchObject({ name: "StatusError", code: "NotFound", message: 'pods "p" not found' });
});

test("reports a handler that throws as a broken transport, with the cause", async () => {
  const cause = new Error("defect");
  const transport = inProcessTransport(() => Promise.reject(cause), user);
  const error = await transport.exchange({ method: "GET", path: "/" }).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(TransportError);
  expect((error as Error).cause).toBe(cause);
});

test("rejects at once when the caller aborts, though the handler hangs", async () => {
  const abort = new AbortController();
  const request = inProcessTransport(() => never, user).exchange({ method: "GET", path: "/", signal: abort.signal });
  abort.abort(new Error("enough"));
  await expect(request).rejects.toThrow("enough");
});

test("passes watch batches on and ends when the server ends", async () => {
  async function* events() {
    yield [frame("a"), frame("b")];
    yield [frame("c")];
  }
  const transport = inProcessTransport(async () => ({ type: "watch", status: 200, events: events() }), user);
  const names: unknown[] = [];
  for await (const batch of await transport.watch({ method: "GET", path: "/" }))
    names.push(batch.map(({ object }) => (object.metadata as { name: string }).name));
  expect(names).toEqual([["a", "b"], ["c"]]);
});

test("aborting ends a watch quietly and tells the server, though the server never ends it", async () => {
  const abort = new AbortController();
  let told = false;
  const events: AsyncIterable<readonly WatchFrame[]> = {
    [Symbol.asyncIterator]: () => ({
      next: () => never,
      return: async () => {
        told = true;
        return { done: true, value: undefined };
      },
    }),
  };
  const transport = inProcessTransport(async () => ({ type: "watch", status: 200, events }), user);
  const watch = await transport.watch({ method: "GET", path: "/", signal: abort.signal });
  const next = watch[Symbol.asyncIterator]().next();
  abort.abort();
  expect(await next).toEqual({ done: true, value: undefined });
  expect(told).toBe(true);
});

test("streams a text in its chunks", async () => {
  const handler: ApiHandler = async () => ({
    type: "bytes",
    status: 200,
    contentType: "text/plain",
    body: Buffer.from("line\n"),
  });
  const chunks: string[] = [];
  for await (const chunk of await inProcessTransport(handler, user).text({ method: "GET", path: "/log" }))
    chunks.push(Buffer.from(chunk).toString());
  expect(chunks).toEqual(["line\n"]);
});
