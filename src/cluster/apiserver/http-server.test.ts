import { once } from "node:events";
import { rmSync } from "node:fs";
import { request as httpRequest, type IncomingMessage, type OutgoingHttpHeaders } from "node:http";
import { request as httpsRequest } from "node:https";
import { connect } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { JsonObject } from "#api/meta/json.ts";
import { FakeClock, systemClock } from "#runtime/clock.ts";
import { silentLogger } from "#runtime/logger.ts";
import { selfSignedCertificate } from "#runtime/self-signed.ts";
import { createHttpServer } from "./http-server.ts";
import { type HttpDoor, openHttpDoor, TOKEN } from "./testing/http-door.ts";

/** Each line refers nine times to the one before. */
const yamlBomb = Array.from({ length: 9 }, (_, each) =>
  each === 0
    ? "a0: &a0 [x]"
    : `a${each}: &a${each} [${Array(9)
        .fill(`*a${each - 1}`)
        .join(",")}]`,
).join("\n");

const bearer = { authorization: `Bearer ${TOKEN}` };
const MAPS = "/api/v1/namespaces/default/configmaps";

interface Sent {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: OutgoingHttpHeaders;
  readonly body?: string | Uint8Array;
  readonly socketPath?: string;
}

/** The answer's head, as soon as it is there. */
async function open(door: HttpDoor, sent: Sent): Promise<IncomingMessage> {
  const request = httpRequest({
    ...(sent.socketPath ? { socketPath: sent.socketPath } : { host: "127.0.0.1", port: door.port }),
    method: sent.method ?? "GET",
    path: sent.path ?? "/api/v1/namespaces",
    headers: sent.headers,
    agent: false,
  });
  request.on("error", () => {});
  request.end(sent.body);
  const [response] = (await once(request, "response")) as [IncomingMessage];
  return response;
}

async function send(
  door: HttpDoor,
  sent: Sent,
): Promise<{ status: number; body: JsonObject; headers: IncomingMessage["headers"] }> {
  const response = await open(door, sent);
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString();
  const body = response.headers["content-type"] === "application/json" ? JSON.parse(text) : { text };
  return { status: response.statusCode ?? 0, body, headers: response.headers };
}

describe("who may speak", () => {
  it.each([
    ["no token", {}, 401, "Unauthorized"],
    ["another token", { authorization: "Bearer wrong" }, 401, "Unauthorized"],
    ["a token of another length", { authorization: `Bearer ${TOKEN}x` }, 401, "Unauthorized"],
    ["another scheme", { authorization: `Digest ${TOKEN}` }, 401, "Unauthorized"],
    ["a foreign host", { ...bearer, host: "evil.example" }, 403, "Forbidden"],
    ["a foreign origin", { ...bearer, origin: "http://evil.example" }, 403, "Forbidden"],
    ["a page of another local port", { ...bearer, origin: "http://127.0.0.1:1" }, 403, "Forbidden"],
    ["an opaque origin", { ...bearer, origin: "null" }, 403, "Forbidden"],
    ["impersonation", { ...bearer, "impersonate-user": "root" }, 403, "Forbidden"],
  ])("refuses %s with a Status", async (_name, headers, status, reason) => {
    const door = await openHttpDoor();
    const answer = await send(door, { headers });
    expect(answer.status).toBe(status);
    expect(answer.body).toMatchObject({ kind: "Status", apiVersion: "v1", status: "Failure", reason, code: status });
  });

  it("takes the token under every name of loopback", async () => {
    const door = await openHttpDoor();
    expect((await send(door, { headers: bearer })).status).toBe(200);
    expect((await send(door, { headers: { ...bearer, host: `localhost:${door.port}` } })).status).toBe(200);
    expect((await send(door, { headers: { ...bearer, host: "[::1]", origin: "http://[::1]" } })).status).toBe(200);
  });

  it("asks for no token on the unix socket, and still for an origin of ours", async () => {
    const door = await openHttpDoor();
    expect((await send(door, { socketPath: door.socketPath })).status).toBe(200);
    const foreign = await send(door, { socketPath: door.socketPath, headers: { origin: "http://evil.example" } });
    expect(foreign.status).toBe(403);
  });
});

it("survives clients that do not finish a TLS handshake", async () => {
  const door = await openHttpDoor();
  const certificate = await selfSignedCertificate({
    commonName: "test",
    names: [],
    addresses: ["127.0.0.1"],
    clock: systemClock,
  });
  const port = await door.http.listenTcp({ host: "127.0.0.1", port: 0, tls: certificate });
  for (const text of ["GET / HTTP/1.1\r\n\r\n", "\x16\x03\x01", ""]) {
    const socket = connect(port, "127.0.0.1");
    socket.on("error", () => {});
    await once(socket, "connect");
    socket.write(text);
    socket.resetAndDestroy();
    await once(socket, "close");
  }
  const request = httpsRequest({
    host: "127.0.0.1",
    port,
    path: "/healthz",
    headers: bearer,
    ca: certificate.certificate,
    agent: false,
  });
  request.end();
  const [response] = (await once(request, "response")) as [IncomingMessage];
  expect(response.statusCode).toBe(200);
  response.resume();
});

describe("what is taken", () => {
  const post = (door: HttpDoor, contentType: string, body: string | Uint8Array, more: OutgoingHttpHeaders = {}) =>
    send(door, { method: "POST", path: MAPS, headers: { ...bearer, "content-type": contentType, ...more }, body });

  it("reads JSON and YAML, and nothing else", async () => {
    const door = await openHttpDoor();
    expect((await post(door, "application/json", '{"metadata":{"name":"a"}}')).status).toBe(201);
    const yaml = await post(door, "application/yaml; charset=utf-8", "metadata:\n  name: b\ndata:\n  n: 'yes'\n");
    expect(yaml.body).toMatchObject({ metadata: { name: "b" }, data: { n: "yes" } });
    for (const type of ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "application/xml"]) {
      const refused = await post(door, type, "{}");
      expect([refused.status, refused.body.reason]).toEqual([415, "UnsupportedMediaType"]);
    }
    expect((await post(door, "application/json", "{}", { "content-encoding": "gzip" })).status).toBe(415);
  });

  it.each([
    ["application/json", "{", /the body is not valid JSON/],
    ["application/json", Buffer.from([0xff, 0xfe]), /the body is not valid UTF-8/],
    ["application/json", "[".repeat(300) + "]".repeat(300), /nests deeper than 256 levels/],
    ["application/yaml", "a: [1", /the body is not valid YAML/],
    ["application/yaml", yamlBomb, /the body is not valid YAML: Excessive alias count/],
    ["application/vnd.kubernetes.protobuf", "nonsense", /the body is not valid protobuf/],
  ])("refuses a malformed body of %s", async (type, body, message) => {
    const door = await openHttpDoor();
    const answer = await post(door, type, body);
    expect(answer.status).toBeGreaterThanOrEqual(400);
    expect(answer.status).toBeLessThan(500);
    expect(answer.body.message).toMatch(message);
  });

  it("refuses bodies of more than 3 MiB, told or not", async () => {
    const door = await openHttpDoor();
    const large = Buffer.alloc(3 * 1024 * 1024 + 1, 0x20);
    const told = await post(door, "application/json", large);
    expect([told.status, told.body.reason]).toEqual([413, "RequestEntityTooLarge"]);
    const chunked = await post(door, "application/json", large, { "transfer-encoding": "chunked" });
    expect(chunked.status).toBe(413);
  });

  it("refuses objects larger than can be stored, before it looks at them; white space counts for nothing", async () => {
    const door = await openHttpDoor();
    const ports = Array.from({ length: 100_000 }, () => ({ containerPort: 1 }));
    const metadata = { name: "a" };
    const large = await post(door, "application/json", Buffer.from(JSON.stringify({ metadata, ports })));
    expect(large.body).toMatchObject({ code: 413, reason: "RequestEntityTooLarge" });
    expect(large.body.message).toMatch(/^the object is too large: it takes \d+ bytes, limit is 1572864 bytes$/);
    const spaced = Buffer.from(" ".repeat(2 * 1024 * 1024) + JSON.stringify({ metadata }));
    expect((await post(door, "application/json", spaced)).status).toBe(201);
  });

  it("refuses patches that would make an object too large", async () => {
    const { server } = await openHttpDoor();
    const accounts = "/api/v1/namespaces/default/serviceaccounts";
    await server.make(accounts, { metadata: { name: "a" } });
    const imagePullSecrets = Array.from({ length: 90_000 }, (_, at) => ({ name: `secret-${at}` }));
    const answer = await server.patch(`${accounts}/a`, "merge", { imagePullSecrets });
    expect(answer.body).toMatchObject({ code: 413, reason: "RequestEntityTooLarge" });
  });

  it("answers bytes that are no request, and headers without end, with a Status", async () => {
    const door = await openHttpDoor();
    const speak = async (text: string): Promise<string> => {
      const socket = connect(door.port, "127.0.0.1");
      socket.write(text);
      const chunks: Buffer[] = [];
      for await (const chunk of socket) chunks.push(chunk as Buffer);
      return Buffer.concat(chunks).toString();
    };
    expect(await speak("nonsense\r\n\r\n")).toMatch(/^HTTP\/1.1 400 [\s\S]*"kind":"Status"/);
    expect(await speak(`GET / HTTP/1.1\r\nhost: localhost\r\nx: ${"x".repeat(20_000)}\r\n\r\n`)).toMatch(
      /^HTTP\/1.1 431 [\s\S]*"kind":"Status"/,
    );
    expect(await speak("GET http://evil/ HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n")).toMatch(
      /^HTTP\/1.1 401 /,
    );
  });

  it("keeps a connection for further requests", async () => {
    const door = await openHttpDoor();
    const socket = connect(door.port, "127.0.0.1");
    onTestFinished(() => void socket.destroy());
    const ask = "GET /healthz HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer correct-horse\r\n\r\n";
    let text = "";
    socket.on("data", (chunk) => {
      text += chunk;
    });
    socket.write(ask + ask);
    await expect.poll(() => text.match(/HTTP\/1.1 200 OK/g)?.length).toBe(2);
  });
});

describe("watches", () => {
  const lines = async (response: IncomingMessage, count: number): Promise<JsonObject[]> => {
    let text = "";
    for await (const chunk of response) {
      text += chunk;
      if (text.split("\n").length > count) break;
    }
    return text
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
  };

  it("send one JSON event a line", async () => {
    const door = await openHttpDoor();
    await door.server.make(MAPS, { metadata: { name: "a" } });
    const watch = await open(door, { path: `${MAPS}?watch=true`, headers: bearer });
    await door.server.make(MAPS, { metadata: { name: "b" } });
    expect(await lines(watch, 2)).toMatchObject([
      { type: "ADDED", object: { kind: "ConfigMap", metadata: { name: "a" } } },
      { type: "ADDED", object: { metadata: { name: "b" } } },
    ]);
  });

  it("end with their client", async () => {
    const door = await openHttpDoor();
    const before = door.server.clock.pending;
    const watch = await open(door, { path: `${MAPS}?watch=true`, headers: bearer });
    await expect.poll(() => door.server.clock.pending).toBe(before + 1);
    watch.destroy();
    await expect.poll(() => door.server.clock.pending).toBe(before);
  });

  it("end normally when the server closes", async () => {
    const door = await openHttpDoor();
    const watch = await open(door, { path: `${MAPS}?watch=true`, headers: bearer });
    const ended = (async () => {
      for await (const _ of watch);
      return watch.complete;
    })();
    await door.http.close();
    expect(await ended).toBe(true);
  });
});

it("sends long lists whole", async () => {
  const door = await openHttpDoor();
  for (let each = 0; each < 20; each++)
    await door.server.make(MAPS, { metadata: { name: `m${each}` }, data: { text: "x".repeat(50_000) } });
  const { body } = await send(door, { path: MAPS, headers: bearer });
  expect(body).toEqual((await door.server.call("GET", MAPS)).body);
});

it("names a port or socket that is in use, and replaces a socket file that nobody answers on", async () => {
  const door = await openHttpDoor();
  const second = createHttpServer(door.server.handler, { token: TOKEN, log: silentLogger });
  onTestFinished(() => second.close());
  await expect(second.listenTcp({ host: "127.0.0.1", port: door.port })).rejects.toMatchObject({ code: "EADDRINUSE" });
  await expect(second.listenSocket(door.socketPath)).rejects.toMatchObject({ code: "EADDRINUSE" });
  const { spawnSync } = await import("node:child_process");
  const stale = join(door.folder, "stale.sock");
  const script = `require("node:net").createServer().listen(${JSON.stringify(stale)}, () => process.kill(process.pid, "SIGKILL"))`;
  spawnSync(process.execPath, ["-e", script]);
  await second.listenSocket(stale);
  expect((await send(door, { socketPath: stale })).status).toBe(200);
});

it("puts its socket back when somebody takes it away", async () => {
  const clock = new FakeClock();
  const door = await openHttpDoor();
  const second = createHttpServer(door.server.handler, { token: TOKEN, log: silentLogger, clock });
  onTestFinished(() => second.close());
  const socketPath = join(door.folder, "held.sock");
  await second.listenSocket(socketPath);
  rmSync(socketPath);
  await clock.advance(1_000);
  expect((await send(door, { socketPath })).status).toBe(200);
});
