/** The rules a GameServer must keep that its schema cannot say. All faults are told at once, with field, rule and value. */
import type { Container } from "../core/pod.ts";
import { quantityFaults } from "../core/quantities.ts";
import { child, duplicate, type FieldError, forbidden, index, invalid, required } from "../meta/field.ts";
import type { JsonObject } from "../meta/json.ts";
import { isIpAddress } from "./address.ts";
import type { CloudProduct } from "./cloud-product/cloud-product.ts";
import { generic } from "./cloud-product/generic.ts";
import { DEV_ADDRESS_ANNOTATION } from "./constants.ts";
import { findContainer, podSpecOf, portContainerNames } from "./containers.ts";
import type { FeatureGates } from "./feature-gates.ts";
import type { GameServer, GameServerPort, GameServerSpec } from "./gameserver.ts";
import { needsHostPort } from "./port-policy.ts";
import { validateMetadata, validateName } from "./validate-metadata.ts";
import { validateResources } from "./validate-resources.ts";

/** At creation, after defaulting. A development server (a non-empty dev-address annotation) has rules of its own. */
export function validateGameServer(
  gameServer: GameServer,
  gates: FeatureGates,
  product: CloudProduct = generic,
): readonly FieldError[] {
  const { metadata, spec } = gameServer;
  const devAddress = metadata.annotations?.[DEV_ADDRESS_ANNOTATION];
  return [
    ...validateName(metadata),
    ...(devAddress
      ? [...validateGates(spec, gates, "spec"), ...validateDevelopment(spec, devAddress)]
      : validateGameServerSpec(spec, gates, "spec", product)),
  ];
}

/** A defaulted spec at `path`: `spec`, or `spec.template.spec` of a Fleet or GameServerSet. */
export function validateGameServerSpec(
  spec: GameServerSpec,
  gates: FeatureGates,
  path: string,
  product: CloudProduct = generic,
): readonly FieldError[] {
  const template = child(path, "template");
  const pod = podSpecOf(spec);
  const resources = (containers: readonly Container[] | undefined, name: string) =>
    (containers ?? []).flatMap(({ resources }, position) =>
      validateResources(resources, child(index(child(child(template, "spec"), name), position), "resources")),
    );
  return [
    ...validateGates(spec, gates, path),
    ...validateContainer(spec, path),
    ...validatePorts(spec, path),
    ...validateStaticPorts(spec, path),
    ...validateQuantities(spec, path),
    ...resources(pod.initContainers, "initContainers"),
    ...resources(pod.containers, "containers"),
    ...product.validateGameServerSpec(spec, gates, path),
    ...validateMetadata(spec.template?.metadata, child(template, "metadata")),
  ];
}

function validateGates(spec: GameServerSpec, gates: FeatureGates, path: string): FieldError[] {
  const faults: FieldError[] = [];
  if (spec.players && !gates.PlayerTracking) {
    faults.push(forbidden(child(path, "players"), unless("PlayerTracking")));
  }
  for (const name of ["counters", "lists"] as const) {
    if (spec[name] && !gates.CountsAndLists) faults.push(forbidden(child(path, name), unless("CountsAndLists")));
  }
  for (const [position, { portPolicy }] of (spec.ports ?? []).entries()) {
    if (portPolicy === "None" && !gates.PortPolicyNone) {
      faults.push(forbidden(child(portPath(path, position), "portPolicy"), unless("PortPolicyNone", " to None")));
    }
  }
  return faults;
}

const unless = (gate: string, what = ""): string => `Value cannot be set${what} unless feature flag ${gate} is enabled`;

function validateDevelopment(spec: GameServerSpec, address: string): FieldError[] {
  const faults: FieldError[] = [];
  if (!isIpAddress(address)) {
    faults.push(invalid(`metadata.annotations.${DEV_ADDRESS_ANNOTATION}`, address, "must be a valid IP address"));
  }
  for (const [position, { hostPort, portPolicy }] of (spec.ports ?? []).entries()) {
    const path = portPath("spec", position);
    if (!hostPort) faults.push(required(child(path, "hostPort"), DEV_ADDRESS_ANNOTATION));
    if (portPolicy !== "Static") faults.push(required(child(path, "portPolicy"), "PortPolicy must be Static"));
  }
  return [
    ...faults,
    ...validateQuantities(spec, "spec"),
    ...validateMetadata(spec.template?.metadata, "spec.template.metadata"),
  ];
}

/** Also of what is not run: nobody could read it. */
const validateQuantities = ({ template }: GameServerSpec, path: string): readonly FieldError[] =>
  template ? quantityFaults(template as unknown as JsonObject, child(path, "template")) : [];

function validateContainer(spec: GameServerSpec, path: string): FieldError[] {
  const container = spec.container ?? "";
  const { containers } = podSpecOf(spec);
  const field = child(path, "container");
  const faults: FieldError[] = [];
  if (containers.length > 1 && !container) {
    faults.push(required(field, "Container is required when using multiple containers in the pod template"));
  }
  if (!findContainer(containers, container)) {
    faults.push(invalid(field, container, `Could not find a container named ${container}`));
  }
  return faults;
}

function validatePorts(spec: GameServerSpec, path: string): FieldError[] {
  if (!spec.ports?.length) return [];
  // Without a game container, nobody asks where the ports are.
  const places = spec.container ? portContainerNames(podSpecOf(spec)) : undefined;
  return spec.ports.flatMap((port, position) => validatePort(port, places, portPath(path, position)));
}

function validatePort(port: GameServerPort, places: ReadonlySet<string> | undefined, path: string): FieldError[] {
  const { portPolicy, container } = port;
  const containerPort = port.containerPort ?? 0;
  const faults: FieldError[] = [];
  if ((portPolicy === "Dynamic" || portPolicy === "Static") && containerPort <= 0) {
    const rule = "ContainerPort must be defined for Dynamic and Static PortPolicies";
    faults.push(required(child(path, "containerPort"), rule));
  }
  if (portPolicy === "Passthrough" && containerPort > 0) {
    const rule = "ContainerPort cannot be specified with Passthrough PortPolicy";
    faults.push(required(child(path, "containerPort"), rule));
  }
  if ((port.hostPort ?? 0) > 0 && needsHostPort(port)) {
    const rule = "HostPort cannot be specified with a Dynamic or Passthrough PortPolicy";
    faults.push(forbidden(child(path, "hostPort"), rule));
  }
  if (container && places && !places.has(container)) {
    const rule = "Container must be empty or the name of a container in the pod template";
    faults.push(invalid(child(path, "container"), container, rule));
  }
  return faults;
}

/** Two Static ports that ask for one number and protocol could never run: the Pod would be refused later, with less to go by. */
function validateStaticPorts({ ports }: GameServerSpec, path: string): FieldError[] {
  const taken = new Set<string>();
  return (ports ?? []).flatMap(({ portPolicy, hostPort, protocol }, position) => {
    if (portPolicy !== "Static" || !hostPort) return [];
    const asked = (protocol === "TCPUDP" ? ["TCP", "UDP"] : [protocol]).map((each) => `${each}/${hostPort}`);
    const conflict = asked.some((each) => taken.has(each));
    for (const each of asked) taken.add(each);
    return conflict ? [duplicate(child(portPath(path, position), "hostPort"), hostPort)] : [];
  });
}

const portPath = (path: string, position: number): string => index(child(path, "ports"), position);
