import { Counter, Gauge, Histogram, type Registry } from "prom-client";
import type { HealthChecks } from "./health.ts";
import type { CacheMetrics, ClientMetrics, QueueState, WorkQueueMetrics } from "./metrics.ts";

/** Load this module on first use only: the library behind it takes a tenth of a second. */

/** Bounds in seconds, and for numbers of things. */
const SECONDS = [0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2, 3];
const NUMBERS = [10, 50, 100, 150, 250, 300];

const CLIENT = "agones_k8s_client";

export function workQueueMetrics(registry: Registry): WorkQueueMetrics {
  const registers = [registry];
  const labelNames = ["queue_name"] as const;
  const queues: QueueState[] = [];

  /** A gauge that adds up, when it is read, what the queues of a name show. */
  const gauge = (
    name: string,
    help: string,
    read: (queue: QueueState) => number,
    join: (a: number, b: number) => number,
  ) =>
    new Gauge({
      name: `${CLIENT}_workqueue_${name}`,
      help,
      labelNames,
      registers,
      collect() {
        const values = new Map<string, number>();
        for (const queue of queues) values.set(queue.name, join(values.get(queue.name) ?? 0, read(queue)));
        for (const [queue_name, value] of values) this.set({ queue_name }, value);
      },
    });
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
  const add = (a: number, b: number) => a + b;
  gauge("depth", "Keys that wait for a worker", (queue) => queue.depth(), add);
  gauge(
    "unfinished_work_seconds",
    "Seconds that keys in hand have been worked on, all together",
    (queue) => sum(queue.inHand()),
    add,
  );
  gauge(
    "longest_running_processor",
    "Seconds that the longest key in hand has been worked on",
    (queue) => Math.max(0, ...queue.inHand()),
    Math.max,
  );

  const counter = (name: string, help: string) =>
    new Counter({ name: `${CLIENT}_workqueue_${name}`, help, labelNames, registers });
  const histogram = (name: string, help: string) =>
    new Histogram({ name: `${CLIENT}_workqueue_${name}`, help, labelNames, registers, buckets: SECONDS });
  const added = counter("items_total", "Keys that came to wait for a worker");
  const retried = counter("retries_total", "Keys that were asked for again later");
  const waited = histogram("latency_seconds", "How long keys waited for a worker");
  const worked = histogram("work_duration_seconds", "How long workers held keys");

  return {
    opened: (queue) => void queues.push(queue),
    added: (queue_name) => added.inc({ queue_name }),
    retried: (queue_name) => retried.inc({ queue_name }),
    taken: (queue_name, seconds) => waited.observe({ queue_name }, seconds),
    done: (queue_name, seconds) => worked.observe({ queue_name }, seconds),
  };
}

export function clientMetrics(registry: Registry): ClientMetrics {
  const registers = [registry];
  const total = new Counter({
    name: `${CLIENT}_http_request_total`,
    help: "Requests to the API server by verb and status code",
    labelNames: ["verb", "status_code"],
    registers,
  });
  const duration = new Histogram({
    name: `${CLIENT}_http_request_duration_seconds`,
    help: "How long requests to the API server took",
    labelNames: ["verb", "endpoint"],
    buckets: SECONDS,
    registers,
  });
  return {
    request: (verb, endpoint, status_code, took) => {
      total.inc({ verb, status_code });
      duration.observe({ verb, endpoint }, took);
    },
  };
}

export function cacheMetrics(registry: Registry): CacheMetrics {
  const registers = [registry];
  const counter = (name: string, help: string) => new Counter({ name: `${CLIENT}_cache_${name}`, help, registers });
  const histogram = (name: string, help: string, buckets: number[]) =>
    new Histogram({ name: `${CLIENT}_cache_${name}`, help, buckets, registers });
  const lists = counter("list_total", "Lists that filled a cache");
  const watches = counter("watches_total", "Watches that ended");
  const shortWatches = counter("short_watches_total", "Watches that ended as soon as they were open");
  const listDuration = histogram("list_duration_seconds", "How long lists took", SECONDS);
  const watchDuration = histogram("watch_duration_seconds", "How long watches lasted", SECONDS);
  const listItems = histogram("list_items", "Objects in a list", NUMBERS);
  const watchEvents = histogram("watch_events", "Events in a watch", NUMBERS);
  const version = new Gauge({
    name: `${CLIENT}_cache_last_resource_version`,
    help: "The newest version that a cache has reached",
    registers,
  });
  return {
    listed: (items, took) => {
      lists.inc();
      listItems.observe(items);
      listDuration.observe(took);
    },
    watched: (events, took, short) => {
      watches.inc();
      if (short) shortWatches.inc();
      watchEvents.observe(events);
      watchDuration.observe(took);
    },
    reached: (reached) => version.set(reached),
  };
}

/** `agones_healthcheck_status`: 0 for a check that is fine, 1 for one that fails, evaluated when it is read. */
export function healthMetrics(registry: Registry, checks: HealthChecks): void {
  new Gauge({
    name: "agones_healthcheck_status",
    help: "Whether a health check fails",
    labelNames: ["check"],
    registers: [registry],
    async collect() {
      for (const [check, failure] of await checks.readiness()) this.set({ check }, failure === undefined ? 0 : 1);
    },
  });
}

/** The gauge that a loop delay monitor feeds; in seconds. */
export function loopDelayMetric(registry: Registry): (seconds: number) => void {
  const gauge = new Gauge({
    name: "stadion_event_loop_delay_seconds",
    help: "The longest stall of the event loop in the last seconds",
    registers: [registry],
  });
  return (seconds) => gauge.set(seconds);
}
