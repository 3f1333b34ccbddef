/** Admission and the allocation API for a Kubernetes cluster, over HTTPS. Any number of them may run side by side. */
import { AllocationEngine } from "#allocation/engine/engine.ts";
import { parseFeatureGates } from "#api/agones/feature-gates.ts";
import { GAMESERVERS } from "#api/agones/resources.ts";
import { NODES } from "#api/core/resources.ts";
import { agonesAdmission } from "#extensions/admission.ts";
import { allocationGroup } from "#extensions/allocation-group.ts";
import { createExtensionsHandler } from "#extensions/extensions-handler.ts";
import { createFrontProxy } from "#extensions/front-proxy.ts";
import { createExtensionsServer } from "#extensions/https-server.ts";
import { createEventRecorder } from "#kube/event-recorder.ts";
import { createInformer } from "#kube/shared-informer.ts";
import { systemClock as clock } from "#runtime/clock.ts";
import type { Config } from "#runtime/config.ts";
import { createLogger } from "#runtime/logger.ts";
import { type Runnable, runGroups } from "#runtime/runnable.ts";
import { loadCertificate } from "#runtime/tls-reload.ts";
import { NodeCounts } from "#views/node-counts.ts";
import { cloudProduct } from "./wiring/cloud-product.ts";
import { tellStart } from "./wiring/first-lines.ts";
import { openKubernetesSurface } from "./wiring/kubernetes-surface.ts";
import { runProgram } from "./wiring/program.ts";
import { EXTENSIONS } from "./wiring/settings-kubernetes.ts";
import { version } from "./wiring/version.ts";

async function main(config: Config<typeof EXTENSIONS.options>): Promise<void> {
  const gates = parseFeatureGates(config.featureGates);
  const log = createLogger({ source: "extensions", level: config.logLevel });
  tellStart(log, "starting extensions operator...", config, gates);
  const [told, stop] = [new AbortController(), new AbortController()];
  const surface = await openKubernetesSurface(config, { connections: config.numWorkers, clock, log });
  const { client, health, metrics } = surface;
  health.addReadiness("agones-extensions", () => {
    if (told.signal.aborted) throw new Error("asked to shut down, failed readiness check");
  });
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.once(signal, () => {
      told.abort();
      // Whoever sends us requests learns from readiness that we go, and needs the time to.
      clock.after(config.readinessShutdownDuration, () => stop.abort());
    });
  }

  const product = await cloudProduct(config.cloudProduct, { client, log });
  const certificate = await loadCertificate({ certFile: config.certFile, keyFile: config.keyFile }, { clock, log });
  const cache = { clock, log, ...(metrics && { metrics: metrics.caches }) };
  const gameServers = createInformer(client, GAMESERVERS, cache);
  const nodes = createInformer(client, NODES, cache);
  const nodeCounts = new NodeCounts();
  nodeCounts.follow({ gameServers, nodes });
  const recorder = createEventRecorder(client, { component: "GameServerAllocation-Allocator", clock, log });
  const engine = new AllocationEngine({ client, gameServers, nodeCounts, gates, recorder, clock });

  const frontProxy = createFrontProxy({ client, clock, log });
  const server = createExtensionsServer({
    handler: createExtensionsHandler({
      admission: [agonesAdmission({ gates, version, product, clock })],
      groups: [allocationGroup({ engine, gates, clock })],
      log,
    }),
    certificate,
    frontProxy,
    port: config.webhookPort,
    draining: told.signal,
    clock,
    log,
  });
  const caches = [gameServers, nodes, recorder, frontProxy];
  let filled = false;
  health.addReadiness("caches", () => {
    if (!filled) throw new Error("game servers are not known yet");
  });
  const serving: Runnable = {
    name: server.name,
    run: (signal) => server.run(signal),
    ready: async () => {
      await server.ready();
      filled = true;
      log.info({ webhookPort: server.port, httpPort: surface.port() }, "extensions serve");
    },
  };
  try {
    await runGroups([surface.runnables, [certificate], caches, [serving]], stop.signal, log);
  } finally {
    await surface.close();
  }
}

runProgram(EXTENSIONS, main);
