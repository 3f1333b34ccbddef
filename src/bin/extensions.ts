/** Admission and the allocation API for a Kubernetes cluster, over HTTPS. Any number of them may run side by side. */
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { AllocationEngine } from "#allocation/engine/engine.ts";
import { parseFeatureGates } from "#api/agones/feature-gates.ts";
import { GAMESERVERS } from "#api/agones/resources.ts";
import { NODES } from "#api/core/resources.ts";
import { agonesAdmission } from "#extensions/admission.ts";
import { allocationGroup } from "#extensions/allocation-group.ts";
import { createExtensionsHandler } from "#extensions/extensions-handler.ts";
import { createFrontProxy } from "#extensions/front-proxy.ts";
import { createExtensionsServer } from "#extensions/https-server.ts";
import { createClient } from "#kube/api-client.ts";
import { createEventRecorder } from "#kube/event-recorder.ts";
import { createInformer } from "#kube/shared-informer.ts";
import { httpsTransport } from "#kube/transport-https.ts";
import { systemClock as clock } from "#runtime/clock.ts";
import type { Config } from "#runtime/config.ts";
import { createHealthChecks, healthHandler } from "#runtime/health.ts";
import { listen } from "#runtime/http/listen.ts";
import { createLogger } from "#runtime/logger.ts";
import { aborted, type Runnable, runGroups } from "#runtime/runnable.ts";
import { loadCertificate } from "#runtime/tls-reload.ts";
import { NodeCounts } from "#views/node-counts.ts";
import { clusterAccess } from "./wiring/cluster-access.ts";
import { runProgram } from "./wiring/program.ts";
import { EXTENSIONS } from "./wiring/settings.ts";
import { version } from "./wiring/version.ts";

async function main(config: Config<typeof EXTENSIONS.options>): Promise<void> {
  const gates = parseFeatureGates(config.featureGates);
  const log = createLogger({ source: "extensions", level: config.logLevel });
  const stop = new AbortController();
  const health = createHealthChecks();
  let stopping = false;
  health.addReadiness("agones-extensions", () => {
    if (stopping) throw new Error("asked to shut down, failed readiness check");
  });
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.once(signal, () => {
      stopping = true;
      // Whoever sends us requests learns from readiness that we go, and needs the time to.
      clock.after(config.readinessShutdownDuration, () => stop.abort());
    });
  }

  const certificate = await loadCertificate({ certFile: config.certFile, keyFile: config.keyFile }, { clock, log });
  const transport = httpsTransport(await clusterAccess(config.kubeconfig, clock), { connections: config.numWorkers });
  const client = createClient(transport);
  const gameServers = createInformer(client, GAMESERVERS, { clock, log });
  const nodes = createInformer(client, NODES, { clock, log });
  const nodeCounts = new NodeCounts();
  gameServers.addHandler(nodeCounts);
  nodes.addHandler({ delete: ({ metadata }) => nodeCounts.nodeDeleted(metadata.name ?? "") });
  const recorder = createEventRecorder(client, { component: "GameServerAllocation-Allocator", clock, log });
  const engine = new AllocationEngine({ client, gameServers, nodeCounts, gates, recorder, clock });

  const frontProxy = createFrontProxy({ client, clock, log });
  const server = createExtensionsServer({
    handler: createExtensionsHandler({
      admission: [agonesAdmission({ gates, version })],
      groups: [allocationGroup({ engine, gates, clock })],
      log,
    }),
    certificate,
    frontProxy,
    port: config.webhookPort,
    clock,
    log,
  });
  const caches = [gameServers, nodes, recorder, frontProxy];
  let filled = false;
  health.addReadiness("caches", () => {
    if (!filled) throw new Error("game servers are not known yet");
  });
  const healthServer = createServer(healthHandler(health));
  const serving: Runnable = {
    name: server.name,
    run: (signal) => server.run(signal),
    ready: async () => {
      await server.ready();
      filled = true;
      const { port: httpPort } = healthServer.address() as AddressInfo;
      log.info({ webhookPort: server.port, httpPort }, "extensions serve");
    },
  };
  try {
    await runGroups([[healthDoor(healthServer, config.httpPort)], [certificate], caches, [serving]], stop.signal, log);
  } finally {
    await transport.close();
  }
}

/** Answers health from the start: before caches are filled, and until everything else has ended. */
function healthDoor(server: Server, port: number): Runnable {
  const listening = listen(server, { port });
  listening.catch(() => {});
  return {
    name: "health",
    ready: () => listening,
    run: async (signal) => {
      await listening;
      await aborted(signal);
      server.closeAllConnections();
      server.close();
    },
  };
}

runProgram(EXTENSIONS, main);
