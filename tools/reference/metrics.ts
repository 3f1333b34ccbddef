/** Every metric that `runtime/prometheus.ts` can register. */
import { Registry } from "prom-client";
import { createHealthChecks } from "#runtime/health.ts";
import * as prometheus from "#runtime/prometheus.ts";
import { code, table } from "./markdown.ts";

export function metricReference(): string {
  const registry = new Registry();
  for (const register of Object.values(prometheus)) register(registry, createHealthChecks());
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
