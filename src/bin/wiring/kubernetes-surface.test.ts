import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { LEASES, PODS } from "#api/core/resources.ts";
import { systemClock } from "#runtime/clock.ts";
import { readConfig } from "#runtime/config.ts";
import { silentLogger } from "#runtime/logger.ts";
import { openKubernetesSurface } from "./kubernetes-surface.ts";
import { kubernetesSettings } from "./settings-kubernetes.ts";

/** An API server that answers for leases alone. */
async function busyServer(): Promise<string> {
  const server = createServer((request, response) => {
    if (request.url?.includes("/leases/"))
      response.end('{"kind":"Lease","apiVersion":"coordination.k8s.io/v1","metadata":{"name":"lock"}}');
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const folder = mkdtempSync(join(tmpdir(), "surface-"));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const file = join(folder, "kubeconfig");
  const config = {
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "busy", cluster: { server: `http://127.0.0.1:${(server.address() as AddressInfo).port}` } }],
    users: [{ name: "busy", user: { token: "t" } }],
    contexts: [{ name: "busy", context: { cluster: "busy", user: "busy" } }],
    "current-context": "busy",
  };
  writeFileSync(file, JSON.stringify(config));
  return file;
}

test("a lease is renewed though every connection and every turn of the others is taken", async () => {
  const argv = [
    "--http-port=0",
    `--kubeconfig=${await busyServer()}`,
    "--api-server-qps=1",
    "--api-server-qps-burst=1",
  ];
  const config = readConfig(kubernetesSettings, { argv, env: {} });
  const surface = await openKubernetesSurface(config, { connections: 1, clock: systemClock, log: silentLogger });
  const stop = new AbortController();
  const running = surface.runnables.map((runnable) => runnable.run(stop.signal));
  const waiting = Promise.allSettled(
    Array.from({ length: 50 }, () => surface.client.list(PODS, { signal: stop.signal })),
  );
  expect((await surface.leases.get(LEASES, "agones-system", "lock")).metadata.name).toBe("lock");
  stop.abort();
  await waiting;
  await surface.close();
  await Promise.all(running);
});
