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
import { openDoors } from "./api-doors.ts";
import { openEmbeddedApi, openStore } from "./embedded-api.ts";

export function dataFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "stadion-embedded-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, "token"), "a-token\n");
  return folder;
}

export async function openApi(dataDir: string) {
  const doors = openDoors({ dataDir, apiPort: 0, clock, log });
  const api = await openEmbeddedApi({
    ...{ dataDir, store: openStore(dataDir, { clock, log }), doors },
    ...{ admission: [], groups: [], definitions: buildCustomResourceDefinitions(), version: "1", clock, log },
  });
  return { api, doors };
}

export async function open(dataDir: string) {
  const { api, doors } = await openApi(dataDir);
  const stop = new AbortController();
  const running = api.server.run(stop.signal);
  await api.server.ready?.();
  const transport = httpTransport({ socketPath: join(dataDir, "api.sock") });
  const close = async () => {
    await transport.close();
    stop.abort();
    await running;
    await api.close();
  };
  return { client: createClient(transport), address: await doors.address, close };
}
