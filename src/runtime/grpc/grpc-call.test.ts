import { once } from "node:events";
import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect,
  constants,
  type IncomingHttpHeaders,
  type OutgoingHttpHeaders,
} from "node:http2";
import { connect as connectSocket } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { SDK } from "#proto/gen/agones/dev/sdk/sdk_pb.ts";
import { FakeClock } from "../clock.ts";
import { frame } from "./grpc-frame.ts";
import { bindService, boundMethods, type ServiceHandlers } from "./handlers.ts";
import { GrpcDoors } from "./service.ts";

type Handlers = ServiceHandlers<typeof SDK>;

const EMPTY = Buffer.alloc(5);

async function serve(handlers: Partial<Handlers>): Promise<{ clock: FakeClock; session: ClientHttp2Session }> {
  const clock = new FakeClock();
  const methods = boundMethods(undefined, bindService(SDK, handlers as Handlers));
  const door = await new GrpcDoors([SDK], clock).open({ host: "127.0.0.1", port: 0, methods });
  const session = connect(`http://127.0.0.1:${door.port}`);
  onTestFinished(async () => {
    session.destroy();
    await door.close();
  });
  await once(session, "connect");
  return { clock, session };
}

const request = (session: ClientHttp2Session, name: string, headers: OutgoingHttpHeaders = {}): ClientHttp2Stream =>
  session.request({
    ":method": "POST",
    ":path": `/agones.dev.sdk.SDK/${name}`,
    "content-type": "application/grpc",
    te: "trailers",
    ...headers,
  });

/** Headers and trailers of an answer, whichever of them has the status. */
async function answerOf(stream: ClientHttp2Stream): Promise<IncomingHttpHeaders> {
  let all: IncomingHttpHeaders = {};
  for (const part of ["response", "trailers"] as const)
    stream.on(part, (headers: IncomingHttpHeaders) => {
      all = { ...all, ...headers };
    });
  stream.resume();
  await once(stream, "close");
  return all;
}

const statusOf = async (stream: ClientHttp2Stream): Promise<string | undefined> =>
  (await answerOf(stream))["grpc-status"] as string | undefined;

it("refuses what is no call, and a call that nobody serves", async () => {
  const { session } = await serve({});
  const answer = (name: string, headers: OutgoingHttpHeaders) => answerOf(request(session, name, headers).end());
  expect(await answer("Ready", { ":method": "GET" })).toMatchObject({ ":status": 405 });
  expect(await answer("Ready", { "content-type": "application/json" })).toMatchObject({ ":status": 415 });
  expect(await answer("Dance", {})).toMatchObject({
    ":status": 200,
    "grpc-status": "12",
    "grpc-message": "The server does not implement the method /agones.dev.sdk.SDK/Dance",
  });
});

it("takes one message where one belongs, and none that it cannot read", async () => {
  const { session } = await serve({ ready: () => ({}) });
  const ready = (bytes: Buffer) => statusOf(request(session, "Ready").end(bytes));
  expect(await ready(EMPTY)).toBe("0");
  expect(await ready(Buffer.alloc(0))).toBe("12");
  expect(await ready(Buffer.concat([EMPTY, EMPTY]))).toBe("12");
  expect(await ready(Buffer.from([0, 0, 0, 0, 1, 0xff]))).toBe("13");
  expect(await ready(Buffer.from([0, 0xff, 0xff, 0xff, 0xff]))).toBe("8");
});

it("ends a call whose time is up, and tells its handler why", async () => {
  const reasons: unknown[] = [];
  const late = Promise.withResolvers<void>();
  const { clock, session } = await serve({
    ready: (_request, { signal }) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener("abort", () => {
          reasons.push(signal.reason);
          reject(signal.reason);
        });
      }),
    allocate: () => ({}),
    shutdown: async (_request, context) => {
      await late.promise;
      reasons.push(context.signal.reason);
      return {};
    },
  });
  const call = request(session, "Ready", { "grpc-timeout": "2S" }).end(EMPTY);
  const status = statusOf(call);
  expect(await statusOf(request(session, "Allocate", { "grpc-timeout": "2S" }).end(EMPTY))).toBe("0");
  const shutdown = statusOf(request(session, "Shutdown", { "grpc-timeout": "2000m" }).end(EMPTY));
  await expect.poll(() => clock.pending).toBe(2);
  await clock.advance(2000);
  expect([await status, await shutdown]).toEqual(["4", "4"]);
  late.resolve();
  await expect.poll(() => reasons).toMatchObject([{ code: "DeadlineExceeded" }, { code: "DeadlineExceeded" }]);
  expect(await statusOf(request(session, "Allocate", { "grpc-timeout": "soon" }).end(EMPTY))).toBe("13");
  expect(clock.pending).toBe(0);
});

it("cuts what its refusal says before clients refuse that, and goes on with the connection", async () => {
  let text = "";
  const { session } = await serve({ ready: () => Promise.reject(new Error(text)), allocate: () => ({}) });
  for (const part of ["x", "ü", "€", "😀", "%"]) {
    for (const shift of ["", "-", "--"]) {
      text = shift + part.repeat(100_000);
      const { "grpc-status": status, "grpc-message": message } = await answerOf(request(session, "Ready").end(EMPTY));
      expect(status).toBe("2");
      expect(String(message).length).toBeGreaterThan(4000);
      expect(String(message).length).toBeLessThanOrEqual(4096);
      expect(text.startsWith(decodeURIComponent(String(message)))).toBe(true);
    }
  }
  expect(await statusOf(request(session, "Allocate").end(EMPTY))).toBe("0");
});

it("lets go of messages that are never finished when their calls end, and bounds the calls of a connection", async () => {
  const { session } = await serve({ ready: () => ({}), health: async () => ({}) });
  // A field that nobody knows, as often as a message may have it.
  const whole = frame(Buffer.alloc(4 * 1024 * 1024, Buffer.from([0x28, 1])));
  const begun = whole.subarray(0, -1);
  for (let n = 0; n < 3; n++) {
    const gone = request(session, "Ready").on("error", () => {});
    await new Promise((resolve) => void gone.write(begun, resolve));
    gone.close(constants.NGHTTP2_CANCEL);
    await once(gone, "close");
    expect(await statusOf(request(session, "Health").end(begun))).toBe("0");
  }
  expect(await statusOf(request(session, "Ready").end(whole))).toBe("0");
  expect(session.remoteSettings.maxConcurrentStreams).toBe(10_000);
});

it("tells no call by what only begins like it", async () => {
  const { session } = await serve({ ready: () => ({}) });
  const answer = (type: string) => answerOf(request(session, "Ready", { "content-type": type }).end(EMPTY));
  for (const type of ["application/grpc+proto", "application/grpc;x=y", "Application/GRPC"])
    expect(await answer(type)).toMatchObject({ "grpc-status": "0" });
  for (const type of ["application/grpc-web", "application/grpcs", ""])
    expect(await answer(type)).toMatchObject({ ":status": 415 });
});

it("ends the handler of a stream whose time is up, although its caller takes nothing and stays", async () => {
  let ended = false;
  const { clock, session } = await serve({
    watchGameServer: async function* () {
      try {
        for (;;) yield { objectMeta: { name: "x".repeat(64 * 1024) } };
      } finally {
        ended = true;
      }
    },
  });
  const call = request(session, "WatchGameServer", { "grpc-timeout": "5S" }).on("error", () => {});
  call.end(EMPTY);
  await once(call, "response");
  await settled(session);
  expect(ended).toBe(false);
  await clock.advance(5000);
  await expect.poll(() => ended).toBe(true);
  expect(await statusOf(call)).toBe("4");
});

it("says any text in its refusal", async () => {
  const text = "50 % of ‘ü’\n\ud800!";
  const { session } = await serve({ ready: () => Promise.reject(new Error(text)) });
  const { "grpc-message": message } = await answerOf(request(session, "Ready").end(EMPTY));
  expect(message).toMatch(/^[\x20-\x7e]+$/);
  expect(decodeURIComponent(String(message))).toBe(text.toWellFormed());
});

it("ends a stream of messages before its caller does, whatever that still sends, and serves the next on the connection", async () => {
  const over = Promise.withResolvers<void>();
  const { session } = await serve({
    health: async () => {
      await over.promise;
      return {};
    },
  });
  const calls = Array.from({ length: 20 }, async () => {
    const call = request(session, "Health");
    // As many as make the server hold back.
    call.write(Buffer.alloc(5 * 64));
    const status = statusOf(call);
    await once(call, "trailers");
    call.end(EMPTY);
    expect(await status).toBe("0");
  });
  await settled(session);
  over.resolve();
  await Promise.all(calls);
  expect(await statusOf(request(session, "Health").end())).toBe("0");
});

it("holds back a caller whose messages nobody reads, and reads them all in the end", async () => {
  const begin = Promise.withResolvers<void>();
  let read = 0;
  const { session } = await serve({
    health: async (pings) => {
      await begin.promise;
      for await (const _ of pings) read++;
      return {};
    },
  });
  const call = request(session, "Health");
  const messages = 4000;
  let sent = 0;
  let isHeld = false;
  for (; !isHeld && sent < 100 * messages; sent += messages) {
    isHeld = true;
    call.write(Buffer.alloc(5 * messages), () => {
      isHeld = false;
    });
    await settled(session, () => !isHeld);
  }
  expect(isHeld).toBe(true);
  begin.resolve();
  call.end();
  expect(await statusOf(call)).toBe("0");
  expect(read).toBe(sent);
});

/** The other side has had its turns: what it takes of what was sent before, it has taken. */
async function settled(session: ClientHttp2Session, isEnough = () => false): Promise<void> {
  for (let n = 0; n < 20 && !isEnough(); n++) await new Promise((resolve) => void session.ping(resolve));
}

it("ends the handler of an answer that its caller never took", async () => {
  let ended = false;
  const { session } = await serve({
    watchGameServer: async function* () {
      try {
        for (;;) yield { objectMeta: { name: "x".repeat(64 * 1024) } };
      } finally {
        ended = true;
      }
    },
  });
  const call = request(session, "WatchGameServer").on("error", () => {});
  call.end(EMPTY);
  await once(call, "response");
  await settled(session);
  expect(ended).toBe(false);
  call.close(constants.NGHTTP2_CANCEL);
  await expect.poll(() => ended).toBe(true);
});

it("outlives callers that go away at any moment", async () => {
  let begun = 0;
  let ended = 0;
  const { session } = await serve({
    ready: () => ({}),
    watchGameServer: async function* (_request, { signal }) {
      begun++;
      try {
        yield {};
        if (!signal.aborted) await once(signal, "abort");
      } finally {
        ended++;
      }
    },
  });
  for (let n = 0; n < 20; n++) {
    const call = request(session, "WatchGameServer").on("error", () => {});
    call.end(EMPTY);
    if (n % 2) await once(call, "data");
    call.close(constants.NGHTTP2_CANCEL);
    await once(call, "close");
  }
  const port = Number(session.socket.remotePort);
  const cut = connectSocket(port, "127.0.0.1");
  const other = connect("http://localhost", { createConnection: () => cut });
  const call = request(other, "WatchGameServer").on("error", () => {});
  call.end(EMPTY);
  await once(call, "data");
  other.on("error", () => {});
  cut.resetAndDestroy();
  const stranger = connectSocket(port, "127.0.0.1");
  stranger.end("GET / HTTP/1.1\r\n\r\n");
  await once(stranger.resume(), "close");
  expect(await statusOf(request(session, "Ready").end(EMPTY))).toBe("0");
  await expect.poll(() => ended).toBe(begun);
  expect(begun).toBeGreaterThan(10);
});
