/** What a container may learn about its own pod through its environment (`valueFrom.fieldRef` and `resourceFieldRef`). */
import type { Container, EnvVarSource, Pod, ResourceList } from "#api/core/pod.ts";
import { parseQuantity } from "#api/meta/quantity.ts";
import type { PodAddresses } from "./pod-status.ts";

/** The node as its containers see it. */
export interface NodeFacts extends PodAddresses {
  readonly nodeName: string;
  /** Stands in for a limit that a container does not set. */
  readonly allocatable: ResourceList;
}

/** A container cannot be made from what its pod asks for: reported as `CreateContainerConfigError`, and tried again. */
export class ContainerConfigError extends Error {
  override readonly name = "ContainerConfigError";
  readonly code = "ContainerConfigInvalid";
}

/** Throws `ContainerConfigError` for a path that no container may read. A label or annotation that is not set is empty. */
export function fieldValue({ metadata, spec }: Pod, path: string, node: NodeFacts): string {
  const subscript = /^metadata\.(labels|annotations)\['(.+)'\]$/.exec(path);
  if (subscript) return metadata[subscript[1] as "labels" | "annotations"]?.[subscript[2] as string] ?? "";
  switch (path) {
    case "metadata.name":
      return metadata.name ?? "";
    case "metadata.namespace":
      return metadata.namespace ?? "";
    case "metadata.uid":
      return metadata.uid ?? "";
    case "spec.nodeName":
      return node.nodeName;
    case "spec.serviceAccountName":
      return spec.serviceAccountName ?? "";
    case "status.hostIP":
    case "status.hostIPs":
      return node.hostIP;
    case "status.podIP":
      return node.podIPs[0] ?? "";
    case "status.podIPs":
      return node.podIPs.join(",");
    default:
      throw new ContainerConfigError(`unsupported fieldPath: ${path}`);
  }
}

/** In units of the divisor, rounded up. Throws `ContainerConfigError` for a container or resource that is not there. */
export function resourceValue(
  pod: Pod,
  own: Container,
  reference: NonNullable<EnvVarSource["resourceFieldRef"]>,
  node: NodeFacts,
): string {
  const { containerName, resource, divisor } = reference;
  const all = [...pod.spec.containers, ...(pod.spec.initContainers ?? [])];
  const container = containerName ? all.find(({ name }) => name === containerName) : own;
  if (!container) throw new ContainerConfigError(`container ${containerName} not found`);
  const [, kind, name] = /^(limits|requests)\.(.+)$/.exec(resource) ?? [];
  if (!kind || !name) throw new ContainerConfigError(`unsupported container resource: ${resource}`);
  const { limits, requests } = container.resources ?? {};
  const text = kind === "limits" ? (limits?.[name] ?? node.allocatable[name]) : (requests?.[name] ?? limits?.[name]);
  return inUnitsOf(divisor, text ?? "0", resource);
}

function inUnitsOf(divisor: string | undefined, text: string, resource: string): string {
  try {
    const step = parseQuantity(divisor && divisor !== "0" ? divisor : "1").nano;
    return String((parseQuantity(text).nano + step - 1n) / step);
  } catch (cause) {
    throw new ContainerConfigError(`cannot divide ${resource} (${text}) by ${divisor ?? "1"}`, { cause });
  }
}
