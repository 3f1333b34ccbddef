import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { SDK } from "#proto/gen/agones/dev/sdk/sdk_pb.ts";
import { systemClock } from "../clock.ts";
import { bindService, boundMethods, type ServiceHandlers } from "./handlers.ts";
import { RestDoors } from "./rest.ts";
import { RpcError } from "./rpc-error.ts";

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

type Watch = ServiceHandlers<typeof SDK>["watchGameServer"];

async function serve(watchGameServer: Watch, others: Partial<ServiceHandlers<typeof SDK>> = {}): Promise<number> {
  const refuse = (): never => {
    throw new RpcError("Unimplemented", "not here");
  };
  const all = Object.fromEntries(SDK.methods.map(({ localName }) => [localName, refuse]));
  const handlers = { ...all, watchGameServer, ...others } as unknown as ServiceHandlers<typeof SDK>;
  const methods = boundMethods(undefined, bindService(SDK, handlers));
  const door = await new RestDoors([SDK], systemClock).open({ host: "127.0.0.1", port: 0, methods });
  ends.push(() => door.close());
  return door.port;
}

/** The platform's own client, and what it was told. */
function open(port: number, path = "/watch/gameserver", protocols?: string[]) {
  const client = new WebSocket(`ws://127.0.0.1:${port}${path}`, protocols);
  const texts: string[] = [];
  const closed = new Promise<number>((resolve) => client.addEventListener("close", ({ code }) => resolve(code)));
  client.addEventListener("message", ({ data }) => texts.push(data));
  ends.push(() => client.close());
  return { client, texts, closed, opened: new Promise((resolve) => client.addEventListener("open", resolve)) };
}

/** A handshake by hand; resolves with the socket and the answer's head. */
async function raw(port: number, headers: string): Promise<{ socket: Socket; head: string }> {
  const socket = connect(port, "127.0.0.1");
  ends.push(() => socket.destroy());
  socket.write(`GET /watch/gameserver HTTP/1.1\r\nHost: x\r\n${headers}\r\n`);
  const [data] = await once(socket, "data");
  return { socket, head: String(data) };
}

const HANDSHAKE =
  "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";
/** A frame of a client, masked with zeros. */
const frame = (opcode: number, payload: Buffer): Buffer =>
  Buffer.concat([Buffer.from([0x80 | opcode, 0x80 | payload.length, 0, 0, 0, 0]), payload]);

const untilAborted = (signal: AbortSignal) => new Promise((resolve) => signal.addEventListener("abort", resolve));
const names = (texts: readonly string[]) => texts.map((text) => JSON.parse(text).result.object_meta.name);

async function* silence(_request: unknown, { signal }: { signal: AbortSignal }) {
  await untilAborted(signal);
  yield {};
}

describe("a WebSocket", () => {
  it("gets each line of a stream as a text of its own, and its close ends the stream", async () => {
    let ended = false;
    const more = Promise.withResolvers<void>();
    const port = await serve(async function* (_request, { signal }) {
      yield { objectMeta: { name: "öne" } };
      await more.promise;
      yield { objectMeta: { name: "two" } };
      await untilAborted(signal);
      ended = true;
    });
    const { client, texts, closed } = open(port);
    await expect.poll(() => texts.length).toBe(1);
    expect(texts[0]).toMatch(/^\{"result":\{"object_meta":\{"name":"öne",.*\}$/);
    more.resolve();
    await expect.poll(() => names(texts)).toEqual(["öne", "two"]);
    client.close();
    expect(await closed).toBe(1000);
    await expect.poll(() => ended).toBe(true);
  });

  it.each([100, 125, 126, 65_535, 65_536, 3_000_000])("takes a line with %i more bytes as one text", async (length) => {
    const port = await serve(async function* () {
      yield { objectMeta: { name: "x".repeat(length) } };
    });
    const { texts, closed } = open(port);
    expect(await closed).toBe(1000);
    expect(names(texts)).toEqual(["x".repeat(length)]);
  });

  it("passes over whatever comes in, and sees a close behind it", async () => {
    let ended = false;
    const port = await serve(async function* (_request, { signal }) {
      await untilAborted(signal);
      ended = true;
      yield {};
    });
    const { client, opened } = open(port);
    await opened;
    client.send("short");
    client.send("x".repeat(1000));
    client.send(new Uint8Array(300_000));
    client.close();
    await expect.poll(() => ended).toBe(true);
  });

  it("is told of a failure as REST is, and is closed", async () => {
    const failing = await serve(async function* () {
      yield {};
      throw new RpcError("Unavailable", "later");
    });
    const late = open(failing);
    expect(await late.closed).toBe(1000);
    expect(late.texts[1]).toBe('{"error":{"code":14,"message":"later","details":[]}}');
    for (const [path, code, message] of [
      ["/nope", 5, "Not Found"],
      ["/ready", 12, "Method Not Allowed"],
      ["/gameserver", 12, "not here"],
      ["/health?method=POST", 12, "this call cannot be made through a WebSocket"],
    ] as const) {
      const { texts, closed } = open(failing, path);
      expect(await closed).toBe(1000);
      expect(texts).toEqual([JSON.stringify({ code, message, details: [] })]);
    }
  });

  it("makes a call with one answer, too, with another verb when it says so", async () => {
    let readies = 0;
    const port = await serve(silence, {
      ready: () => {
        readies++;
        return {};
      },
    });
    const { texts, closed } = open(port, "/ready?method=POST");
    await closed;
    expect(texts).toEqual(["{}"]);
    expect(readies).toBe(1);
  });

  it("gets the protocol that it offers first", async () => {
    const { client, opened } = open(await serve(silence), undefined, ["Bearer", "token"]);
    await opened;
    expect(client.protocol).toBe("Bearer");
  });

  it("that does not read holds back the stream", async () => {
    let sent = 0;
    const port = await serve(async function* (_request, { signal }) {
      for (; sent < 10_000 && !signal.aborted; sent++) yield { objectMeta: { name: "x".repeat(64 * 1024) } };
    });
    const { socket } = await raw(port, HANDSHAKE);
    socket.pause();
    let before = -1;
    const settled = () => {
      const still = sent > 0 && sent === before;
      before = sent;
      return still;
    };
    await expect.poll(settled, { interval: 100 }).toBe(true);
    expect(sent).toBeLessThan(1000);
    socket.destroy();
  });
});

describe("a handshake", () => {
  it("is answered with the key that the standard's own example gives", async () => {
    const { head } = await raw(await serve(silence), HANDSHAKE);
    expect(head).toMatch(/^HTTP\/1.1 101 /);
    expect(head).toContain("\r\nSec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n");
  });

  it.each([
    ["of another version", HANDSHAKE.replace("13", "8"), "426 Upgrade Required"],
    ["without a key", HANDSHAKE.replace(/Sec-WebSocket-Key.*\r\n/, ""), "400 Bad Request"],
  ])("%s is refused", async (_, headers, status) => {
    const { head, socket } = await raw(await serve(silence), headers);
    expect(head).toMatch(`HTTP/1.1 ${status}\r\nSec-WebSocket-Version: 13\r\n`);
    await once(socket, "end");
  });

  it("for another protocol, as some HTTP clients offer it, is an ordinary request", async () => {
    const port = await serve(async function* () {
      yield { objectMeta: { name: "plain" } };
    });
    const { head } = await raw(
      port,
      "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n",
    );
    expect(head).toMatch(/^HTTP\/1.1 200 OK/);
  });
});

describe("frames", () => {
  it("come in pieces of any size; a ping is answered with its own words", async () => {
    const { socket } = await raw(await serve(silence), HANDSHAKE);
    socket.setNoDelay(true);
    for (const byte of Buffer.concat([frame(1, Buffer.from("data")), frame(9, Buffer.from("still there?"))]))
      socket.write(Buffer.from([byte]));
    const [answer] = await once(socket, "data");
    expect(answer).toEqual(Buffer.concat([Buffer.from([0x8a, 12]), Buffer.from("still there?")]));
  });

  it.each([
    ["without a mask", Buffer.from([0x81, 1, 0x61])],
    ["of an extension", Buffer.from([0xc1, 0x80, 0, 0, 0, 0])],
    ["of an unknown kind", Buffer.from([0x83, 0x80, 0, 0, 0, 0])],
    ["for a ping of too many bytes", Buffer.from([0x89, 0xfe, 1, 0, 0, 0, 0, 0])],
  ])("%s end the connection with a protocol error", async (_, bytes) => {
    const { socket } = await raw(await serve(silence), HANDSHAKE);
    const answers: Buffer[] = [];
    socket.on("data", (data: Buffer) => answers.push(data));
    socket.write(bytes);
    await once(socket, "end");
    expect(Buffer.concat(answers)).toEqual(Buffer.from([0x88, 2, 1002 >> 8, 1002 & 0xff]));
  });

  it("that never come are not waited for when the stream has ended", async () => {
    const port = await serve(async function* () {});
    const { socket } = await raw(port, HANDSHAKE);
    socket.pause();
    await expect
      .poll(
        () => {
          socket.write(frame(1, Buffer.from("talk")));
          return socket.destroyed;
        },
        { timeout: 15_000 },
      )
      .toBe(true);
  });
});
