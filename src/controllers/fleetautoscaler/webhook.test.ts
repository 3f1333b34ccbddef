import { once } from "node:events";
import { createServer as createHttp, type RequestListener } from "node:http";
import { createServer as createHttps } from "node:https";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { describe, expect, onTestFinished, test } from "vitest";
import { featureGates } from "#api/agones/feature-gates.ts";
import type { UrlConfiguration } from "#api/autoscaling/policy.ts";
import { reviewOf } from "#api/autoscaling/review.ts";
import { FakeClock, systemClock } from "#runtime/clock.ts";
import { createAuthority } from "#runtime/tls-authority.ts";
import { buildFleet } from "../fixtures.ts";
import { openWebhook } from "./webhook.ts";

const review = reviewOf(buildFleet(3, { metadata: { labels: { tier: "gold" } } }), "review-1", featureGates());
const GOOD = JSON.stringify({ response: { uid: "review-1", scale: true, replicas: 9 } });

/** A server on loopback; `https` with a certificate of the authority for `names`. */
async function serve(listener: RequestListener, tls?: { readonly key: string; readonly certificate: string }) {
  const server = tls ? createHttps({ key: tls.key, cert: tls.certificate }, listener) : createHttp(listener);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { server, port: (server.address() as AddressInfo).port };
}

const answering =
  (body: string, code = 200): RequestListener =>
  (_, response) =>
    void response.writeHead(code).end(body);

function ask(configuration: UrlConfiguration, { clock = systemClock, signal = new AbortController().signal } = {}) {
  const webhook = openWebhook(configuration, clock);
  onTestFinished(() => webhook.close());
  return webhook.review(review, signal);
}

const authority = await createAuthority({ commonName: "studio", clock: systemClock });
const base64 = (pem: string): string => Buffer.from(pem).toString("base64");

describe("a webhook", () => {
  test("is asked by POST with the review in JSON, and its response is read", async () => {
    const seen: unknown[] = [];
    const { port } = await serve(async (request, response) => {
      const { method, url, headers } = request;
      seen.push({
        method,
        url,
        type: headers["content-type"],
        host: headers.host,
        body: JSON.parse(await text(request)),
      });
      response.end(GOOD);
    });
    const url = `http://127.0.0.1:${port}/scale?fleet=arena`;
    expect(await ask({ url })).toEqual({ uid: "review-1", scale: true, replicas: 9 });
    const labels = { tier: "gold" };
    expect(seen).toEqual([
      {
        method: "POST",
        url: "/scale?fleet=arena",
        type: "application/json",
        host: `127.0.0.1:${port}`,
        body: { request: expect.objectContaining({ uid: "review-1", name: "arena", labels }), response: null },
      },
    ]);
  });

  test("is given the user and password of its URL, which no message shows", async () => {
    const { port } = await serve((request, response) => {
      const good = request.headers.authorization === `Basic ${base64("ops:s3cret@")}`;
      response.writeHead(good ? 200 : 401).end(GOOD);
    });
    expect(await ask({ url: `http://ops:s3cret%40@127.0.0.1:${port}/` })).toMatchObject({ replicas: 9 });
    const refused = ask({ url: `http://ops:wrong@127.0.0.1:${port}/` });
    await expect(refused).rejects.toThrow(`bad status code 401 from the server: http://ops:xxxxx@127.0.0.1:${port}/`);
  });

  test("that has no server, or whose URL is none, is an error that names it", async () => {
    const { port, server } = await serve(answering(GOOD));
    server.close();
    await once(server, "close");
    const url = `http://127.0.0.1:${port}/`;
    await expect(ask({ url })).rejects.toThrow(`no answer from the server: ${url}: connect ECONNREFUSED`);
    await expect(ask({ url: "ftp://127.0.0.1/" })).rejects.toThrow("the URL is no http or https URL: ftp://127.0.0.1/");
    await expect(ask({ url: "oracle" })).rejects.toThrow("the URL is no http or https URL: oracle");
    await expect(ask({ url: "" })).rejects.toThrow("URL was not provided");
  });

  test.each([
    ["another status than 200", answering(GOOD, 201), "bad status code 201 from the server"],
    ["a redirection", answering("", 302), "bad status code 302 from the server"],
    ["no JSON", answering("nine"), "the answer is no JSON"],
    ["no response", answering("{}"), "the answer has no response"],
    [
      "a negative size",
      answering('{"response":{"scale":true,"replicas":-1}}'),
      "response.replicas must be a whole number",
    ],
    [
      "no size",
      answering('{"response":{"scale":true}}'),
      "response.replicas must be given where response.scale is true",
    ],
    ["more than it may say", answering(`${GOOD}${" ".repeat(1024 * 1024)}`), "more than 1048576 bytes from the server"],
    [
      "a connection that breaks",
      ((_, response) => response.socket?.destroy()) as RequestListener,
      "no answer from the server",
    ],
    [
      "an answer that breaks off",
      ((_, response) => response.writeHead(200).write("{", () => response.socket?.destroy())) as RequestListener,
      "no answer from the server",
    ],
  ])("that answers with %s is an error", async (_name, listener, message) => {
    const { port } = await serve(listener);
    await expect(ask({ url: `http://127.0.0.1:${port}/` })).rejects.toThrow(message);
  });

  test("that does not end its answer is left after 15 seconds", async () => {
    const clock = new FakeClock();
    const asked = Promise.withResolvers<void>();
    const { port, server } = await serve((_, response) => {
      response.writeHead(200).write("{");
      asked.resolve();
    });
    const url = `http://127.0.0.1:${port}/`;
    const refused = expect(ask({ url }, { clock })).rejects.toThrow(`no answer within 15 s from the server: ${url}`);
    await asked.promise;
    await clock.advance(14_999);
    expect(clock.pending).toBe(1);
    await clock.advance(1);
    await refused;
    await expect.poll(() => connectionsOf(server)).toBe(0);
  });

  test("that is no longer wanted is left at once, and nothing stays open", async () => {
    const clock = new FakeClock();
    const abort = new AbortController();
    const { port, server } = await serve(() => abort.abort(new Error("changed")));
    await expect(ask({ url: `http://127.0.0.1:${port}/` }, { clock, signal: abort.signal })).rejects.toThrow("changed");
    expect(clock.pending).toBe(0);
    await expect.poll(() => connectionsOf(server)).toBe(0);
  });

  test("keeps no connection between questions", async () => {
    const { port, server } = await serve(answering(GOOD));
    const webhook = openWebhook({ url: `http://127.0.0.1:${port}/` }, systemClock);
    for (let asked = 0; asked < 5; asked++) await webhook.review(review, new AbortController().signal);
    await expect.poll(() => connectionsOf(server)).toBe(0);
  });
});

const connectionsOf = (server: { getConnections(then: (error: Error | null, count: number) => void): void }) =>
  new Promise<number>((resolve) => server.getConnections((_, count) => resolve(count)));

describe("a webhook over TLS", () => {
  const certificate = () => authority.issue({ commonName: "oracle", addresses: ["127.0.0.1"] });

  test("is trusted by the CA bundle, whatever else stands in it", async () => {
    const { port } = await serve(answering(GOOD), await certificate());
    const caBundle = base64(
      `# studio\n${authority.certificate}\n-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n`,
    );
    expect(await ask({ url: `https://127.0.0.1:${port}/`, caBundle })).toMatchObject({ replicas: 9 });
  });

  test("is not trusted without its authority, by another one, or under another name", async () => {
    const { port } = await serve(answering(GOOD), await certificate());
    const url = `https://127.0.0.1:${port}/`;
    const other = await createAuthority({ commonName: "other", clock: systemClock });
    await expect(ask({ url })).rejects.toThrow(/unable to|self-signed/);
    await expect(ask({ url, caBundle: base64(other.certificate) })).rejects.toThrow(/unable to|signature/);
    const misnamed = await serve(answering(GOOD), await authority.issue({ commonName: "oracle", names: ["oracle"] }));
    const named = ask({ url: `https://127.0.0.1:${misnamed.port}/`, caBundle: base64(authority.certificate) });
    await expect(named).rejects.toThrow("does not match certificate's altnames");
  });

  test("with a bundle without certificates is an error", async () => {
    const caBundle = base64("none");
    await expect(ask({ url: "https://127.0.0.1:1/", caBundle })).rejects.toThrow(
      "no certs were appended from caBundle",
    );
  });
});
