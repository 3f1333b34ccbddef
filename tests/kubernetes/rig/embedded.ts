/** The embedded API server by itself, in memory and without controllers, behind the HTTPS door that clients use. */
import { randomBytes } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { AllocationEngine } from "#allocation/engine/engine.ts";
import { featureGates } from "#api/agones/feature-gates.ts";
import { GAMESERVERS } from "#api/agones/resources.ts";
import { CUSTOM_RESOURCE_DEFINITIONS } from "#api/core/resources.ts";
import { buildCustomResourceDefinitions, type CrdOptions } from "#api/definitions/crds.ts";
import { createHttpServer } from "#cluster/apiserver/http-server.ts";
import { createApiServer } from "#cluster/apiserver/server.ts";
import { MemoryStore } from "#cluster/store/memory-store.ts";
import { openObjectStore } from "#cluster/store/object-store.ts";
import { agonesAdmission } from "#extensions/admission.ts";
import { allocationGroup } from "#extensions/allocation-group.ts";
import { createClient } from "#kube/api-client.ts";
import { createEventRecorder } from "#kube/event-recorder.ts";
import { createInformer } from "#kube/shared-informer.ts";
import { inProcessTransport } from "#kube/transport-in-process.ts";
import { systemClock as clock } from "#runtime/clock.ts";
import { silentLogger as log } from "#runtime/logger.ts";
import { runGroups } from "#runtime/runnable.ts";
import { selfSignedCertificate } from "#runtime/self-signed.ts";
import { NodeCounts } from "#views/node-counts.ts";
import { kubeconfigText } from "./kubeconfig.ts";

export interface EmbeddedServer {
  readonly kubeconfig: string;
  stop(): Promise<void>;
}

const HOST = "127.0.0.1";

/** Serves our definitions, admission and the allocation API, as a cluster on one machine does. */
export async function startEmbedded(
  folder: string,
  version: string,
  options: CrdOptions = {},
): Promise<EmbeddedServer> {
  const { gates = featureGates() } = options;
  const user = { username: "system:stadion", groups: ["system:masters"] };
  const client = createClient(inProcessTransport((request) => server.handler(request), user));
  const gameServers = createInformer(client, GAMESERVERS, { clock, log });
  const nodeCounts = new NodeCounts();
  gameServers.addHandler(nodeCounts);
  const recorder = createEventRecorder(client, { component: "GameServerAllocation-Allocator", clock, log });
  const engine = new AllocationEngine({ client, gameServers, nodeCounts, gates, recorder, clock });
  const objects = await openObjectStore(new MemoryStore(), { volatile: () => false, clock, log });
  const server = createApiServer({
    objects,
    admission: [agonesAdmission({ gates, version })],
    groups: [allocationGroup({ engine, gates, clock })],
    clock,
    log,
    version,
  });
  const stop = new AbortController();
  const running = runGroups([[server], [gameServers, recorder]], stop.signal, log);
  await server.ready();
  for (const definition of buildCustomResourceDefinitions(options))
    await client.create(CUSTOM_RESOURCE_DEFINITIONS, definition);

  const token = randomBytes(24).toString("base64url");
  const tls = await selfSignedCertificate({ commonName: "stadion", names: ["localhost"], addresses: [HOST], clock });
  const doors = createHttpServer(server.handler, { token, log, clock });
  const port = await doors.listenTcp({ host: HOST, port: 0, tls });
  const kubeconfig = join(folder, "embedded-kubeconfig");
  writeFileSync(kubeconfig, kubeconfigText(`https://${HOST}:${port}`, token, tls.certificate), { mode: 0o600 });
  return {
    kubeconfig,
    stop: async () => {
      await doors.close();
      stop.abort();
      await running;
      await objects.close();
    },
  };
}
