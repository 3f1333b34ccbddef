import { describe, expect, test } from "vitest";
import type { PodSpec, PodTemplateSpec } from "../core/pod.ts";
import { type FeatureGates, featureGates } from "./feature-gates.ts";
import { duel, stored } from "./gameserver.fixture.ts";
import type { GameServerSpec } from "./gameserver.ts";
import { buildPod } from "./pod.ts";
import type { SidecarOptions } from "./sidecar.ts";

const sidecar: SidecarOptions = { image: "registry.example.net/sdk:1", requestsRateLimit: "500ms" };
const build = (
  spec: Partial<GameServerSpec> = {},
  { gates = featureGates(), ...more }: { gates?: FeatureGates; sidecar?: SidecarOptions } = {},
) => buildPod(stored({}, { name: "duel.1" }, spec), { gates, version: "1.2.3", sidecar, ...more });
const pod = (more: Partial<PodSpec> = {}, metadata?: PodTemplateSpec["metadata"]): Partial<GameServerSpec> => ({
  template: { ...(metadata && { metadata }), spec: { containers: [duel], ...more } },
});
const gateOff = featureGates({ SidecarContainers: false });

describe("the Pod of a GameServer", () => {
  test("of the smallest template is this one", () => {
    const built = build();
    expect(built.metadata).toEqual({
      name: "duel.1",
      namespace: "games",
      labels: {
        "agones.dev/role": "gameserver",
        "agones.dev/gameserver": "duel.1",
        "agones.dev/safe-to-evict": "false",
      },
      annotations: {
        "agones.dev/container": "duel",
        "agones.dev/sdk-version": "1.2.3",
        "cluster-autoscaler.kubernetes.io/safe-to-evict": "false",
      },
      ownerReferences: [
        {
          apiVersion: "agones.dev/v1",
          kind: "GameServer",
          name: "duel.1",
          uid: "u-1",
          controller: true,
          blockOwnerDeletion: true,
        },
      ],
    });
    const ports = [
      { name: "AGONES_SDK_GRPC_PORT", value: "9357" },
      { name: "AGONES_SDK_HTTP_PORT", value: "9358" },
    ];
    expect(built.spec).toEqual({
      hostname: "duel-1",
      restartPolicy: "Never",
      serviceAccountName: "agones-sdk",
      volumes: [{ name: "empty", emptyDir: {} }],
      affinity: {
        podAffinity: {
          preferredDuringSchedulingIgnoredDuringExecution: [
            {
              weight: 100,
              podAffinityTerm: {
                topologyKey: "kubernetes.io/hostname",
                labelSelector: { matchLabels: { "agones.dev/role": "gameserver" } },
              },
            },
          ],
        },
      },
      containers: [
        {
          ...duel,
          env: ports,
          volumeMounts: [{ name: "empty", mountPath: "/var/run/secrets/kubernetes.io/serviceaccount", readOnly: true }],
          livenessProbe: {
            httpGet: { path: "/gshealthz", port: 8080 },
            initialDelaySeconds: 5,
            periodSeconds: 5,
            failureThreshold: 3,
          },
        },
      ],
      initContainers: [expect.objectContaining({ name: "agones-gameserver-sidecar", restartPolicy: "Always" })],
    });
  });

  test("keeps what its template says: marks, host name, account, probe, restart policy, affinity, owners", () => {
    const metadata = {
      name: "x",
      generateName: "x-",
      uid: "x",
      resourceVersion: "1",
      labels: { app: "duel", "agones.dev/safe-to-evict": "true" },
      annotations: { team: "duel", "cluster-autoscaler.kubernetes.io/safe-to-evict": "maybe" },
      ownerReferences: [{ apiVersion: "v1", kind: "Other", name: "o", uid: "o" }],
    };
    const livenessProbe = { exec: { command: ["true"] } };
    const affinity = { nodeAffinity: { a: 1 }, podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [1] } };
    const built = build(
      pod(
        {
          hostname: "own",
          serviceAccountName: "own",
          restartPolicy: "OnFailure",
          affinity,
          containers: [{ ...duel, livenessProbe }],
        },
        metadata,
      ),
    );
    expect(built.metadata).toMatchObject({
      name: "duel.1",
      labels: metadata.labels,
      annotations: metadata.annotations,
      ownerReferences: [metadata.ownerReferences[0], { kind: "GameServer" }],
    });
    expect(built.metadata).not.toHaveProperty("generateName");
    expect(built.metadata).not.toHaveProperty("uid");
    expect(built.metadata).not.toHaveProperty("resourceVersion");
    expect(built.spec).toMatchObject({
      hostname: "own",
      serviceAccountName: "own",
      restartPolicy: "OnFailure",
      affinity,
    });
    expect(built.spec.containers[0]).toMatchObject({ livenessProbe });
    expect(built.spec.containers[0]).not.toHaveProperty("volumeMounts");
    expect(built.spec).not.toHaveProperty("volumes");
  });

  test("has no probe while health is disabled, and no affinity when Distributed", () => {
    const built = build({ health: { disabled: true }, scheduling: "Distributed" });
    expect(built.spec.containers[0]).not.toHaveProperty("livenessProbe");
    expect(built.spec).not.toHaveProperty("affinity");
  });

  test("gets ports appended, unnamed, to the containers they name; Passthrough ones are told by their positions", () => {
    const built = build({
      container: "duel",
      template: {
        spec: {
          containers: [{ ...duel, ports: [{ name: "own", containerPort: 1 }] }, { name: "tail" }],
          initContainers: [{ name: "query", restartPolicy: "Always" }],
        },
      },
      ports: [
        { portPolicy: "Dynamic", containerPort: 7654, hostPort: 7001 },
        { portPolicy: "Passthrough", containerPort: 7002, hostPort: 7002, protocol: "TCP" },
        { portPolicy: "None", containerPort: 7800, hostPort: 9, container: "tail" },
        { portPolicy: "Static", containerPort: 7900, container: "tail" },
        { portPolicy: "Passthrough", containerPort: 7003, hostPort: 7003, container: "query" },
      ],
    });
    expect(built.spec.containers.map(({ ports }) => ports)).toEqual([
      [
        { name: "own", containerPort: 1 },
        { containerPort: 7654, hostPort: 7001, protocol: "UDP" },
        { containerPort: 7002, hostPort: 7002, protocol: "TCP" },
      ],
      [
        { containerPort: 7800, protocol: "UDP" },
        { containerPort: 7900, protocol: "UDP" },
      ],
    ]);
    expect(built.spec.initContainers?.[1]?.ports).toEqual([{ containerPort: 7003, hostPort: 7003, protocol: "UDP" }]);
    expect(built.metadata.annotations?.["agones.dev/container-passthrough-port-assignment"]).toBe(
      '{"duel":[2],"query":[0]}',
    );
  });

  test("tells every container but the SDK server where that listens, in place of what the template said", () => {
    const env = [
      { name: "AGONES_SDK_GRPC_PORT", value: "1" },
      { name: "MODE", value: "ranked" },
    ];
    const built = build({
      ...pod({ containers: [{ ...duel, env }], initContainers: [{ name: "init" }] }),
      sdkServer: { grpcPort: 9457, httpPort: 9458 },
    });
    const told = [
      { name: "AGONES_SDK_GRPC_PORT", value: "9457" },
      { name: "AGONES_SDK_HTTP_PORT", value: "9458" },
    ];
    expect(built.spec.containers[0]?.env).toEqual([{ name: "MODE", value: "ranked" }, ...told]);
    expect(built.spec.initContainers?.[1]?.env).toEqual(told);
    expect(built.spec.initContainers?.[0]?.env?.map(({ name }) => name)).not.toContain("AGONES_SDK_GRPC_PORT");
  });

  test.each([
    ["Always", "true", "true"],
    ["OnUpgrade", "false", "true"],
    ["Never", "false", "false"],
  ] as const)("says %s to eviction with annotation %s and label %s", (safe, annotation, label) => {
    const { metadata } = build({ eviction: { safe } });
    expect(metadata.annotations?.["cluster-autoscaler.kubernetes.io/safe-to-evict"]).toBe(annotation);
    expect(metadata.labels?.["agones.dev/safe-to-evict"]).toBe(label);
  });
});

describe("the SDK server's container", () => {
  test("is told whom it serves, and is limited as asked; zeros are no limits", () => {
    const resources = { requests: { cpu: "30m", memory: "0" }, limits: { cpu: "0", memory: "0Mi" } };
    const built = build(
      { sdkServer: { logLevel: "Debug", grpcPort: 9457, httpPort: 9458 } },
      { sidecar: { ...sidecar, alwaysPull: true, resources, runAsUser: 7 } },
    );
    expect(built.spec.initContainers?.[0]).toEqual({
      name: "agones-gameserver-sidecar",
      image: "registry.example.net/sdk:1",
      imagePullPolicy: "Always",
      restartPolicy: "Always",
      args: ["--grpc-port=9457", "--http-port=9458"],
      env: [
        { name: "GAMESERVER_NAME", value: "duel.1" },
        { name: "POD_NAMESPACE", valueFrom: { fieldRef: { fieldPath: "metadata.namespace" } } },
        { name: "FEATURE_GATES", value: expect.stringContaining("&CountsAndLists=true&") },
        { name: "LOG_LEVEL", value: "Debug" },
        { name: "REQUESTS_RATE_LIMIT", value: "500ms" },
      ],
      resources: { requests: { cpu: "30m" } },
      livenessProbe: { httpGet: { path: "/healthz", port: 8080 }, initialDelaySeconds: 3, periodSeconds: 3 },
      securityContext: { allowPrivilegeEscalation: false, runAsNonRoot: true, runAsUser: 7 },
    });
  });

  test("is the first regular container while the gate is off, and the restart policy is left alone", () => {
    const built = build({}, { gates: gateOff });
    expect(built.spec.containers.map(({ name }) => name)).toEqual(["agones-gameserver-sidecar", "duel"]);
    expect(built.spec.containers[0]).not.toHaveProperty("restartPolicy");
    expect(built.spec).not.toHaveProperty("restartPolicy");
    expect(built.spec).not.toHaveProperty("initContainers");
    expect(built.spec.containers[1]).toHaveProperty("livenessProbe");
  });
});

describe("no Pod can be built", () => {
  const options = { gates: featureGates(), version: "1", sidecar };
  const two = { spec: { containers: [duel, { name: "tail" }] } };
  test.each([
    [
      "UnknownContainer",
      "failed to find container named nope in pod spec",
      stored({}, {}, { ports: [{ container: "nope" }] }),
    ],
    ["NoEviction", "No eviction value set. Should be the default value", stored({ eviction: undefined })],
    ["UnknownEviction", 'unknown eviction.safe value "Maybe"', stored({ eviction: { safe: "Maybe" as "Never" } })],
    [
      "NoGameContainer",
      "Could not find a container named other",
      stored({}, {}, { template: two, container: "other" }),
    ],
  ])("%s: %s", (code, message, gameServer) => {
    let thrown: unknown;
    try {
      buildPod(gameServer, options);
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toMatchObject({ name: "PodBuildError", code, message });
  });
});
