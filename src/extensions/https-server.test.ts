import { request } from "node:https";
import type { TLSSocket } from "node:tls";
import { expect, onTestFinished, test, vi } from "vitest";
import type { ConfigMap } from "#api/core/config.ts";
import type { ApiRequest } from "#api/meta/exchange.ts";
import type { Reader } from "#kube/client.ts";
import { systemClock as clock, FakeClock } from "#runtime/clock.ts";
import { silentLogger as log } from "#runtime/logger.ts";
import type { KeyAndCertificate } from "#runtime/self-signed.ts";
import { createAuthority } from "#runtime/tls-authority.ts";
import { createFrontProxy } from "./front-proxy.ts";
import { createExtensionsServer } from "./https-server.ts";

const authority = await createAuthority({ commonName: "webhooks", clock });
const proxies = await createAuthority({ commonName: "front-proxy", clock });
const strangers = await createAuthority({ commonName: "strangers", clock });
const addresses = ["127.0.0.1"];
const first = await authority.issue({ commonName: "first", addresses });
const second = await authority.issue({ commonName: "second", addresses });
const proxy = await proxies.issue({ commonName: "front-proxy-client" });

/** The ConfigMap in which a cluster says how its API server proves itself. */
const published = (data: Record<string, string>): Pick<Reader, "get"> => ({
  get: (async () => ({ data })) as unknown as Reader["get"],
});
const trusting = published({
  "requestheader-client-ca-file": proxies.certificate,
  "requestheader-allowed-names": '["front-proxy-client"]',
});

async function serve(client: Pick<Reader, "get"> = trusting) {
  const seen: ApiRequest[] = [];
  let current: KeyAndCertificate = first;
  const listeners: ((next: KeyAndCertificate) => void)[] = [];
  const frontProxy = createFrontProxy({ client, clock, log });
  const draining = new AbortController();
  const server = createExtensionsServer({
    handler: async (asked) => {
      seen.push(asked);
      return { type: "json", status: 200, value: { path: asked.path } };
    },
    certificate: {
      get current() {
        return current;
      },
      onChange: (listener) => void listeners.push(listener),
    },
    frontProxy,
    port: 0,
    host: "127.0.0.1",
    draining: draining.signal,
    clock,
    log,
  });
  const stop = new AbortController();
  const ended = [frontProxy.run(stop.signal), server.run(stop.signal)].map((each) => each.catch(() => {}));
  onTestFinished(async () => {
    stop.abort();
    await Promise.all(ended);
  });
  await frontProxy.ready();
  await server.ready();
  return {
    seen,
    port: server.port,
    drain: () => draining.abort(),
    renew: (next: KeyAndCertificate) => {
      current = next;
      for (const listener of listeners) listener(next);
    },
  };
}

interface Asked {
  readonly method?: string;
  readonly path?: string;
  readonly as?: KeyAndCertificate;
  readonly headers?: Record<string, string | string[]>;
  readonly body?: Uint8Array;
}

/** Status, the common name in the server's certificate, and what becomes of the connection. */
function ask(port: number, { method = "GET", path = "/", as, headers, body }: Asked = {}) {
  return new Promise<{ status: number | undefined; server: string; connection: string | undefined }>(
    (resolve, reject) => {
      const sent = request(
        {
          host: "127.0.0.1",
          port,
          method,
          path,
          headers,
          ca: authority.certificate,
          agent: false,
          ...(as && { key: as.key, cert: as.certificate }),
        },
        (response) => {
          const { subject } = (response.socket as TLSSocket).getPeerCertificate();
          response.resume();
          const { connection } = response.headers;
          resolve({ status: response.statusCode, server: String(subject.CN), connection });
        },
      );
      sent.on("error", reject);
      sent.end(body);
    },
  );
}

const GROUP = "/apis/allocation.agones.dev/v1";
const ALLOCATE = { method: "POST", path: `${GROUP}/namespaces/games/gameserverallocations` };
const ON_BEHALF = { "x-remote-user": "ann", "x-remote-group": ["dev", "ops"] };

test("new connections get the renewed certificate", async () => {
  const { port, renew } = await serve();
  expect((await ask(port)).server).toBe("first");
  renew(second);
  expect((await ask(port)).server).toBe("second");
});

test("while it is to go, each connection ends with its next answer: who asks again comes to another server", async () => {
  const { port, drain } = await serve();
  const headers = { connection: "keep-alive" };
  expect((await ask(port, { headers })).connection).toBe("keep-alive");
  drain();
  expect(await ask(port, { headers })).toMatchObject({ status: 200, connection: "close" });
});

test("reviews, health and discovery need no certificate of a client", async () => {
  const { port } = await serve();
  for (const [method, path] of [
    ["POST", "/mutate"],
    ["POST", "/validate"],
    ["GET", "/"],
    ["GET", GROUP],
  ] as const)
    expect((await ask(port, { method, path })).status).toBe(200);
});

test("the API server's certificate opens the aggregated API, for the user it names", async () => {
  const { port, seen } = await serve();
  expect((await ask(port, { ...ALLOCATE, as: proxy, headers: ON_BEHALF })).status).toBe(200);
  expect(seen.at(-1)?.user).toEqual({ username: "ann", groups: ["dev", "ops"] });
});

test("nobody else uses the aggregated API", async () => {
  const { port, seen } = await serve();
  const stranger = await strangers.issue({ commonName: "front-proxy-client" });
  const colleague = await proxies.issue({ commonName: "somebody" });
  expect((await ask(port, { ...ALLOCATE, headers: ON_BEHALF })).status).toBe(401);
  expect((await ask(port, { ...ALLOCATE, headers: ON_BEHALF, as: stranger })).status).toBe(401);
  expect((await ask(port, { ...ALLOCATE, headers: ON_BEHALF, as: colleague })).status).toBe(401);
  expect((await ask(port, { ...ALLOCATE, as: proxy })).status).toBe(401);
  expect(seen).toEqual([]);
});

test("while the cluster has not said whose certificate is the API server's, nobody uses the aggregated API", async () => {
  const { port } = await serve(published({}));
  expect((await ask(port, { ...ALLOCATE, as: proxy, headers: ON_BEHALF })).status).toBe(401);
  expect((await ask(port, { method: "POST", path: "/validate" })).status).toBe(200);
});

test("what a cluster trusts is learnt after a failure, and learnt anew", async () => {
  const time = new FakeClock();
  let data: Record<string, string> | undefined;
  const client = {
    get: (async (): Promise<ConfigMap> => {
      if (!data) throw new Error("not reachable");
      return { metadata: {}, data } as unknown as ConfigMap;
    }) as unknown as Reader["get"],
  };
  const frontProxy = createFrontProxy({ client, clock: time, log });
  const changed = vi.fn();
  frontProxy.onChange(changed);
  const stop = new AbortController();
  const running = frontProxy.run(stop.signal).catch(() => {});
  await frontProxy.ready();
  expect(frontProxy.authority).toBeUndefined();
  data = { "requestheader-client-ca-file": "ONE" };
  await time.advance(2_000);
  expect(frontProxy.authority).toBe("ONE");
  data = { "requestheader-client-ca-file": "TWO" };
  await time.advance(60_000);
  expect(frontProxy.authority).toBe("TWO");
  expect(changed).toHaveBeenCalledTimes(2);
  stop.abort();
  await running;
});

test("a review may be twice as large as an object, and no larger", async () => {
  const { port } = await serve();
  const post = (size: number) => ask(port, { method: "POST", path: "/validate", body: Buffer.alloc(size, "x") });
  expect((await post(6 * 1024 * 1024)).status).toBe(200);
  expect((await post(8 * 1024 * 1024).catch(() => ({ status: 413 }))).status).toBe(413);
});
