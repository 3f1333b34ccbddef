import type { ResourceRequirements } from "#api/core/pod.ts";
import { compareQuantities, type Quantity, quantityToString } from "#api/meta/quantity.ts";
import { ConfigError } from "#runtime/config.ts";

interface SidecarQuantities {
  readonly sidecarCpuRequest: Quantity | undefined;
  readonly sidecarCpuLimit: Quantity | undefined;
  readonly sidecarMemoryRequest: Quantity | undefined;
  readonly sidecarMemoryLimit: Quantity | undefined;
}

/** What the container of an SDK server asks for. Throws `ConfigError` for what is negative, or a request above its limit. */
export function sidecarResources(config: SidecarQuantities): ResourceRequirements {
  const pairs = [
    ["cpu", config.sidecarCpuRequest, config.sidecarCpuLimit],
    ["memory", config.sidecarMemoryRequest, config.sidecarMemoryLimit],
  ] as const;
  const problems = pairs.flatMap(([resource, request, limit]) => {
    const negative = [["request", request] as const, ["limit", limit] as const].flatMap(([which, value]) =>
      value && value.nano < 0n
        ? [`--sidecar-${resource}-${which} must not be negative, found ${quantityToString(value)}`]
        : [],
    );
    const above =
      request && limit && limit.nano !== 0n && compareQuantities(request, limit) > 0
        ? [
            `--sidecar-${resource}-request must not be above --sidecar-${resource}-limit, found ${quantityToString(request)} and ${quantityToString(limit)}`,
          ]
        : [];
    return [...negative, ...above];
  });
  if (problems.length > 0) throw new ConfigError(problems);
  const list = (which: 1 | 2) =>
    Object.fromEntries(
      pairs.flatMap((pair) => (pair[which] ? [[pair[0], quantityToString(pair[which])] as const] : [])),
    );
  return { requests: list(1), limits: list(2) };
}
