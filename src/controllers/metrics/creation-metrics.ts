import { Histogram, type Registry } from "prom-client";
import type { CreationMetrics } from "#runtime/metrics.ts";

/** Load this module on first use only: the library behind it takes a tenth of a second. */

/** Bounds in seconds. */
const SECONDS = [0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2, 3];

/** `agones_gameserver_creation_duration`; its labels are what Agones makes of them, `name` is the size of the batch. */
export function creationMetrics(registry: Registry): CreationMetrics {
  const seconds = new Histogram({
    name: "agones_gameserver_creation_duration",
    help: "Seconds that a set took to make a batch of game servers; name is the size of the batch",
    labelNames: ["name", "type", "fleet_name", "namespace"],
    buckets: SECONDS,
    registers: [registry],
  });
  return {
    batch: (size, failed, took) =>
      seconds.observe({ name: String(size), type: failed ? "error" : "none", fleet_name: "none", namespace: "" }, took),
  };
}
