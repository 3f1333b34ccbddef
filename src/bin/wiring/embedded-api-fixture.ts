/** The embedded API of a data folder, its doors open, for tests. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { buildCustomResourceDefinitions } from "#api/definitions/crds.ts";
import { createClient } from "#kube/api-client.ts";
import { httpTransport } from "#kube/transport-http.ts";
import { systemClock as clock } from "#runtime/clock.ts";
import { silentLogger as log } from "#runtime/logger.ts";
import { openEmbeddedApi, openStore } from "./embedded-api.ts";

export function dataFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "stadion-embedded-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, "token"), "a-token\n");
  return folder;
}

export const openApi = (dataDir: string) =>
  openEmbeddedApi({
    ...{ dataDir, store: openStore(dataDir, { clock, log }), apiPort: 0 },
    ...{ admission: [], groups: [], definitions: buildCustomResourceDefinitions(), version: "1", clock, log },
  });

export async function open(dataDir: string) {
  const api = await openApi(dataDir);
  const stop = new AbortController();
  const running = api.server.run(stop.signal);
  await api.server.ready?.();
  const address = await api.listen();
  const transport = httpTransport({ socketPath: join(dataDir, "api.sock") });
  const close = async () => {
    await transport.close();
    stop.abort();
    await running;
    await api.close();
  };
  return { client: createClient(transport), address, close };
}
