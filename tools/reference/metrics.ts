/** Every metric that `runtime/prometheus.ts` and the controllers can register. */
import { Registry } from "prom-client";
import { featureGates } from "#api/agones/feature-gates.ts";
import { FLEETS, GAMESERVERS, GAMESERVERSETS } from "#api/agones/resources.ts";
import { FLEETAUTOSCALERS } from "#api/autoscaling/resources.ts";
import { NODES } from "#api/core/resources.ts";
import type { KubeObject } from "#api/meta/object.ts";
import type { ResourceType } from "#api/meta/resource-type.ts";
import { creationMetrics } from "#controllers/metrics/creation-metrics.ts";
import { stateMetrics } from "#controllers/metrics/state-metrics.ts";
import { createClient } from "#kube/api-client.ts";
import { createInformer } from "#kube/shared-informer.ts";
import { FakeClock } from "#runtime/clock.ts";
import { createHealthChecks } from "#runtime/health.ts";
import { silentLogger } from "#runtime/logger.ts";
import * as prometheus from "#runtime/prometheus.ts";
import { code, table } from "./markdown.ts";

export function metricReference(): string {
  const registry = new Registry();
  for (const register of Object.values(prometheus)) register(registry, createHealthChecks());
  registerStateMetrics(registry);
  creationMetrics(registry);
  const metrics = registry.getMetricsAsArray() as unknown as readonly {
    readonly name: string;
    readonly help: string;
    readonly type: string;
    readonly labelNames?: readonly string[];
  }[];
  const rows = metrics.map(({ name, type, labelNames = [], help }) => [
    code(name),
    type,
    labelNames
      .filter((label) => label !== "le")
      .map(code)
      .join(", "),
    help,
  ]);
  return table(
    ["Name", "Kind", "Labels", "Meaning"],
    rows.toSorted(([a = ""], [b = ""]) => (a < b ? -1 : 1)),
  );
}

/** Registers them over caches that stay empty: only their names are wanted. */
function registerStateMetrics(registry: Registry): void {
  const clock = new FakeClock(0);
  const unread = () => Promise.reject(new Error("nothing is read to list names"));
  const client = createClient({ exchange: unread, watch: unread, text: unread });
  const cache = <T extends KubeObject>(type: ResourceType<T>) =>
    createInformer(client, type, { clock, log: silentLogger });
  stateMetrics(registry, {
    gameServers: cache(GAMESERVERS),
    gameServerSets: cache(GAMESERVERSETS),
    fleets: cache(FLEETS),
    autoscalers: cache(FLEETAUTOSCALERS),
    nodes: cache(NODES),
    gates: featureGates({ PlayerTracking: true }),
    clock,
  });
}
