/** The API can start commands: who may speak to it. */
import { connect } from "node:net";
import { describe, expect, it } from "vitest";
import { type ApiRequest, askPort } from "./harness/api.ts";
import { useCluster } from "./harness/cluster.ts";

const cluster = useCluster("--no-quick-start");

const ask = (request: Partial<ApiRequest>) => askPort(cluster.access, { path: "/api/v1/namespaces", ...request });
const authorization = () => ({ authorization: `Bearer ${cluster.access.token}` });
const settings = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "settings" } };
const configMaps = "/api/v1/namespaces/default/configmaps";

describe("the API's port", () => {
  it("answers who has the kubeconfig's token, and is encrypted", async () => {
    expect(cluster.access.server).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/);
    expect(await ask({ headers: authorization() })).toMatchObject({ code: 200, body: { kind: "NamespaceList" } });
    const { authority: _, ...unknown } = cluster.access;
    await expect(askPort({ ...unknown, authority: undefined }, { path: "/version" })).rejects.toThrow(/certificate/);
  });

  it.each([
    ["no token", {}],
    ["a wrong token", { authorization: "Bearer wrong" }],
    ["an empty token", { authorization: "Bearer " }],
    ["a wrong password", { authorization: `Basic ${btoa("stadion:wrong")}` }],
  ])("answers 401 to %s, whatever the path", async (_, headers) => {
    for (const path of ["/api/v1/pods", "/version", "/nowhere", "/apis/agones.dev/v1/gameservers?watch=true"])
      expect(await ask({ path, headers })).toMatchObject({
        code: 401,
        body: { kind: "Status", reason: "Unauthorized" },
      });
  });

  it.each([
    ["a foreign Host", { host: "evil.example.com" }],
    ["a foreign Host with our port", { host: "evil.example.com:8643" }],
    ["a foreign Origin", { origin: "https://evil.example.com" }],
    ["the Origin null", { origin: "null" }],
  ])("answers 403 to %s, token or not", async (_, headers) => {
    for (const secret of [authorization(), {}])
      expect(await ask({ headers: { ...secret, ...headers } })).toMatchObject({
        code: 403,
        body: { reason: "Forbidden" },
      });
  });

  it.each(["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "application/xml"])(
    "answers 415 to a body of %s, and creates nothing",
    async (type) => {
      const headers = { ...authorization(), "content-type": type };
      const answer = await ask({ method: "POST", path: configMaps, headers, body: settings });
      expect(answer).toMatchObject({ code: 415, body: { reason: "UnsupportedMediaType" } });
      expect(await ask({ path: `${configMaps}/settings`, headers: authorization() })).toMatchObject({ code: 404 });
    },
  );

  it("is open on loopback alone", async () => {
    const { port } = new URL(cluster.access.server);
    const socket = connect(Number(port), "127.0.0.2");
    const outcome = await new Promise((resolve) => {
      socket.once("connect", () => resolve("connected"));
      socket.once("error", (error: NodeJS.ErrnoException) => resolve(error.code));
    });
    socket.destroy();
    expect(outcome).toBe("ECONNREFUSED");
  });
});

describe("the API's socket", () => {
  it("needs no token, and refuses foreign Origins and media types as well", async () => {
    expect(await cluster.ask({ path: "/version" })).toMatchObject({ code: 200 });
    const headers = { origin: "https://evil.example.com" };
    expect(await cluster.ask({ path: "/version", headers })).toMatchObject({ code: 403 });
    const text = { method: "POST", path: configMaps, headers: { "content-type": "text/plain" }, body: settings };
    expect(await cluster.ask(text)).toMatchObject({ code: 415 });
  });
});
