import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Registry } from "prom-client";
import { createClient } from "#kube/api-client.ts";
import type { Client } from "#kube/client.ts";
import { measuredTransport } from "#kube/measured-transport.ts";
import { throttledTransport } from "#kube/throttled-transport.ts";
import type { Transport } from "#kube/transport.ts";
import { httpsTransport } from "#kube/transport-https.ts";
import type { Clock } from "#runtime/clock.ts";
import type { Config } from "#runtime/config.ts";
import { createHealthChecks, type HealthChecks, healthHandler } from "#runtime/health.ts";
import { listen } from "#runtime/http/listen.ts";
import type { Logger } from "#runtime/logger.ts";
import { loopDelayMonitor } from "#runtime/loop-delay.ts";
import type { CacheMetrics, WorkQueueMetrics } from "#runtime/metrics.ts";
import { metricsHandler } from "#runtime/metrics-handler.ts";
import { aborted, type Runnable } from "#runtime/runnable.ts";
import { clusterAccess } from "./cluster-access.ts";
import type { kubernetesSettings } from "./settings-kubernetes.ts";

/** What a program of ours in a Kubernetes cluster reaches it by, and shows of itself. */
export interface KubernetesSurface {
  readonly client: Client;
  /** For leases: over a connection of its own, and without waiting for a turn, so that no load of the others costs the lead. */
  readonly leases: Client;
  readonly health: HealthChecks;
  /** Absent when metrics are switched off. */
  readonly metrics?: {
    readonly registry: Registry;
    readonly queues: WorkQueueMetrics;
    readonly caches: CacheMetrics;
  };
  /** First group of the program: answers `/live`, `/ready` and `/metrics` from the start until everything else has ended. */
  readonly runnables: readonly Runnable[];
  /** Where that is answered; once its runnables are ready. */
  port(): number;
  close(): Promise<void>;
}

/** Rejects with `AccessError` when the cluster's address or credentials cannot be read. */
export async function openKubernetesSurface(
  config: Config<typeof kubernetesSettings>,
  { connections, clock, log }: { readonly connections: number; readonly clock: Clock; readonly log: Logger },
): Promise<KubernetesSurface> {
  for (const [flag, value] of Object.entries(withoutEffect(config)))
    if (value) log.warn({ flag }, "the flag has no effect: logs go to standard output, metrics to Prometheus");
  const access = await clusterAccess(config.kubeconfig, clock);
  const https = httpsTransport(access, { connections });
  const leases = httpsTransport(access, { connections: 1 });
  const rate = { perSecond: config.apiServerQps, burst: config.apiServerQpsBurst };
  const throttled = throttledTransport(https, rate, clock);
  const health = createHealthChecks();
  const measured = config.prometheusExporter ? await measure(health, clock) : undefined;
  const clientOver = (transport: Transport): Client => createClient(measured?.over(transport) ?? transport);
  const server = createServer(healthHandler(health, measured && metricsHandler(measured.registry)));
  const listening = listen(server, { port: config.httpPort });
  listening.catch(() => {});
  const door: Runnable = {
    name: "health",
    ready: () => listening,
    run: async (signal) => {
      await listening;
      await aborted(signal);
      server.closeAllConnections();
      server.close();
    },
  };
  const stalls = loopDelayMonitor({ clock, log, ...(measured && { observe: measured.observeStall }) });
  return {
    client: clientOver(throttled),
    leases: clientOver(leases),
    health,
    ...(measured && { metrics: measured }),
    runnables: [door, stalls],
    port: () => (server.address() as AddressInfo).port,
    close: async () => void (await Promise.all([https.close(), leases.close()])),
  };
}

const withoutEffect = (config: Config<typeof kubernetesSettings>) => ({
  "stackdriver-exporter": config.stackdriverExporter,
  "stackdriver-labels": config.stackdriverLabels,
  "gcp-project-id": config.gcpProjectId,
  "log-dir": config.logDir,
});

/** Metrics are loaded for whoever wants them: their library takes a tenth of a second. */
async function measure(health: HealthChecks, clock: Clock) {
  const [{ collectDefaultMetrics, Registry }, prometheus] = await Promise.all([
    import("prom-client"),
    import("#runtime/prometheus.ts"),
  ]);
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  prometheus.healthMetrics(registry, health);
  const requests = prometheus.clientMetrics(registry);
  return {
    registry,
    queues: prometheus.workQueueMetrics(registry),
    caches: prometheus.cacheMetrics(registry),
    observeStall: prometheus.loopDelayMetric(registry),
    over: (transport: Transport): Transport => measuredTransport(transport, requests, clock),
  };
}
