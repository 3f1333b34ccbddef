import { once } from "node:events";
import { connect } from "node:http2";
import { connect as connectSocket } from "node:net";
import { create, type DescMethod, fromBinary, type Message, toBinary } from "@bufbuild/protobuf";
import { Client, type ClientReadableStream, credentials, Metadata } from "@grpc/grpc-js";
import { afterEach, expect, it } from "vitest";
import { type Empty, EmptySchema, type GameServer, SDK } from "#proto/gen/agones/dev/sdk/sdk_pb.ts";
import { systemClock } from "../clock.ts";
import { type Door, MOST_CONNECTIONS } from "./door.ts";
import { bindService, boundMethods, type ServiceHandlers } from "./handlers.ts";
import { RpcError } from "./rpc-error.ts";
import { GrpcDoors } from "./service.ts";

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

const notServed = (): never => {
  throw new RpcError("Unimplemented", "not served here");
};

async function open(handlers: Partial<ServiceHandlers<typeof SDK>>): Promise<Door> {
  const all = Object.fromEntries(SDK.methods.map(({ localName }) => [localName, notServed]));
  const methods = boundMethods(
    undefined,
    bindService(SDK, { ...all, ...handlers } as unknown as ServiceHandlers<typeof SDK>),
  );
  const door = await new GrpcDoors([SDK], systemClock).open({ host: "127.0.0.1", port: 0, methods });
  ends.push(() => door.close());
  return door;
}

async function serve(handlers: Partial<ServiceHandlers<typeof SDK>>): Promise<Client> {
  const door = await open(handlers);
  const client = new Client(`127.0.0.1:${door.port}`, credentials.createInsecure());
  ends.push(() => client.close());
  return client;
}

const path = ({ parent, name }: DescMethod) => `/${parent.typeName}/${name}`;
const encode = (method: DescMethod) => (message: Message) => Buffer.from(toBinary(method.input, message));
const decode = (method: DescMethod) => (bytes: Buffer) => fromBinary(method.output, bytes);

const unary = (client: Client, method: DescMethod, request: Message) =>
  new Promise<Message>((resolve, reject) => {
    client.makeUnaryRequest(path(method), encode(method), decode(method), request, (error, answer) =>
      error ? reject(error) : resolve(answer!),
    );
  });

const watch = (client: Client): ClientReadableStream<GameServer> =>
  client.makeServerStreamRequest(
    path(SDK.method.watchGameServer),
    encode(SDK.method.watchGameServer),
    decode(SDK.method.watchGameServer) as (bytes: Buffer) => GameServer,
    create(EmptySchema),
    new Metadata(),
  );

it("carries request and answer of a unary call", async () => {
  const client = await serve({ getGameServer: () => ({ objectMeta: { name: "gs", generation: 2n ** 62n } }) });
  const answer = await unary(client, SDK.method.getGameServer, create(EmptySchema));
  expect(answer).toMatchObject({ objectMeta: { name: "gs", generation: 2n ** 62n } });
});

it("maps a refusal to its code and message, anything else to Unknown", async () => {
  const client = await serve({
    ready: () => {
      throw new RpcError("NotFound", "no such thing");
    },
    allocate: () => Promise.reject(new Error("boom")),
  });
  const call = (method: DescMethod) => unary(client, method, create(EmptySchema));
  await expect(call(SDK.method.ready)).rejects.toMatchObject({ code: 5, details: "no such thing" });
  await expect(call(SDK.method.allocate)).rejects.toMatchObject({ code: 2, details: "boom" });
  await expect(call(SDK.method.shutdown)).rejects.toMatchObject({ code: 12, details: "not served here" });
});

it("hands a client stream over message by message", async () => {
  let pings = 0;
  const client = await serve({
    health: async (requests) => {
      for await (const _ of requests) pings++;
      return {};
    },
  });
  const { health } = SDK.method;
  const answered = Promise.withResolvers<void>();
  const call = client.makeClientStreamRequest(path(health), encode(health), decode(health), (error) =>
    error ? answered.reject(error) : answered.resolve(),
  );
  call.write(create(EmptySchema));
  await expect.poll(() => pings).toBe(1);
  call.write(create(EmptySchema));
  call.end();
  await answered.promise;
  expect(pings).toBe(2);
});

it("hands over all that a caller sends at once, however slow its reader is", async () => {
  let pings = 0;
  const client = await serve({
    health: async (requests) => {
      for await (const _ of requests) {
        await new Promise(setImmediate);
        pings++;
      }
      return {};
    },
  });
  const { health } = SDK.method;
  await new Promise<void>((resolve, reject) => {
    const call = client.makeClientStreamRequest(path(health), encode(health), decode(health), (error) =>
      error ? reject(error) : resolve(),
    );
    for (let n = 0; n < 200; n++) call.write(create(EmptySchema));
    call.end();
  });
  expect(pings).toBe(200);
});

it("survives a client stream that breaks off", async () => {
  let broke = false;
  let over = false;
  const client = await serve({
    ready: () => ({}),
    health: async (requests, { signal }) => {
      signal.addEventListener("abort", () => {
        broke = true;
      });
      try {
        for await (const _ of requests);
        return {};
      } finally {
        over = true;
      }
    },
  });
  const { health } = SDK.method;
  const call = client.makeClientStreamRequest(path(health), encode(health), decode(health), () => {});
  call.on("error", () => {});
  call.write(create(EmptySchema) as Empty);
  await unary(client, SDK.method.ready, create(EmptySchema));
  call.cancel();
  await expect.poll(() => broke && over).toBe(true);
  await unary(client, SDK.method.ready, create(EmptySchema));
});

it("streams answers and tells the handler when the caller cancels", async () => {
  let ended = false;
  const client = await serve({
    watchGameServer: async function* (_request, { signal }) {
      yield { objectMeta: { name: "one" } };
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
      ended = true;
    },
  });
  const stream = watch(client);
  stream.on("error", () => {});
  const [first] = await new Promise<[GameServer]>((resolve) => stream.once("data", (data) => resolve([data])));
  expect(first.objectMeta?.name).toBe("one");
  stream.cancel();
  await expect.poll(() => ended).toBe(true);
});

it("ends a stream with the refusal its handler throws", async () => {
  const client = await serve({
    watchGameServer: async function* () {
      yield {};
      throw new RpcError("Unavailable", "later");
    },
  });
  const stream = watch(client).on("data", () => {});
  const error = await new Promise((resolve) => stream.once("error", resolve));
  expect(error).toMatchObject({ code: 14, details: "later" });
});

it("holds back the handler while the reader does not read", async () => {
  let sent = 0;
  const door = await open({
    watchGameServer: async function* (_request, { signal }) {
      for (; !signal.aborted; sent++) yield { objectMeta: { name: "x".repeat(8 * 1024) } };
    },
  });
  const session = connect(`http://127.0.0.1:${door.port}`);
  ends.push(() => session.destroy());
  const stream = session.request({
    ":method": "POST",
    ":path": path(SDK.method.watchGameServer),
    "content-type": "application/grpc",
    te: "trailers",
  });
  stream.pause();
  stream.end(Buffer.alloc(5));
  let before = -1;
  const settled = () => {
    const still = sent > 0 && sent === before;
    before = sent;
    return still;
  };
  await expect.poll(settled, { interval: 100 }).toBe(true);
  expect(sent).toBeLessThan(32);
});

it("answers pings however often they come", async () => {
  const door = await open({ ready: () => ({}) });
  const session = connect(`http://127.0.0.1:${door.port}`);
  ends.push(() => session.destroy());
  const goodbyes: unknown[] = [];
  session.on("goaway", (code) => goodbyes.push(code));
  for (let n = 0; n < 300; n++) await new Promise<void>((resolve) => void session.ping(() => resolve()));
  expect(goodbyes).toEqual([]);
  expect(session.closed).toBe(false);
});

it("cuts streams and frees the port when the door closes", async () => {
  const doors = new GrpcDoors([SDK], systemClock);
  const all = Object.fromEntries(SDK.methods.map(({ localName }) => [localName, notServed]));
  const methods = boundMethods(
    undefined,
    bindService(SDK, {
      ...(all as unknown as ServiceHandlers<typeof SDK>),
      watchGameServer: async function* (_request, { signal }) {
        yield {};
        await new Promise((resolve) => signal.addEventListener("abort", resolve));
      },
    }),
  );
  const door = await doors.open({ host: "127.0.0.1", port: 0, methods });
  const client = new Client(`127.0.0.1:${door.port}`, credentials.createInsecure());
  ends.push(() => client.close());
  const stream = watch(client);
  const failed = new Promise((resolve) => stream.once("error", resolve));
  await new Promise((resolve) => stream.once("data", resolve));
  await expect(doors.open({ host: "127.0.0.1", port: door.port, methods })).rejects.toMatchObject({
    code: "PortInUse",
  });
  await door.close();
  await failed;
  const again = await doors.open({ host: "127.0.0.1", port: door.port, methods });
  await again.close();
  expect(again.port).toBe(door.port);
});

it("closes connections without a call when there are too many, and none that has one", async () => {
  const { promise: asked, resolve: ask } = Promise.withResolvers<void>();
  const door = await open({
    watchGameServer: async function* () {
      yield {};
      await asked;
      yield {};
    },
  });
  const client = new Client(`127.0.0.1:${door.port}`, credentials.createInsecure());
  ends.push(() => client.close());
  const messages = watch(client)[Symbol.asyncIterator]();
  await messages.next();
  let closed = 0;
  const leak = () => {
    const socket = connectSocket(door.port, "127.0.0.1").on("error", () => {});
    ends.push(() => socket.destroy());
    return socket.resume().on("close", () => closed++);
  };
  for (let count = 1; count < MOST_CONNECTIONS; count++) await once(leak(), "connect");
  await once(leak(), "close");
  await expect.poll(() => closed).toBe(MOST_CONNECTIONS);
  ask();
  expect(await messages.next()).toMatchObject({ done: false });
});

it("closes under callers that say nothing, or never go", async () => {
  const door = await open({});
  const begin = Buffer.concat([
    Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
    Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0]),
  ]);
  for (const bytes of [begin, Buffer.alloc(0)]) {
    const socket = connectSocket({ port: door.port, host: "127.0.0.1", allowHalfOpen: true });
    ends.push(() => socket.destroy());
    socket.on("error", () => {});
    await once(socket, "connect");
    socket.write(bytes);
    await once(socket.resume(), "data");
  }
  await door.close();
});
