import { Registry } from "prom-client";
import { expect, test } from "vitest";
import { createHealthChecks } from "./health.ts";
import { cacheMetrics, clientMetrics, healthMetrics, loopDelayMetric, workQueueMetrics } from "./prometheus.ts";

/** The lines of a scrape that are not comments and begin with `name`. */
async function scraped(registry: Registry, name: string): Promise<string[]> {
  return (await registry.metrics()).split("\n").filter((line) => line.startsWith(name));
}

test("a queue's gauges are read when scraped, and queues of one name add up", async () => {
  const registry = new Registry();
  const metrics = workQueueMetrics(registry);
  let depth = 2;
  metrics.opened({ name: "sets", depth: () => depth, inHand: () => [1, 4] });
  metrics.opened({ name: "sets", depth: () => 1, inHand: () => [2] });
  depth = 5;
  expect(await scraped(registry, "agones_k8s_client_workqueue_depth")).toEqual([
    'agones_k8s_client_workqueue_depth{queue_name="sets"} 6',
  ]);
  expect(await scraped(registry, "agones_k8s_client_workqueue_unfinished_work_seconds")).toEqual([
    'agones_k8s_client_workqueue_unfinished_work_seconds{queue_name="sets"} 7',
  ]);
  expect(await scraped(registry, "agones_k8s_client_workqueue_longest_running_processor")).toEqual([
    'agones_k8s_client_workqueue_longest_running_processor{queue_name="sets"} 4',
  ]);
});

test("counts keys and measures waits and work in seconds", async () => {
  const registry = new Registry();
  const metrics = workQueueMetrics(registry);
  metrics.added("q");
  metrics.retried("q");
  metrics.taken("q", 0.02);
  metrics.done("q", 1.5);
  expect(await scraped(registry, "agones_k8s_client_workqueue_")).toEqual(
    expect.arrayContaining([
      'agones_k8s_client_workqueue_items_total{queue_name="q"} 1',
      'agones_k8s_client_workqueue_retries_total{queue_name="q"} 1',
      'agones_k8s_client_workqueue_latency_seconds_bucket{le="0.025",queue_name="q"} 1',
      'agones_k8s_client_workqueue_work_duration_seconds_sum{queue_name="q"} 1.5',
    ]),
  );
});

test("counts requests by verb and status, and measures them by endpoint", async () => {
  const registry = new Registry();
  clientMetrics(registry).request("GET", "/api/v1/pods", "200", 0.2);
  expect(await scraped(registry, "agones_k8s_client_http_request")).toEqual(
    expect.arrayContaining([
      'agones_k8s_client_http_request_total{verb="GET",status_code="200"} 1',
      'agones_k8s_client_http_request_duration_seconds_sum{verb="GET",endpoint="/api/v1/pods"} 0.2',
    ]),
  );
});

test("shows what caches list, watch and reach", async () => {
  const registry = new Registry();
  const metrics = cacheMetrics(registry);
  metrics.listed(30, 0.5);
  metrics.watched(0, 0.1, true);
  metrics.watched(7, 300, false);
  metrics.reached(42);
  expect(await scraped(registry, "agones_k8s_client_cache_")).toEqual(
    expect.arrayContaining([
      "agones_k8s_client_cache_list_total 1",
      "agones_k8s_client_cache_watches_total 2",
      "agones_k8s_client_cache_short_watches_total 1",
      "agones_k8s_client_cache_list_items_sum 30",
      "agones_k8s_client_cache_watch_events_sum 7",
      "agones_k8s_client_cache_last_resource_version 42",
    ]),
  );
});

test("evaluates health checks at the scrape: 0 is fine, 1 fails", async () => {
  const registry = new Registry();
  const checks = createHealthChecks();
  let broken = false;
  checks.addLiveness("queue", () => {
    if (broken) throw new Error("no workers");
  });
  healthMetrics(registry, checks);
  expect(await scraped(registry, "agones_healthcheck_status")).toEqual(['agones_healthcheck_status{check="queue"} 0']);
  broken = true;
  expect(await scraped(registry, "agones_healthcheck_status")).toEqual(['agones_healthcheck_status{check="queue"} 1']);
});

test("shows the event loop's delay", async () => {
  const registry = new Registry();
  loopDelayMetric(registry)(0.25);
  expect(await scraped(registry, "stadion_event_loop_delay_seconds")).toEqual([
    "stadion_event_loop_delay_seconds 0.25",
  ]);
});
