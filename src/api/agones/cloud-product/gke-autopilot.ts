/** GKE Autopilot: it finds host ports itself, and packs nodes as it sees fit. */
import type { Pod, PodSpec } from "../../core/pod.ts";
import { child, type FieldError, index, invalid } from "../../meta/field.ts";
import { isJsonObject, type JsonObject } from "../../meta/json.ts";
import type { ObjectMeta } from "../../meta/object.ts";
import { SAFE_TO_EVICT_ANNOTATION, SAFE_TO_EVICT_LABEL } from "../constants.ts";
import type { FeatureGates } from "../feature-gates.ts";
import { filled, mapped } from "../filled.ts";
import type { Eviction, GameServer, GameServerPort, GameServerSpec } from "../gameserver.ts";
import { PodBuildError } from "../pod-build-error.ts";
import { needsHostPort } from "../port-policy.ts";
import { type CloudProduct, CloudProductError, type HostPortRange } from "./cloud-product.ts";
import { generic } from "./generic.ts";

/** Marks Pods whose Passthrough ports admission completes once Autopilot has given them host ports. */
export const PORT_LABEL = "agones.dev/port";
export const AUTOPILOT_PASSTHROUGH = "autopilot-passthrough";
/** Asks Autopilot for host ports, and carries its answer. */
export const HOST_PORT_ANNOTATION = "autopilot.gke.io/host-port-assignment";
/** The container that gets the resources which Autopilot adds. */
const PRIMARY_CONTAINER_ANNOTATION = "autopilot.gke.io/primary-container";

export const gkeAutopilot: CloudProduct = {
  name: "gke-autopilot",
  validateGameServerSpec,
  validateScheduling,
  mutatePod,
  markEviction,
  placeholderPorts,
  portsFromPod,
  waitsForFreePorts: true,
};

function validateGameServerSpec(spec: GameServerSpec, gates: FeatureGates, path: string): readonly FieldError[] {
  const { safe } = spec.eviction ?? {};
  return [
    ...validateScheduling(spec.scheduling, child(path, "scheduling")),
    ...(spec.ports ?? []).flatMap((port, position) => validatePort(port, gates, index(child(path, "ports"), position))),
    ...(safe === "OnUpgrade" && !gates.GKEAutopilotExtendedDurationPods
      ? [invalid(child(path, "eviction.safe"), safe, "eviction.safe OnUpgrade not supported on GKE Autopilot")]
      : []),
  ];
}

function validatePort({ portPolicy, range }: GameServerPort, gates: FeatureGates, path: string): FieldError[] {
  const policy = child(path, "portPolicy");
  const faults: FieldError[] = [];
  if (portPolicy === "None") {
    if (gates.PortPolicyNone) return [];
    faults.push(invalid(policy, portPolicy, "PortPolicy 'None' is not enabled"));
  } else if (portPolicy !== "Dynamic" && portPolicy !== "Passthrough") {
    const rule = "portPolicy must be Dynamic, Passthrough, or None on GKE Autopilot";
    faults.push(invalid(policy, portPolicy ?? "", rule));
  }
  if (range !== "default") {
    faults.push(invalid(child(path, "range"), range ?? "", "range must not be used on GKE Autopilot"));
  }
  return faults;
}

/** An empty value fails too. */
function validateScheduling(scheduling: string | null | undefined, path: string): readonly FieldError[] {
  const rule = "scheduling strategy must be Packed on GKE Autopilot";
  return scheduling === "Packed" ? [] : [invalid(path, scheduling ?? "", rule)];
}

function mutatePod(pod: Pod, { spec }: GameServer): Pod {
  const { labels, annotations } = pod.metadata;
  const passthrough = spec.ports?.some(({ portPolicy }) => portPolicy === "Passthrough");
  return {
    ...pod,
    metadata: {
      ...pod.metadata,
      ...(passthrough && { labels: { ...labels, [PORT_LABEL]: AUTOPILOT_PASSTHROUGH } }),
      annotations: { [PRIMARY_CONTAINER_ANNOTATION]: spec.container ?? "", ...annotations },
    },
    spec: unconfined(pod.spec),
  };
}

/** Filters of system calls cost game servers much time; the template may ask for one all the same. */
function unconfined(pod: PodSpec): PodSpec {
  const { securityContext } = pod;
  if (securityContext?.seccompProfile) return pod;
  return { ...pod, securityContext: { ...securityContext, seccompProfile: { type: "Unconfined" } } };
}

/** Without Pods of extended duration Autopilot refuses the annotation `false`, and only the disruption budget can hold a Pod. */
function markEviction(metadata: ObjectMeta, eviction: Eviction | null | undefined, gates: FeatureGates): ObjectMeta {
  if (gates.GKEAutopilotExtendedDurationPods) return generic.markEviction(metadata, eviction, gates);
  const { [SAFE_TO_EVICT_ANNOTATION]: safe, ...others } = metadata.annotations ?? {};
  return {
    ...metadata,
    labels: { [SAFE_TO_EVICT_LABEL]: evictionLabel(eviction), ...metadata.labels },
    annotations: safe === undefined || safe === "false" ? others : metadata.annotations,
  };
}

function evictionLabel(eviction: Eviction | null | undefined): string {
  if (!eviction) throw new PodBuildError("NoEviction", "No eviction value set. Should be the default value");
  if (eviction.safe === "Always") return "true";
  if (eviction.safe === "Never") return "false";
  throw new PodBuildError("UnknownEviction", `unknown eviction.safe value ${JSON.stringify(eviction.safe ?? "")}`);
}

/**
 * Numbers the ports from 1 and asks Autopilot for real ones by an annotation of the pod template; a TCPUDP port becomes two
 * neighbours of one number. A server with any port that Autopilot could not serve is left alone.
 */
function placeholderPorts(gameServer: GameServer, { min, max }: HostPortRange): GameServer {
  const { spec } = gameServer;
  const ports = spec.ports ?? [];
  if (ports.length === 0 || !ports.every(needsHostPort)) return gameServer;
  const { template } = spec;
  const annotations = { ...template.metadata?.annotations, [HOST_PORT_ANNOTATION]: JSON.stringify({ min, max }) };
  return {
    ...gameServer,
    spec: {
      ...spec,
      ports: ports.flatMap((port, position) => splitProtocols({ ...port, hostPort: position + 1 })),
      template: { ...template, metadata: { ...template.metadata, annotations } },
    },
  };
}

function splitProtocols(port: GameServerPort): readonly GameServerPort[] {
  if (port.protocol !== "TCPUDP") return [port];
  return (["TCP", "UDP"] as const).map((protocol) => ({
    ...port,
    name: `${port.name ?? ""}-${protocol.toLowerCase()}`,
    protocol,
  }));
}

/** Placeholders give way to the ports that Autopilot assigned; once only, before the status has its ports. */
function portsFromPod(gameServer: GameServer, pod: Pod): GameServer {
  const { spec, status } = gameServer;
  const answer = pod.metadata.annotations?.[HOST_PORT_ANNOTATION];
  if (answer === undefined || !spec.ports || status?.ports?.length === spec.ports.length) return gameServer;
  const assigned = portsAssigned(answer);
  const ports = mapped(spec.ports, (port) => {
    const hostPort = assigned[String(port.hostPort)];
    return typeof hostPort === "number" ? { ...port, hostPort } : port;
  });
  return filled(gameServer, { spec: filled(spec, { ports }) });
}

function portsAssigned(answer: string): JsonObject {
  try {
    const parsed: unknown = JSON.parse(answer);
    const assigned = isJsonObject(parsed) ? (parsed.portsAssigned ?? {}) : undefined;
    if (isJsonObject(assigned)) return assigned;
  } catch (cause) {
    throw unreadable(answer, cause);
  }
  throw unreadable(answer);
}

const unreadable = (answer: string, cause?: unknown): CloudProductError =>
  new CloudProductError(
    `cannot read annotation ${HOST_PORT_ANNOTATION} (value ${JSON.stringify(answer)})`,
    cause === undefined ? undefined : { cause },
  );
