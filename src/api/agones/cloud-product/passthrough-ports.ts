/** Passthrough ports on Autopilot: the container's port becomes the host port, once Autopilot has chosen it. */
import type { Container, Pod } from "../../core/pod.ts";
import { isJsonObject } from "../../meta/json.ts";
import { PASSTHROUGH_ANNOTATION } from "../constants.ts";
import { portContainers } from "../containers.ts";
import { filled, mapped } from "../filled.ts";
import { CloudProductError } from "./cloud-product.ts";
import { AUTOPILOT_PASSTHROUGH, PORT_LABEL } from "./gke-autopilot.ts";

/**
 * A new Pod with the container ports of its Passthrough ports filled in; the same one when it is not marked for it.
 * Throws `CloudProductError` when its annotation cannot be read.
 */
export function fillPassthroughPorts(pod: Pod): Pod {
  const { labels, annotations } = pod.metadata;
  const annotation = annotations?.[PASSTHROUGH_ANNOTATION];
  if (labels?.[PORT_LABEL] !== AUTOPILOT_PASSTHROUGH || annotation === undefined) return pod;
  const assignment = positionsOf(annotation);
  const withPorts = new Set(portContainers(pod.spec));
  const fill = (container: Container): Container => {
    const positions = withPorts.has(container) ? assignment.get(container.name) : undefined;
    if (!positions || !container.ports) return container;
    const ports = mapped(container.ports, (port, position) =>
      port.hostPort !== undefined && positions.has(position) ? filled(port, { containerPort: port.hostPort }) : port,
    );
    return filled(container, { ports });
  };
  const { spec } = pod;
  const changed = filled(spec, {
    containers: mapped(spec.containers, fill),
    ...(spec.initContainers && { initContainers: mapped(spec.initContainers, fill) }),
  });
  return filled(pod, { spec: changed });
}

/** By container: the positions of its Passthrough ports. */
function positionsOf(annotation: string): ReadonlyMap<string, ReadonlySet<unknown>> {
  let cause: unknown;
  try {
    const parsed: unknown = JSON.parse(annotation);
    if (isJsonObject(parsed) && Object.values(parsed).every(Array.isArray)) {
      return new Map(Object.entries(parsed).map(([name, positions]) => [name, new Set(positions as unknown[])]));
    }
  } catch (error) {
    cause = error;
  }
  const text = `cannot read annotation ${PASSTHROUGH_ANNOTATION} (value ${JSON.stringify(annotation)})`;
  throw new CloudProductError(text, { cause });
}
