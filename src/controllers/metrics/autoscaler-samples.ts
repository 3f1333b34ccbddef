import type { FleetAutoscaler, FleetAutoscalerStatus } from "#api/autoscaling/fleetautoscaler.ts";
import type { Sample } from "./sample.ts";

type AutoscalerSample<L extends string = never> = Sample<"name" | "fleet_name" | "namespace" | L>;

const labelsOf = ({ metadata: { name = "", namespace = "" }, spec }: FleetAutoscaler) => ({
  name,
  fleet_name: spec.fleetName,
  namespace,
});

/** One member of every FleetAutoscaler's status; of a truth, 1 or 0. */
export function statusSamples(
  autoscalers: readonly FleetAutoscaler[],
  member: "currentReplicas" | "desiredReplicas" | "ableToScale" | "scalingLimited",
): readonly AutoscalerSample[] {
  const read = (status: FleetAutoscalerStatus = {}): number => Number(status[member] ?? 0);
  return autoscalers.map((autoscaler) => ({ labels: labelsOf(autoscaler), value: read(autoscaler.status) }));
}

/** The limits of the Buffer policies. */
export function bufferLimitSamples(autoscalers: readonly FleetAutoscaler[]): readonly AutoscalerSample<"type">[] {
  return buffers(autoscalers).flatMap(({ autoscaler, buffer }) => [
    { labels: { ...labelsOf(autoscaler), type: "max" }, value: buffer.maxReplicas },
    { labels: { ...labelsOf(autoscaler), type: "min" }, value: buffer.minReplicas ?? 0 },
  ]);
}

/** The sizes of the Buffer policies, as they are written: a count, or a percentage. */
export function bufferSizeSamples(autoscalers: readonly FleetAutoscaler[]): readonly AutoscalerSample<"type">[] {
  return buffers(autoscalers).map(({ autoscaler, buffer: { bufferSize = 0 } }) => ({
    labels: { ...labelsOf(autoscaler), type: typeof bufferSize === "number" ? "count" : "percentage" },
    value: typeof bufferSize === "number" ? bufferSize : Number.parseInt(bufferSize, 10),
  }));
}

const buffers = (autoscalers: readonly FleetAutoscaler[]) =>
  autoscalers.flatMap((autoscaler) => {
    const { type, buffer } = autoscaler.spec.policy;
    return type === "Buffer" && buffer ? [{ autoscaler, buffer }] : [];
  });
