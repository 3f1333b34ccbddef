/** The Pod of a GameServer: its template with ports, SDK server, probes and marks added, in the order the contract gives. */
import type { Container, ContainerPort, Pod, PodSpec, Protocol } from "../core/pod.ts";
import type { ObjectMeta } from "../meta/object.ts";
import type { CloudProduct } from "./cloud-product/cloud-product.ts";
import { generic } from "./cloud-product/generic.ts";
import {
  CONTAINER_ANNOTATION,
  GAMESERVER_LABEL,
  GRPC_PORT_ENV,
  HTTP_PORT_ENV,
  PASSTHROUGH_ANNOTATION,
  ROLE_GAMESERVER,
  ROLE_LABEL,
  SDK_VERSION_ANNOTATION,
  SIDECAR_NAME,
} from "./constants.ts";
import { findContainer, podSpecOf, portContainers } from "./containers.ts";
import { controllerReference } from "./controller-reference.ts";
import type { FeatureGates } from "./feature-gates.ts";
import type { GameServer, GameServerPort } from "./gameserver.ts";
import { PodBuildError } from "./pod-build-error.ts";
import { mappedPort } from "./port-policy.ts";
import { buildSidecar, SIDECAR_HEALTH_PORT, type SidecarOptions } from "./sidecar.ts";

export interface PodOptions {
  readonly gates: FeatureGates;
  /** Stadion's version. */
  readonly version: string;
  readonly sidecar: SidecarOptions;
  /** For Pods whose template names none; the game container then sees no token. Default `agones-sdk`. */
  readonly serviceAccount?: string;
  /** Default `generic`. */
  readonly product?: CloudProduct;
}

/**
 * Builds the Pod of a defaulted GameServer whose ports are allocated (and Static TCPUDP ports expanded).
 * Throws `PodBuildError`.
 */
export function buildPod(gameServer: GameServer, options: PodOptions): Pod {
  const { spec, status } = gameServer;
  const { product = generic } = options;
  const withPorts = addPorts(podSpecOf(spec), spec.ports ?? []);
  const steps: readonly ((pod: PodSpec) => PodSpec)[] = [
    (pod) => addSidecar(pod, buildSidecar(gameServer, options.gates, options.sidecar), options.gates),
    (pod) => (spec.scheduling === "Packed" ? attractToGameServers(pod) : pod),
    (pod) => maskServiceAccount(pod, gameServer, options.serviceAccount ?? "agones-sdk"),
    (pod) => addLivenessProbe(pod, gameServer),
    (pod) => addSdkPorts(pod, gameServer),
  ];
  const built: Pod = {
    apiVersion: "v1",
    kind: "Pod",
    metadata: podMetadata(gameServer, withPorts.passthrough, options.version),
    spec: steps.reduce<PodSpec>((pod, step) => step(pod), {
      ...withPorts.pod,
      hostname: withPorts.pod.hostname || (gameServer.metadata.name ?? "").replaceAll(".", "-"),
    }),
  };
  const pod = product.mutatePod(built, gameServer);
  return { ...pod, metadata: product.markEviction(pod.metadata, status?.eviction, options.gates) };
}

/** Container names with the positions of their Passthrough ports. */
type Passthrough = ReadonlyMap<string, readonly number[]>;

function podMetadata(gameServer: GameServer, passthrough: Passthrough, version: string): ObjectMeta {
  const { generateName: _, resourceVersion: __, uid: ___, ...template } = gameServer.spec.template.metadata ?? {};
  const { name = "", namespace } = gameServer.metadata;
  return {
    ...template,
    name,
    namespace,
    labels: {
      ...template.labels,
      [ROLE_LABEL]: ROLE_GAMESERVER,
      [GAMESERVER_LABEL]: name,
    },
    annotations: {
      ...template.annotations,
      [CONTAINER_ANNOTATION]: gameServer.spec.container ?? "",
      [SDK_VERSION_ANNOTATION]: version,
      ...(passthrough.size > 0 && { [PASSTHROUGH_ANNOTATION]: JSON.stringify(sorted(passthrough)) }),
    },
    ownerReferences: [...(template.ownerReferences ?? []), controllerReference(gameServer)],
  };
}

const sorted = (passthrough: Passthrough): Record<string, readonly number[]> =>
  Object.fromEntries([...passthrough].sort(([a], [b]) => (a < b ? -1 : 1)));

/** Appends the game's ports, unnamed, to their containers: of one name the first regular one, else the first sidecar. */
function addPorts(pod: PodSpec, ports: readonly GameServerPort[]) {
  const homes = new Map(
    portContainers(pod)
      .toReversed()
      .map((container) => [container.name, container]),
  );
  const added = new Map<Container, ContainerPort[]>();
  const passthrough = new Map<string, number[]>();
  for (const port of ports) {
    const name = port.container ?? "";
    const home = homes.get(name);
    if (!home) throw new PodBuildError("UnknownContainer", `failed to find container named ${name} in pod spec`);
    const own = added.get(home) ?? [...(home.ports ?? [])];
    added.set(home, own);
    if (port.portPolicy === "Passthrough") {
      const positions = passthrough.get(name) ?? [];
      positions.push(own.length);
      passthrough.set(name, positions);
    }
    own.push({
      containerPort: port.containerPort ?? 0,
      ...(mappedPort(port) && { hostPort: mappedPort(port) }),
      ...(port.protocol && { protocol: port.protocol as Protocol }),
    });
  }
  const place = (container: Container): Container => {
    const own = added.get(container);
    return own ? { ...container, ports: own } : container;
  };
  const changed: PodSpec = {
    ...pod,
    containers: pod.containers.map(place),
    ...(pod.initContainers && { initContainers: pod.initContainers.map(place) }),
  };
  return { pod: changed, passthrough };
}

function addSidecar(pod: PodSpec, sidecar: Container, { SidecarContainers }: FeatureGates): PodSpec {
  if (!SidecarContainers) return { ...pod, containers: [sidecar, ...pod.containers] };
  return {
    ...pod,
    initContainers: [sidecar, ...(pod.initContainers ?? [])],
    restartPolicy: pod.restartPolicy || "Never",
  };
}

/** Packed: prefers nodes that already run game servers. */
function attractToGameServers(pod: PodSpec): PodSpec {
  const podAffinity = pod.affinity?.podAffinity;
  const preferred = podAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
  const term = {
    weight: 100,
    podAffinityTerm: {
      topologyKey: "kubernetes.io/hostname",
      labelSelector: { matchLabels: { [ROLE_LABEL]: ROLE_GAMESERVER } },
    },
  };
  return {
    ...pod,
    affinity: {
      ...pod.affinity,
      podAffinity: { ...podAffinity, preferredDuringSchedulingIgnoredDuringExecution: [...preferred, term] },
    },
  };
}

/** The SDK server needs a token and the game does not: an empty folder hides it, unless the template chose an account itself. */
function maskServiceAccount(pod: PodSpec, gameServer: GameServer, serviceAccountName: string): PodSpec {
  if (pod.serviceAccountName) return pod;
  const mount = { name: "empty", mountPath: "/var/run/secrets/kubernetes.io/serviceaccount", readOnly: true };
  const masked = changeGameContainer(pod, gameServer, (container) => ({
    ...container,
    volumeMounts: [...(container.volumeMounts ?? []), mount],
  }));
  return { ...masked, serviceAccountName, volumes: [...(pod.volumes ?? []), { name: "empty", emptyDir: {} }] };
}

function addLivenessProbe(pod: PodSpec, gameServer: GameServer): PodSpec {
  const { disabled, initialDelaySeconds, periodSeconds, failureThreshold } = gameServer.spec.health ?? {};
  if (disabled) return pod;
  const httpGet = { path: "/gshealthz", port: SIDECAR_HEALTH_PORT };
  const livenessProbe = { httpGet, initialDelaySeconds, periodSeconds, failureThreshold };
  return changeGameContainer(pod, gameServer, (container) =>
    container.livenessProbe ? container : { ...container, livenessProbe },
  );
}

function changeGameContainer(pod: PodSpec, { spec }: GameServer, change: (container: Container) => Container): PodSpec {
  const name = spec.container ?? "";
  const found = findContainer(pod.containers, name);
  if (!found) throw new PodBuildError("NoGameContainer", `Could not find a container named ${name}`);
  return { ...pod, containers: pod.containers.map((each) => (each === found ? change(each) : each)) };
}

/** Tells every container where the SDK server listens; entries of the template by these names are replaced. */
function addSdkPorts(pod: PodSpec, { spec }: GameServer): PodSpec {
  const env = [
    { name: GRPC_PORT_ENV, port: spec.sdkServer?.grpcPort },
    { name: HTTP_PORT_ENV, port: spec.sdkServer?.httpPort },
  ].flatMap(({ name, port }) => (port ? [{ name, value: String(port) }] : []));
  if (env.length === 0) return pod;
  const add = (container: Container): Container =>
    container.name === SIDECAR_NAME
      ? container
      : {
          ...container,
          env: [
            ...(container.env ?? []).filter(({ name }) => name !== GRPC_PORT_ENV && name !== HTTP_PORT_ENV),
            ...env,
          ],
        };
  return {
    ...pod,
    containers: pod.containers.map(add),
    ...(pod.initContainers && { initContainers: pod.initContainers.map(add) }),
  };
}
