/** Dashboards and alerts know metrics by their names, kinds, labels and bounds. */
import { Registry } from "prom-client";
import { expect, test } from "vitest";
import { featureGates } from "#api/agones/feature-gates.ts";
import type { Informer } from "#kube/informer.ts";
import { FakeClock } from "#runtime/clock.ts";
import { createHealthChecks } from "#runtime/health.ts";
import { cacheMetrics, clientMetrics, healthMetrics, workQueueMetrics } from "#runtime/prometheus.ts";
import { creationMetrics } from "./creation-metrics.ts";
import { stateMetrics } from "./state-metrics.ts";

const empty: Informer<never> = {
  name: "empty",
  synced: true,
  lister: { get: () => undefined, list: () => [], byIndex: () => [] },
  ready: () => Promise.resolve(),
  run: () => Promise.resolve(),
  addIndex: () => {},
  addHandler: () => () => {},
};

const server = ["type", "fleet_name", "namespace"];
const player = ["fleet_name", "name", "namespace"];
const fleet = ["name", "namespace", "type"];
const autoscaler = ["name", "fleet_name", "namespace"];
const queue = ["queue_name"];
const SECONDS = [0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2, 3];
const NUMBERS = [10, 50, 100, 150, 250, 300];
const POWERS = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384];
const ON_NODE = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 32, 40, 50, 60, 70, 80, 90, 100, 110, 120];

type Row = readonly [
  name: string,
  kind: "counter" | "gauge" | "histogram",
  labels: readonly string[],
  bounds?: readonly number[],
];
const ROWS: readonly Row[] = [
  ["gameservers_count", "gauge", server],
  ["gameservers_total", "counter", server],
  ["gameserver_state_duration", "histogram", server, POWERS],
  ["gameserver_player_connected_total", "gauge", player],
  ["gameserver_player_capacity_total", "gauge", player],
  ["fleets_replicas_count", "gauge", fleet],
  ["fleet_rollout_percent", "gauge", fleet],
  ["fleet_counters", "gauge", [...fleet, "counter"]],
  ["fleet_lists", "gauge", [...fleet, "list"]],
  ["fleet_autoscalers_current_replicas_count", "gauge", autoscaler],
  ["fleet_autoscalers_desired_replicas_count", "gauge", autoscaler],
  ["fleet_autoscalers_able_to_scale", "gauge", autoscaler],
  ["fleet_autoscalers_limited", "gauge", autoscaler],
  ["fleet_autoscalers_buffer_limits", "gauge", [...autoscaler, "type"]],
  ["fleet_autoscalers_buffer_size", "gauge", [...autoscaler, "type"]],
  ["nodes_count", "gauge", ["empty"]],
  ["gameservers_node_count", "histogram", [], ON_NODE.map((bound) => bound + 0.00001)],
  ["gameserver_creation_duration", "histogram", ["name", "type", "fleet_name", "namespace"], SECONDS],
  ["k8s_client_http_request_total", "counter", ["verb", "status_code"]],
  ["k8s_client_http_request_duration_seconds", "histogram", ["verb", "endpoint"], SECONDS],
  ["k8s_client_workqueue_depth", "gauge", queue],
  ["k8s_client_workqueue_items_total", "counter", queue],
  ["k8s_client_workqueue_retries_total", "counter", queue],
  ["k8s_client_workqueue_latency_seconds", "histogram", queue, SECONDS],
  ["k8s_client_workqueue_work_duration_seconds", "histogram", queue, SECONDS],
  ["k8s_client_workqueue_longest_running_processor", "gauge", queue],
  ["k8s_client_workqueue_unfinished_work_seconds", "gauge", queue],
  ["k8s_client_cache_list_total", "counter", []],
  ["k8s_client_cache_watches_total", "counter", []],
  ["k8s_client_cache_short_watches_total", "counter", []],
  ["k8s_client_cache_list_duration_seconds", "histogram", [], SECONDS],
  ["k8s_client_cache_watch_duration_seconds", "histogram", [], SECONDS],
  ["k8s_client_cache_list_items", "histogram", [], NUMBERS],
  ["k8s_client_cache_watch_events", "histogram", [], NUMBERS],
  ["k8s_client_cache_last_resource_version", "gauge", []],
  ["healthcheck_status", "gauge", ["check"]],
];

/** What the library keeps of a metric. */
interface Registered {
  readonly name: string;
  readonly type: string;
  readonly labelNames: readonly string[];
  readonly upperBounds?: readonly number[];
}

function registered(): readonly Registered[] {
  const registry = new Registry();
  const sources = { gameServers: empty, gameServerSets: empty, fleets: empty, autoscalers: empty, nodes: empty };
  stateMetrics(registry, { ...sources, gates: featureGates({ PlayerTracking: true }), clock: new FakeClock() });
  creationMetrics(registry);
  clientMetrics(registry);
  workQueueMetrics(registry);
  cacheMetrics(registry);
  healthMetrics(registry, createHealthChecks());
  return registry.getMetricsAsArray() as unknown as readonly Registered[];
}

const rows = ROWS.map(([name, kind, labels, bounds = []]) => ({ name, kind, labels, bounds }));
const rounded = (bounds: readonly number[]): readonly number[] => bounds.map((bound) => Number(bound.toFixed(5)));

test.each(rows)("agones_$name is a $kind with its labels and bounds", ({ name, kind, labels, bounds }) => {
  const metric = registered().find((each) => each.name === `agones_${name}`);
  const told = [metric?.type, metric?.labelNames.toSorted(), rounded(metric?.upperBounds ?? [])];
  expect(told).toEqual([kind, labels.toSorted(), rounded(bounds)]);
});

test("there is no metric of Agones' prefix besides", () => {
  const known = new Set(ROWS.map(([name]) => `agones_${name}`));
  expect(
    registered()
      .map(({ name }) => name)
      .filter((name) => !known.has(name)),
  ).toEqual([]);
});

test("a batch of creations is told with its size and whether all went well", async () => {
  const registry = new Registry();
  const metrics = creationMetrics(registry);
  metrics.batch(64, false, 0.2);
  metrics.batch(3, true, 0.3);
  const lines = (await registry.metrics()).split("\n").filter((line) => line.includes("_sum"));
  expect(lines).toEqual([
    'agones_gameserver_creation_duration_sum{name="64",type="none",fleet_name="none",namespace=""} 0.2',
    'agones_gameserver_creation_duration_sum{name="3",type="error",fleet_name="none",namespace=""} 0.3',
  ]);
});
