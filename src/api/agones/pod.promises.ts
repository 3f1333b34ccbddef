/** How the Pod of a GameServer called `duel.1` is made, step by step. */
import type { Container, PodSpec, PodTemplateSpec } from "../core/pod.ts";
import type { Members, PromiseRow } from "../meta/promise-row.ts";
import type { FeatureGates } from "./feature-gates.ts";
import { duel } from "./gameserver.fixture.ts";
import type { GameServerPort, GameServerSpec, GameServerStatus } from "./gameserver.ts";
import type { SidecarOptions } from "./sidecar.ts";

export interface PodPromise extends PromiseRow {
  readonly spec?: Partial<GameServerSpec>;
  readonly gates?: Partial<FeatureGates>;
  readonly sidecar?: Partial<SidecarOptions>;
  /** Of the Pod. */
  readonly shows: Members;
}

const pod = (more: Partial<PodSpec> = {}, metadata?: PodTemplateSpec["metadata"]): Partial<GameServerSpec> => ({
  template: { ...(metadata && { metadata }), spec: { containers: [duel], ...more } },
});
const game = (more: Partial<Container>): Partial<GameServerSpec> => pod({ containers: [{ ...duel, ...more }] });
const marked = (labels: Record<string, string>, annotations: Record<string, string>) =>
  pod({}, { labels, annotations });

const SAFE_LABEL = "agones.dev/safe-to-evict";
const SAFE_ANNOTATION = "cluster-autoscaler.kubernetes.io/safe-to-evict";
const role = { "agones.dev/role": "gameserver", "agones.dev/gameserver": "duel.1" };
const notes = { "agones.dev/container": "duel", "agones.dev/sdk-version": "1.2.3" };
const never = { [SAFE_LABEL]: "false" };
const noted = { ...notes, [SAFE_ANNOTATION]: "false" };
const owner = {
  apiVersion: "agones.dev/v1",
  kind: "GameServer",
  name: "duel.1",
  uid: "u-1",
  controller: true,
  blockOwnerDeletion: true,
};
const other = { apiVersion: "v1", kind: "Other", name: "o", uid: "o" };

const metadata: readonly PodPromise[] = [
  { section: "5.1", name: "a host name with hyphens for dots", shows: { "spec.hostname": "duel-1" } },
  { section: "5.1", name: "a host name of its own", spec: pod({ hostname: "own" }), shows: { "spec.hostname": "own" } },
  {
    section: "5.2",
    name: "name and namespace of the server, and no identity of the template's",
    spec: pod({}, { name: "x", generateName: "x-", uid: "x", resourceVersion: "1", namespace: "x" }),
    shows: {
      "metadata.name": "duel.1",
      "metadata.namespace": "games",
      "metadata.generateName": undefined,
      "metadata.uid": undefined,
      "metadata.resourceVersion": undefined,
    },
  },
  {
    section: "5.2",
    name: "other metadata of the template",
    spec: pod({}, { finalizers: ["a/b"] }),
    shows: { "metadata.finalizers": ["a/b"] },
  },
  {
    section: "5.3",
    name: "labels beside the template's",
    spec: marked({ app: "duel", "agones.dev/role": "mine" }, {}),
    shows: { "metadata.labels": { app: "duel", ...role, ...never } },
  },
  {
    section: "5.4",
    name: "annotations beside the template's",
    spec: marked({}, { team: "duel", "agones.dev/sdk-version": "0" }),
    shows: { "metadata.annotations": { team: "duel", ...noted } },
  },
  { section: "5.5", name: "the server for an owner", shows: { "metadata.ownerReferences": [owner] } },
  {
    section: "5.5",
    name: "the server for a second owner",
    spec: pod({}, { ownerReferences: [other] }),
    shows: { "metadata.ownerReferences": [other, owner] },
  },
];

const three = {
  spec: {
    containers: [{ ...duel, ports: [{ name: "own", containerPort: 1 }] }, { name: "tail" }],
    initContainers: [{ name: "query", restartPolicy: "Always" as const }],
  },
};
const placed = (...ports: readonly GameServerPort[]): Partial<GameServerSpec> => ({
  container: "duel",
  template: three,
  ports,
});
const passthrough = (hostPort: number, container?: string): GameServerPort => ({
  portPolicy: "Passthrough",
  containerPort: hostPort,
  hostPort,
  container,
});
const ASSIGNMENT = "agones.dev/container-passthrough-port-assignment";

const ports: readonly PodPromise[] = [
  {
    section: "5.6",
    name: "a port goes after those of its container, without its name",
    spec: placed({ name: "play", portPolicy: "Dynamic", containerPort: 7654, hostPort: 7001 }),
    shows: {
      "spec.containers.0.ports": [
        { name: "own", containerPort: 1 },
        { containerPort: 7654, hostPort: 7001, protocol: "UDP" },
      ],
      "spec.containers.1.ports": undefined,
    },
  },
  {
    section: "5.6",
    name: "a port of another container, and of a sidecar",
    spec: placed(
      { portPolicy: "Static", containerPort: 7900, hostPort: 7900, protocol: "TCP", container: "tail" },
      { portPolicy: "Dynamic", containerPort: 9000, hostPort: 7002, container: "query" },
    ),
    shows: {
      "spec.containers.1.ports": [{ containerPort: 7900, hostPort: 7900, protocol: "TCP" }],
      "spec.initContainers.1.ports": [{ containerPort: 9000, hostPort: 7002, protocol: "UDP" }],
    },
  },
  {
    section: "5.6",
    name: "a port of the policy None has no host port",
    spec: placed({ portPolicy: "None", containerPort: 7800, hostPort: 9, container: "tail" }),
    shows: { "spec.containers.1.ports": [{ containerPort: 7800, protocol: "UDP" }] },
  },
  {
    section: "5.6",
    name: "a Static port without a host port has none",
    spec: placed({ portPolicy: "Static", containerPort: 7900, container: "tail" }),
    shows: { "spec.containers.1.ports": [{ containerPort: 7900, protocol: "UDP" }] },
  },
  {
    section: "5.7",
    name: "Passthrough ports are told by their positions, those of the template counted",
    spec: placed(
      { portPolicy: "Dynamic", containerPort: 7654, hostPort: 7001 },
      passthrough(7002),
      passthrough(7003, "query"),
    ),
    shows: { "metadata.annotations": { ...noted, [ASSIGNMENT]: '{"duel":[2],"query":[0]}' } },
  },
  {
    section: "5.7",
    name: "without Passthrough ports there is no word on them",
    spec: placed({ portPolicy: "Dynamic", containerPort: 7654, hostPort: 7001 }),
    shows: { "metadata.annotations": noted },
  },
];

const preferred = {
  weight: 100,
  podAffinityTerm: {
    topologyKey: "kubernetes.io/hostname",
    labelSelector: { matchLabels: { "agones.dev/role": "gameserver" } },
  },
};
const own = { weight: 1, podAffinityTerm: { topologyKey: "zone" } };
const PREFERRED = "spec.affinity.podAffinity.preferredDuringSchedulingIgnoredDuringExecution";
const off = { SidecarContainers: false };

const placing: readonly PodPromise[] = [
  {
    section: "5.8",
    name: "the SDK server is the first init container, and the Pod is not restarted",
    spec: pod({ initContainers: [{ name: "init" }] }),
    shows: {
      "spec.initContainers.0.name": "agones-gameserver-sidecar",
      "spec.initContainers.0.restartPolicy": "Always",
      "spec.initContainers.1.name": "init",
      "spec.restartPolicy": "Never",
      "spec.containers.length": 1,
    },
  },
  {
    section: "5.8",
    name: "a restart policy of the template's stays",
    spec: pod({ restartPolicy: "OnFailure" }),
    shows: { "spec.restartPolicy": "OnFailure" },
  },
  {
    section: "5.8",
    name: "without the gate the SDK server is the first container, and restarts are left alone",
    gates: off,
    shows: {
      "spec.containers.0.name": "agones-gameserver-sidecar",
      "spec.containers.0.restartPolicy": undefined,
      "spec.containers.1.name": "duel",
      "spec.initContainers": undefined,
      "spec.restartPolicy": undefined,
    },
  },
  { section: "5.9", name: "Packed looks for game servers", shows: { [PREFERRED]: [preferred] } },
  {
    section: "5.9",
    name: "Packed comes after what the template prefers, and leaves the rest",
    spec: pod({
      affinity: { nodeAffinity: { a: 1 }, podAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [own] } },
    }),
    shows: { [PREFERRED]: [own, preferred], "spec.affinity.nodeAffinity": { a: 1 } },
  },
  {
    section: "5.9",
    name: "Distributed prefers nothing",
    spec: { scheduling: "Distributed" },
    shows: { "spec.affinity": undefined },
  },
  {
    section: "5.10",
    name: "without a product there are no marks",
    shows: { "spec.securityContext": undefined, "metadata.annotations": noted },
  },
];

const eviction = (safe: "Always" | "OnUpgrade" | "Never", annotation: string, label: string): PodPromise => ({
  section: "5.11",
  name: `eviction ${safe}`,
  spec: { eviction: { safe } },
  shows: {
    "metadata.annotations": { ...notes, [SAFE_ANNOTATION]: annotation },
    "metadata.labels": { ...role, [SAFE_LABEL]: label },
  },
});

const hidden = [{ name: "empty", mountPath: "/var/run/secrets/kubernetes.io/serviceaccount", readOnly: true }];
const health = { httpGet: { path: "/gshealthz", port: 8080 } };
const told = (grpc: string, http: string) => [
  { name: "AGONES_SDK_GRPC_PORT", value: grpc },
  { name: "AGONES_SDK_HTTP_PORT", value: http },
];

const contents: readonly PodPromise[] = [
  eviction("Always", "true", "true"),
  eviction("OnUpgrade", "false", "true"),
  eviction("Never", "false", "false"),
  {
    section: "5.11",
    name: "marks of eviction that the template has stay",
    spec: marked({ [SAFE_LABEL]: "mine" }, { [SAFE_ANNOTATION]: "maybe" }),
    shows: {
      "metadata.annotations": { ...notes, [SAFE_ANNOTATION]: "maybe" },
      "metadata.labels": { ...role, [SAFE_LABEL]: "mine" },
    },
  },
  {
    section: "5.12",
    name: "the SDK server's account, hidden from the game's container alone",
    spec: { container: "duel", template: { spec: { containers: [duel, { name: "tail" }] } } },
    shows: {
      "spec.serviceAccountName": "agones-sdk",
      "spec.volumes": [{ name: "empty", emptyDir: {} }],
      "spec.containers.0.volumeMounts": hidden,
      "spec.containers.1.volumeMounts": undefined,
    },
  },
  {
    section: "5.12",
    name: "an account of the template's own, with its token",
    spec: pod({ serviceAccountName: "own" }),
    shows: {
      "spec.serviceAccountName": "own",
      "spec.volumes": undefined,
      "spec.containers.0.volumeMounts": undefined,
    },
  },
  {
    section: "5.13",
    name: "the game's container is probed as its health says",
    spec: { health: { initialDelaySeconds: 12, periodSeconds: 4, failureThreshold: 2 } },
    shows: {
      "spec.containers.0.livenessProbe": { ...health, initialDelaySeconds: 12, periodSeconds: 4, failureThreshold: 2 },
    },
  },
  {
    section: "5.13",
    name: "no probe while health is disabled",
    spec: { health: { disabled: true } },
    shows: { "spec.containers.0.livenessProbe": undefined },
  },
  {
    section: "5.13",
    name: "a probe of its own stays",
    spec: game({ livenessProbe: { exec: { command: ["true"] } } }),
    shows: { "spec.containers.0.livenessProbe": { exec: { command: ["true"] } } },
  },
  {
    section: "5.14",
    name: "ports of the SDK server, in place of what the template says",
    spec: {
      ...game({
        env: [
          { name: "AGONES_SDK_GRPC_PORT", value: "1" },
          { name: "MODE", value: "ranked" },
        ],
      }),
      sdkServer: { grpcPort: 9457, httpPort: 9458 },
    },
    shows: { "spec.containers.0.env": [{ name: "MODE", value: "ranked" }, ...told("9457", "9458")] },
  },
  {
    section: "5.14",
    name: "init containers are told too, the SDK server not",
    spec: pod({ initContainers: [{ name: "init" }] }),
    shows: { "spec.initContainers.1.env": told("9357", "9358"), "spec.initContainers.0.env.length": 5 },
  },
  { section: "11.3", name: "variables of a game container", shows: { "spec.containers.0.env": told("9357", "9358") } },
  {
    section: "5",
    name: "what no step is about stays as the template has it",
    spec: pod({ terminationGracePeriodSeconds: 90, tolerations: [{ key: "pool" }], nodeSelector: { a: "b" } }),
    shows: {
      "spec.terminationGracePeriodSeconds": 90,
      "spec.tolerations": [{ key: "pool" }],
      "spec.nodeSelector": { a: "b" },
    },
  },
];

export const pods: readonly PodPromise[] = [...metadata, ...ports, ...placing, ...contents];

interface NoPodPromise extends PromiseRow {
  readonly spec?: Partial<GameServerSpec>;
  readonly status?: GameServerStatus;
  readonly code: string;
}

/** Named by the message that the server's event has. */
export const failures: readonly NoPodPromise[] = [
  {
    section: "5.6",
    name: "failed to find container named nope in pod spec",
    spec: { ports: [{ container: "nope" }] },
    code: "UnknownContainer",
  },
  {
    section: "5",
    name: "No eviction value set. Should be the default value",
    status: { eviction: undefined },
    code: "NoEviction",
  },
  {
    section: "5",
    name: 'unknown eviction.safe value "Maybe"',
    status: { eviction: { safe: "Maybe" as "Never" } },
    code: "UnknownEviction",
  },
  {
    section: "5",
    name: "Could not find a container named other",
    spec: { template: { spec: { containers: [duel, { name: "tail" }] } }, container: "other" },
    code: "NoGameContainer",
  },
];
