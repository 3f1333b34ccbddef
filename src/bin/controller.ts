/** The controllers of a Kubernetes cluster. Any number of them may run side by side with leader election: one leads. */
import { randomUUID } from "node:crypto";
import { parseFeatureGates } from "#api/agones/feature-gates.ts";
import { FLEETS, GAMESERVERS, GAMESERVERSETS } from "#api/agones/resources.ts";
import { FLEETAUTOSCALERS } from "#api/autoscaling/resources.ts";
import { formatDuration } from "#api/meta/duration.ts";
import { createLeaderElector, LeadershipLost } from "#kube/leader-election.ts";
import { parseAdditionalRanges, portRanges } from "#ports/port-range.ts";
import { systemClock as clock } from "#runtime/clock.ts";
import type { Config } from "#runtime/config.ts";
import { createLogger } from "#runtime/logger.ts";
import { aborted, type Runnable, runGroups } from "#runtime/runnable.ts";
import { awaitDefinitions } from "./wiring/await-definitions.ts";
import { cloudProduct } from "./wiring/cloud-product.ts";
import { wireControllers } from "./wiring/controllers.ts";
import { tellStart } from "./wiring/first-lines.ts";
import { openKubernetesSurface } from "./wiring/kubernetes-surface.ts";
import { watchWorkers } from "./wiring/liveness.ts";
import { runProgram } from "./wiring/program.ts";
import { CONTROLLER } from "./wiring/settings-kubernetes.ts";
import { sidecarResources } from "./wiring/sidecar-resources.ts";
import { version } from "./wiring/version.ts";

/** The lease of Agones' own controllers: during an upgrade one of them, or one of ours, leads. */
const LEASE = "agones-controller-lock";
const DEFINITIONS = [GAMESERVERS, GAMESERVERSETS, FLEETS, FLEETAUTOSCALERS].map(
  ({ plural, group }) => `${plural}.${group}`,
);

async function main(config: Config<typeof CONTROLLER.options>): Promise<void> {
  const gates = parseFeatureGates(config.featureGates);
  const additional = gates.PortRanges ? parseAdditionalRanges(config.additionalPortRanges) : undefined;
  const ranges = portRanges({ min: config.minPort, max: config.maxPort }, additional);
  const resources = sidecarResources(config);
  const log = createLogger({ source: "controller", level: config.logLevel });
  tellStart(log, "starting gameServer operator...", config, gates);
  const stop = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => stop.abort());

  const surface = await openKubernetesSurface(config, { connections: config.numWorkers, clock, log });
  const { client, leases, health, metrics } = surface;
  const counted = metrics && {
    ...metrics,
    creations: (await import("#controllers/metrics/creation-metrics.ts")).creationMetrics(metrics.registry),
  };
  const product = await cloudProduct(config.cloudProduct, { client, log });
  const wired = wireControllers({
    client,
    gates,
    ranges,
    portSetting: "a wider range from --min-port to --max-port",
    workers: config.numWorkers,
    pod: {
      version,
      product,
      sidecar: {
        image: config.sidecarImage,
        alwaysPull: config.alwaysPullSidecar,
        resources,
        runAsUser: config.sidecarRunAsUser,
        requestsRateLimit: formatDuration(config.sidecarRequestsRateLimit),
      },
      serviceAccount: config.sdkServiceAccount,
    },
    limits: {
      maxCreations: config.maxGameServerCreationsPerBatch,
      maxDeletions: config.maxGameServerDeletionsPerBatch,
      creationParallelism: config.maxCreationParallelism,
      deletionParallelism: config.maxDeletionParallelism,
      maxPending: config.maxPodPendingCount,
    },
    ...(counted && { metrics: counted }),
    clock,
    log,
  });
  const observers: Runnable[] = [];
  if (metrics) {
    const { stateMetrics } = await import("#controllers/metrics/state-metrics.ts");
    const { informers, autoscalers } = wired;
    observers.push(stateMetrics(metrics.registry, { ...informers, autoscalers, gates, clock }));
  }
  watchWorkers(health, wired.controllers);

  const leading: Runnable[] = config.leaderElection
    ? [createLeaderElector(leases, { namespace: config.podNamespace, name: LEASE, identity: randomUUID(), clock, log })]
    : [];
  const definitions: Runnable = {
    name: "definitions",
    ready: () => awaitDefinitions(client, DEFINITIONS, { clock, signal: stop.signal }),
    run: aborted,
  };
  const serving: Runnable = {
    name: "controllers",
    ready: async () => log.info({ httpPort: surface.port() }, "controllers run"),
    run: aborted,
  };
  try {
    const { groups } = wired;
    await runGroups([surface.runnables, leading, [definitions], ...groups, [...observers, serving]], stop.signal, log);
  } finally {
    await surface.close();
  }
}

/** Whoever lost the lease ends in order and is started again by its Deployment. */
function failed(error: unknown): void {
  if (error instanceof LeadershipLost) process.exitCode = 0;
}

runProgram(CONTROLLER, main, failed);
