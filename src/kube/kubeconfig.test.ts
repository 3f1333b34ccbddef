import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { stringify } from "yaml";
import { FakeClock } from "#runtime/clock.ts";
import { AccessError } from "./cluster-access.ts";
import { inClusterAccess, isInCluster } from "./in-cluster.ts";
import { kubeconfigAccess } from "./kubeconfig.ts";
import { tokenFile } from "./token-file.ts";

const clock = new FakeClock();
const base64 = (text: string): string => Buffer.from(text).toString("base64");

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), "kubeconfig-"));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

function written(config: unknown, path = folder()): string {
  const file = join(path, "config");
  writeFileSync(file, typeof config === "string" ? config : stringify(config));
  return file;
}

const config = (cluster: object = {}, user: object = {}, context: object = {}): object => ({
  apiVersion: "v1",
  kind: "Config",
  "current-context": "here",
  contexts: [
    { name: "there", context: { cluster: "far", user: "nobody" } },
    { name: "here", context: { cluster: "near", user: "ann", ...context } },
  ],
  clusters: [
    { name: "far", cluster: { server: "https://far.example:6443" } },
    { name: "near", cluster: { server: "https://near.example:6443", ...cluster } },
  ],
  users: [
    { name: "nobody", user: {} },
    { name: "ann", user },
  ],
});

describe("a kubeconfig", () => {
  test("gives the current context with what stands in it", async () => {
    const file = written(
      config(
        { "certificate-authority-data": base64("CA"), "tls-server-name": "kubernetes" },
        { "client-certificate-data": base64("CERT"), "client-key-data": base64("KEY"), token: "secret" },
        { namespace: "games" },
      ),
    );
    const { token, ...access } = await kubeconfigAccess(file, { clock });
    expect(access).toEqual({
      server: "https://near.example:6443",
      authority: "CA",
      serverName: "kubernetes",
      client: { certificate: "CERT", key: "KEY" },
      namespace: "games",
    });
    expect(await token?.()).toBe("secret");
  });

  test("gives the context that is asked for, and files beside it", async () => {
    const path = folder();
    mkdirSync(join(path, "pki"));
    writeFileSync(join(path, "pki", "ca.pem"), "CA");
    writeFileSync(join(path, "token"), "from a file\n");
    const file = written(config({ "certificate-authority": "pki/ca.pem" }, { tokenFile: "token" }), path);
    const access = await kubeconfigAccess(file, { clock });
    expect(access.authority).toBe("CA");
    expect(await access.token?.()).toBe("from a file");
    expect(await kubeconfigAccess(file, { context: "there", clock })).toEqual({
      server: "https://far.example:6443",
      namespace: "default",
    });
  });

  test("may name no user, and JSON is YAML", async () => {
    const file = written(JSON.stringify(config({ "insecure-skip-tls-verify": true }, {}, { user: "" })));
    expect(await kubeconfigAccess(file, { clock })).toMatchObject({ insecure: true });
  });

  test.each([
    ["is no YAML", "a: [", /cannot be read/],
    ["holds no object", "- 1", /holds no object/],
    ["names a context it does not have", { ...config(), "current-context": "nowhere" }, /no context "nowhere"/],
    ["has no current context", { ...config(), "current-context": "" }, /current-context is missing/],
    ["names a cluster it does not have", config({}, {}, { cluster: "x" }), /no cluster "x"/],
    ["has no server", config({ server: "" }), /server is missing/],
    ["has a server that is no URL", config({ server: "near:6443" }), /no http or https URL/],
    ["needs a program for credentials", config({}, { exec: { command: "aws" } }), /exec of a user is not supported/],
    ["needs a proxy", config({ "proxy-url": "http://x" }), /proxy-url of a cluster is not supported/],
    ["impersonates", config({}, { as: "bob" }), /as of a user is not supported/],
    ["has a certificate without its key", config({}, { "client-certificate-data": "QQ==" }), /belong together/],
    ["names a file that is not there", config({ "certificate-authority": "/no/ca" }), /\/no\/ca cannot be read/],
    ["has a token that is a number", config({}, { token: 5 }), /token must be a text/],
  ])("that %s is an error that names the file", async (_what, content, message) => {
    const file = written(content);
    const error = await kubeconfigAccess(file, { clock }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(AccessError);
    expect((error as Error).message).toMatch(message);
    expect((error as Error).message).toContain(file);
  });
});

describe("several kubeconfigs", () => {
  const access = (...files: readonly string[]) => kubeconfigAccess(files.join(delimiter), { clock });
  const absent = () => join(folder(), "absent");

  test("are one: the first to have a name has it whole, the first to set the context sets it", async () => {
    const path = folder();
    writeFileSync(join(path, "ca.pem"), "CA beside the second");
    const first = written({
      "current-context": "",
      clusters: [{ name: "other", cluster: { server: "https://other.example" } }],
      users: [{ name: "ann", user: { token: "of the first" } }],
    });
    const second = written(
      config({ "certificate-authority": "ca.pem" }, { token: "of the second", tokenFile: "absent" }),
      path,
    );
    const third = written({
      "current-context": "there",
      contexts: [{ name: "here", context: { cluster: "other", namespace: "games" } }],
    });
    const { token, ...rest } = await access(first, absent(), "", second, third, first);
    expect(rest).toEqual({
      server: "https://near.example:6443",
      authority: "CA beside the second",
      namespace: "default",
    });
    expect(await token?.()).toBe("of the first");
    expect(await access(third, first, second)).toMatchObject({ server: "https://far.example:6443" });
  });

  test("need one that is there, and none that is broken", async () => {
    const good = written(config());
    expect(await access(absent(), good)).toMatchObject({ server: "https://near.example:6443" });
    await expect(access(absent(), absent())).rejects.toThrow(/absent cannot be read: ENOENT/);
    await expect(access(good, written("a: ["))).rejects.toThrow(/cannot be read/);
    await expect(access(good, folder())).rejects.toThrow(/cannot be read: EISDIR/);
  });

  test("are all named by an error that is of none alone, and one by its own", async () => {
    const [a, b] = [written({}), written({ "current-context": "x" })];
    await expect(access(a, b)).rejects.toThrow(`kubeconfig ${a}${delimiter}${b}: there is no context "x"`);
    const broken = written({ "current-context": "x", contexts: [{ name: "x", context: {} }] });
    await expect(access(a, broken)).rejects.toThrow(`kubeconfig ${broken}: cluster is missing`);
  });
});

describe("a pod's access", () => {
  const env = { KUBERNETES_SERVICE_HOST: "10.0.0.1", KUBERNETES_SERVICE_PORT: "443" };

  test("is its service account's, with a token that is renewed", async () => {
    const path = folder();
    for (const [name, text] of Object.entries({ "ca.crt": "CA", namespace: "agones-system\n", token: "one" }))
      writeFileSync(join(path, name), text);
    expect(isInCluster({ env, clock, folder: path })).toBe(true);
    const time = new FakeClock();
    const { token, ...access } = await inClusterAccess({ env, clock: time, folder: path });
    expect(access).toEqual({ server: "https://10.0.0.1:443", authority: "CA", namespace: "agones-system" });
    expect(await token?.()).toBe("one");
    writeFileSync(join(path, "token"), "two");
    expect(await token?.()).toBe("one");
    await time.advance(60_000);
    expect(await token?.()).toBe("two");
  });

  test("puts an IPv6 address in brackets", async () => {
    const path = folder();
    writeFileSync(join(path, "ca.crt"), "CA");
    const access = await inClusterAccess({ env: { ...env, KUBERNETES_SERVICE_HOST: "fd00::1" }, clock, folder: path });
    expect(access.server).toBe("https://[fd00::1]:443");
  });

  test("is not there outside of a cluster", async () => {
    expect(isInCluster({ env: {}, clock })).toBe(false);
    expect(isInCluster({ env, clock, folder: folder() })).toBe(false);
    await expect(inClusterAccess({ env: {}, clock })).rejects.toThrow(AccessError);
    await expect(inClusterAccess({ env, clock, folder: folder() })).rejects.toThrow(/ca.crt cannot be read/);
  });
});

test("a token whose file has gone still holds; one that never was there is an error", async () => {
  const path = join(folder(), "token");
  const time = new FakeClock();
  const read = tokenFile(path, time);
  await expect(read()).rejects.toThrow(/ENOENT/);
  writeFileSync(path, "one");
  expect(await read()).toBe("one");
  rmSync(path);
  await time.advance(60_000);
  expect(await read()).toBe("one");
});
