/** Callers of the REST door that are odd, or mean it ill. */
import { once } from "node:events";
import { type IncomingMessage, type OutgoingHttpHeaders, request } from "node:http";
import { connect, createServer } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { SDK } from "#proto/gen/agones/dev/sdk/sdk_pb.ts";
import { FakeClock } from "../clock.ts";
import { MOST_CONNECTIONS, openServer } from "./door.ts";
import { bindService, boundMethods, type ServiceHandlers } from "./handlers.ts";
import { jsonObjects } from "./json-sequence.ts";
import { MessageMemory } from "./partial-message.ts";
import { RestDoors } from "./rest.ts";

type Handlers = ServiceHandlers<typeof SDK>;

async function serve(handlers: Partial<Handlers>) {
  const clock = new FakeClock();
  const methods = boundMethods(undefined, bindService(SDK, handlers as Handlers));
  const door = await new RestDoors([SDK], clock).open({ host: "127.0.0.1", port: 0, methods });
  onTestFinished(async () => {
    const closed = door.close();
    await clock.advance(100);
    await closed;
  });
  const call = (path: string, options: { method?: string; headers?: OutgoingHttpHeaders } = {}) =>
    request({ port: door.port, host: "127.0.0.1", path, ...options }).on("error", () => {});
  const answer = async (path: string, method = "GET"): Promise<IncomingMessage> => {
    const [response] = (await once(call(path, { method }).end(), "response")) as [IncomingMessage];
    return response.resume();
  };
  return { clock, call, answer, port: door.port };
}

it("end whoever waits for more of their /health body, when their time is up and when they go", async () => {
  let open = 0;
  const { clock, call } = await serve({
    health: async (pings) => {
      open++;
      try {
        for await (const _ of pings);
      } finally {
        open--;
      }
      return {};
    },
  });
  const begin = (headers: OutgoingHttpHeaders) => {
    const pings = call("/health", { method: "POST", headers });
    pings.write("{}");
    return pings;
  };
  begin({ "Grpc-Timeout": "5S" });
  const gone = begin({});
  await expect.poll(() => open).toBe(2);
  gone.destroy();
  await expect.poll(() => open).toBe(1);
  await clock.advance(5000);
  await expect.poll(() => open).toBe(0);
});

it("keep their connection when they ask for what is not there", async () => {
  const { answer } = await serve({});
  const { statusCode, headers } = await answer("/nothing");
  expect([statusCode, headers.connection]).toEqual([404, "keep-alive"]);
  const { statusCode: wrong, headers: kept } = await answer("/ready");
  expect([wrong, kept.connection]).toEqual([501, "keep-alive"]);
});

it("are told that their Grpc-Timeout is none", async () => {
  const { call, clock } = await serve({ ready: () => ({}) });
  const status = async (timeout: string) => {
    const ready = call("/ready", { method: "POST", headers: { "Grpc-Timeout": timeout } }).end();
    const [response] = (await once(ready, "response")) as [IncomingMessage];
    response.resume();
    return response.statusCode;
  };
  expect([await status("soon"), await status("5"), await status("5S")]).toEqual([400, 400, 200]);
  await expect.poll(() => clock.pending).toBe(0);
});

it("may send the whole address, as to a proxy", async () => {
  const { answer } = await serve({ getGameServer: () => ({}) });
  expect((await answer("http://localhost/gameserver?x=http://y/z")).statusCode).toBe(200);
  expect((await answer("http://localhost")).statusCode).toBe(404);
});

it("fill a bounded memory with bodies that they do not end, and free it when they go", async () => {
  const { call, answer } = await serve({ ready: () => ({}) });
  const begin = () => {
    const body = call("/ready", { method: "POST", headers: { "content-length": 4_000_000 } });
    body.write(Buffer.alloc(3_900_000, " "));
    return body;
  };
  // The answer, or only the end of a connection on which more was sent than was read.
  const ends: unknown[] = [];
  const bodies = Array.from({ length: 8 }, () =>
    begin()
      .on("response", (response) => ends.push(response.resume().statusCode))
      .on("error", () => ends.push("cut")),
  );
  await expect.poll(() => ends.length).toBeGreaterThanOrEqual(4);
  expect(ends.filter((end) => end !== 429 && end !== "cut")).toEqual([]);
  expect((await answer("/ready", "POST")).statusCode).toBe(200);
  for (const body of bodies) body.destroy();
  const again = () =>
    new Promise((resolve) => {
      const body = begin().on("error", resolve);
      body.on("response", (response) => resolve(response.resume().statusCode));
      body.end(Buffer.alloc(100_000, " "));
    });
  await expect.poll(again).toBe(200);
});

it("may cut their objects as they like: no piece is kept for itself", async () => {
  const text = JSON.stringify({ a: "}{".repeat(20_000) });
  async function* pieces() {
    for (const piece of text.match(/.{1,3}/g) ?? []) yield Buffer.from(piece);
    yield Buffer.from(text);
  }
  const read: string[] = [];
  for await (const object of jsonObjects(pieces(), text.length, new MessageMemory())) read.push(object);
  expect(read).toEqual([text, text]);
});

it("cost the others nothing when one of them cannot be taken", async () => {
  const server = createServer();
  onTestFinished(() => void server.close());
  await openServer(server, { host: "127.0.0.1", port: 0 });
  // What the platform does when the process has too many files open.
  expect(server.emit("error", Object.assign(new Error("accept EMFILE"), { code: "EMFILE" }))).toBe(true);
  expect(server.listening).toBe(true);
});

it("lose the connections on which they ask nothing when they have too many, and none on which they do", async () => {
  const { promise: asked, resolve: ask } = Promise.withResolvers<void>();
  let waits = false;
  const { call, port } = await serve({
    getGameServer: async () => {
      waits = true;
      await asked;
      return {};
    },
    health: async (pings) => {
      for await (const _ of pings);
      return {};
    },
  });
  const slow = once(call("/gameserver").end(), "response") as Promise<[IncomingMessage]>;
  await expect.poll(() => waits).toBe(true);
  let closed = 0;
  const leak = () => {
    const socket = connect(port, "127.0.0.1").on("error", () => {});
    onTestFinished(() => void socket.destroy());
    return socket.resume().on("close", () => closed++);
  };
  // Each has been of use once.
  for (let count = 1; count < MOST_CONNECTIONS; count++) {
    const socket = leak();
    socket.write("POST /health HTTP/1.1\r\nhost: game\r\ncontent-length: 2\r\n\r\n{}");
    await once(socket, "data");
  }
  await once(leak(), "close");
  await expect.poll(() => closed).toBe(MOST_CONNECTIONS);
  ask();
  const [response] = await slow;
  expect(response.resume().statusCode).toBe(200);
});
