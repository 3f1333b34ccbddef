/** Any GameServer with any Pod and any node, however unlikely. */
import fc from "fast-check";
import { generic } from "#api/agones/cloud-product/generic.ts";
import { gkeAutopilot, HOST_PORT_ANNOTATION } from "#api/agones/cloud-product/gke-autopilot.ts";
import { READY_CONTAINER_ID_ANNOTATION } from "#api/agones/constants.ts";
import { GAMESERVER_STATES, type GameServer } from "#api/agones/gameserver.ts";
import type { Node } from "#api/core/node.ts";
import type { ContainerState, Pod } from "#api/core/pod.ts";
import type { PodRules } from "./decide-step.ts";

const optional = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
const ip = fc.constantFrom("10.0.0.1", "10.0.0.2");
const containerId = fc.constantFrom("c1", "c2");
const deletion = fc.constantFrom(undefined, undefined, undefined, "2030-01-01T00:00:00Z");

export const rules: fc.Arbitrary<PodRules> = fc.record({
  gates: fc.record({ SidecarContainers: fc.boolean() }),
  product: fc.constantFrom(generic, gkeAutopilot),
});

const container: fc.Arbitrary<ContainerState> = fc.oneof(
  fc.constant({ running: {} }),
  fc.constant({ waiting: {} }),
  fc.record({ terminated: fc.record({ exitCode: fc.constantFrom(0, 1) }) }),
);

const pods: fc.Arbitrary<Pod> = fc
  .record({
    owner: fc.constantFrom("uid-s", "uid-s", "uid-s", "older"),
    mark: optional(containerId),
    answer: fc.constantFrom(undefined, "{", '{"portsAssigned":{"1":7001}}', '{"portsAssigned":[]}'),
    deletionTimestamp: deletion,
    nodeName: fc.constantFrom(undefined, "n1", "n1", "n2"),
    restartPolicy: fc.constantFrom(undefined, "Always" as const, "OnFailure" as const, "Never" as const),
    phase: fc.constantFrom(undefined, "Pending" as const, "Running" as const, "Succeeded" as const, "Failed" as const),
    reason: fc.constantFrom(undefined, undefined, "Evicted"),
    ips: fc.constantFrom(undefined, [], [{ ip: "10.8.0.1" }]),
    unschedulable: fc.constantFrom(undefined, "Insufficient cpu", "node(s) didn't have free ports"),
    game: optional(fc.record({ state: container, lastState: optional(container), containerID: optional(containerId) })),
  })
  .map(
    ({ owner, mark, answer, deletionTimestamp, nodeName, restartPolicy, phase, reason, ips, unschedulable, game }) => ({
      apiVersion: "v1",
      kind: "Pod",
      metadata: {
        name: "s",
        namespace: "default",
        uid: `pod-of-${owner}`,
        labels: { "agones.dev/role": "gameserver" },
        annotations: {
          "agones.dev/container": "game",
          ...(mark && { [READY_CONTAINER_ID_ANNOTATION]: mark }),
          ...(answer && { [HOST_PORT_ANNOTATION]: answer }),
        },
        ownerReferences: [{ apiVersion: "agones.dev/v1", kind: "GameServer", name: "s", uid: owner, controller: true }],
        deletionTimestamp,
      },
      spec: { containers: [], nodeName, restartPolicy },
      status: {
        phase,
        reason,
        podIPs: ips,
        ...(unschedulable && {
          conditions: [{ type: "PodScheduled", status: "False", reason: "Unschedulable", message: unschedulable }],
        }),
        ...(game && {
          containerStatuses: [{ name: "game", image: "", imageID: "", ready: true, restartCount: 0, ...game }],
        }),
      },
    }),
  );

const servers: fc.Arbitrary<GameServer> = fc
  .record({
    state: fc.constantFrom(undefined, ...GAMESERVER_STATES),
    development: fc.constantFrom(false, false, false, true),
    mark: optional(containerId),
    deletionTimestamp: deletion,
    finalizers: fc.subarray(["x.example/other", "agones.dev/controller", "agones.dev"]),
    nodeName: fc.constantFrom(undefined, "n1", "n1", "n2"),
    address: optional(ip),
    podAddress: fc.boolean(),
    ports: fc.constantFrom(undefined, null, [], [{ name: "play", portPolicy: "Dynamic" as const, hostPort: 1 }]),
  })
  .map(({ state, development, mark, deletionTimestamp, finalizers, nodeName, address, podAddress, ports }) => ({
    apiVersion: "agones.dev/v1",
    kind: "GameServer",
    metadata: {
      name: "s",
      namespace: "default",
      uid: "uid-s",
      deletionTimestamp,
      finalizers,
      annotations: {
        ...(development && { "agones.dev/dev-address": "192.0.2.9" }),
        ...(mark && { [READY_CONTAINER_ID_ANNOTATION]: mark }),
      },
    },
    spec: { container: "game", ports, template: { spec: { containers: [{ name: "game" }] } } },
    status: {
      state,
      nodeName,
      address,
      ...(podAddress && { addresses: [{ type: "PodIP" as const, address: "10.8.0.1" }] }),
    },
  }));

const nodes: fc.Arbitrary<Node> = fc
  .record({
    addresses: fc.array(fc.record({ type: fc.constantFrom("Hostname" as const, "InternalIP" as const), address: ip })),
    deletionTimestamp: deletion,
  })
  .map(({ addresses, deletionTimestamp }) => ({
    apiVersion: "v1",
    kind: "Node",
    metadata: { name: "n1", deletionTimestamp },
    status: { addresses },
  }));

export const snapshots = fc.record({ gameServer: servers, pod: optional(pods), node: optional(nodes) });
export type Snapshot = typeof snapshots extends fc.Arbitrary<infer T> ? T : never;
