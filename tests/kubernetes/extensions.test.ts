/** The extensions program by itself: health, a certificate that is renewed while it runs, and an end that lets requests finish. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { get } from "node:http";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import type { TLSSocket } from "node:tls";
import { expect, inject, onTestFinished, test, vi } from "vitest";
import { systemClock as clock } from "#runtime/clock.ts";
import type { KeyAndCertificate } from "#runtime/self-signed.ts";
import { createAuthority } from "#runtime/tls-authority.ts";
import { eventually } from "#tests/harness/eventually.ts";
import { Program } from "#tests/harness/program.ts";

const BIN = join(import.meta.dirname, "../../src/bin/extensions.ts");
const authority = await createAuthority({ commonName: "ca", clock });
const issue = (commonName: string) => authority.issue({ commonName, addresses: ["127.0.0.1"] });

async function start(...flags: readonly string[]) {
  const folder = mkdtempSync(join(tmpdir(), "extensions-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const install = ({ key, certificate }: KeyAndCertificate) => {
    writeFileSync(join(folder, "server.key"), key);
    writeFileSync(join(folder, "server.crt"), certificate);
  };
  install(await issue("first"));
  const files = [`--cert-file=${join(folder, "server.crt")}`, `--key-file=${join(folder, "server.key")}`];
  const ports = ["--http-port=0", "--webhook-port=0"];
  const kubeconfig = `--kubeconfig=${inject("kubernetesKubeconfig")}`;
  const program = new Program(process.execPath, [BIN, ...files, ...ports, kubeconfig, ...flags]);
  onTestFinished(() => program[Symbol.asyncDispose]());
  await program.prints(/"httpPort":\d+/);
  const port = (name: string) => Number(new RegExp(`"${name}":(\\d+)`).exec(program.out)?.[1]);
  return { program, install, httpPort: port("httpPort"), webhookPort: port("webhookPort") };
}

function health(port: number, path: string): Promise<{ status: number | undefined; body: string }> {
  return new Promise((resolve, reject) => {
    get({ host: "127.0.0.1", port, path, agent: false }, async (response) => {
      resolve({ status: response.statusCode, body: await text(response) });
    }).on("error", reject);
  });
}

/** The answer's code, and who the server's certificate says it is. */
function webhook(port: number): Promise<readonly [status: number | undefined, server: unknown]> {
  return new Promise((resolve, reject) => {
    const ask = request(
      { host: "127.0.0.1", port, ca: authority.certificate, method: "POST", path: "/validate", agent: false },
      (response) => {
        const { subject } = (response.socket as TLSSocket).getPeerCertificate();
        response.resume();
        resolve([response.statusCode, subject.CN]);
      },
    );
    ask.on("error", reject);
    ask.end("{}");
  });
}

test("is alive and ready, and says of each check how it is", async () => {
  const { httpPort } = await start();
  expect(await health(httpPort, "/live")).toEqual({ status: 200, body: "{}\n" });
  const { status, body } = await health(httpPort, "/ready?full=1");
  expect([status, JSON.parse(body)]).toEqual([200, { "agones-extensions": "OK", caches: "OK" }]);
});

test("a renewed certificate is used from the next connection on", async () => {
  const { webhookPort, install } = await start();
  expect(await webhook(webhookPort)).toEqual([500, "first"]);
  install(await issue("second"));
  await vi.waitFor(async () => expect(await webhook(webhookPort)).toEqual([500, "second"]), { timeout: 20_000 });
});

test("told to stop, it fails readiness, answers on while others turn away, and ends well", async () => {
  const { program, httpPort, webhookPort } = await start("--readiness-shutdown-duration=2s");
  program.signal("SIGTERM");
  await eventually(async () => {
    const { status, body } = await health(httpPort, "/ready?full=1");
    expect([status, JSON.parse(body)]).toEqual([
      503,
      { "agones-extensions": "asked to shut down, failed readiness check", caches: "OK" },
    ]);
  });
  expect((await health(httpPort, "/live")).status).toBe(200);
  expect(await webhook(webhookPort)).toEqual([500, "first"]);
  expect((await program.ended).code).toBe(0);
});

test("without a certificate it does not start, and says which file it wants", async () => {
  const kubeconfig = `--kubeconfig=${inject("kubernetesKubeconfig")}`;
  const program = new Program(process.execPath, [
    BIN,
    "--cert-file=/no/such.crt",
    "--key-file=/no/such.key",
    kubeconfig,
  ]);
  const { code, err } = await program.ended;
  expect(code).toBe(1);
  expect(err).toContain("/no/such.crt");
});
