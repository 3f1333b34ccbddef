import { describe, expect, test } from "vitest";
import { expandVariables } from "#api/core/expand-variables.ts";
import type { Container, EnvVar } from "#api/core/pod.ts";
import { CONFIG_MAPS, SECRETS } from "#api/core/resources.ts";
import { containerEnvironment, portEnvironment } from "./container-environment.ts";
import { FakeCluster } from "./testing/fake-cluster.ts";
import { container, podOf } from "./testing/worker-harness.ts";

test.each([
  ["$(A)", "1"],
  ["$(A)$(B)-$(A)", "12-1"],
  ["$(MISSING)", "$(MISSING)"],
  ["$$(A)", "$(A)"],
  ["$$$(A)", "$1"],
  ["$A and $(A", "$A and $(A"],
  ["$(constructor)", "$(constructor)"],
  ["$()", "$()"],
])("%s expands to %s", (text, want) => expect(expandVariables(text, { A: "1", B: "2" })).toBe(want));

const node = {
  nodeName: "n1",
  hostIP: "10.0.0.7",
  podIPs: ["10.0.0.7", "fd00::7"],
  allocatable: { cpu: "4", memory: "8Gi" },
};
const resources = { requests: { cpu: "250m", memory: "64Mi" }, limits: { memory: "128Mi" } };

async function environment(
  env: readonly EnvVar[],
  more: Partial<Container> = {},
  skipped: string[] = [],
): Promise<Record<string, string>> {
  const reader = new FakeCluster();
  const metadata = { namespace: "ns", name: "settings" };
  await reader.create(CONFIG_MAPS, {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata,
    data: { mode: "ranked", "1st": "gold" },
  });
  await reader.create(SECRETS, { apiVersion: "v1", kind: "Secret", metadata, data: { key: btoa("s3cret") } });
  const own = container("game", { env, resources, ...more });
  const pod = { ...podOf({ containers: [own], serviceAccountName: "sa" }) };
  const labelled = {
    ...pod,
    metadata: { ...pod.metadata, uid: "u", labels: { "a.b/c": "l" }, annotations: { x: "y" } },
  };
  const given = { defaults: { PATH: "/bin" }, overrides: { SDK: "1" } };
  const told = (message: string) => void skipped.push(message);
  const sources = { pod: labelled, container: own, node, ...given, reader, skipped: told };
  return { ...(await containerEnvironment(sources)) };
}
const value = async (valueFrom: EnvVar["valueFrom"]) => (await environment([{ name: "V", valueFrom }])).V;

describe("a container's environment", () => {
  test.each([
    ["metadata.name", "a"],
    ["metadata.namespace", "ns"],
    ["metadata.uid", "u"],
    ["metadata.labels['a.b/c']", "l"],
    ["metadata.labels['absent']", ""],
    ["metadata.annotations['x']", "y"],
    ["spec.nodeName", "n1"],
    ["spec.serviceAccountName", "sa"],
    ["status.hostIP", "10.0.0.7"],
    ["status.podIP", "10.0.0.7"],
    ["status.podIPs", "10.0.0.7,fd00::7"],
  ])("knows the field %s as %j", async (fieldPath, want) =>
    expect(await value({ fieldRef: { fieldPath } })).toBe(want),
  );

  test.each([
    ["requests.cpu", undefined, "1"],
    ["requests.cpu", "1m", "250"],
    ["limits.cpu", "1", "4"],
    ["limits.memory", "1Mi", "128"],
    ["requests.memory", undefined, "67108864"],
  ])("knows the resource %s in units of %s as %s", async (resource, divisor, want) =>
    expect(await value({ resourceFieldRef: { resource, divisor } })).toBe(want),
  );

  test("reads config maps and secrets, and leaves out what is optional and not there", async () => {
    expect(await value({ configMapKeyRef: { name: "settings", key: "mode" } })).toBe("ranked");
    expect(await value({ secretKeyRef: { name: "settings", key: "key" } })).toBe("s3cret");
    expect(await value({ secretKeyRef: { name: "none", key: "key", optional: true } })).toBeUndefined();
    expect(await value({ configMapKeyRef: { name: "settings", key: "none", optional: true } })).toBeUndefined();
  });

  test.each([
    [{ fieldRef: { fieldPath: "spec.containers" } }, "unsupported fieldPath: spec.containers"],
    [{ resourceFieldRef: { resource: "cpu" } }, "unsupported container resource: cpu"],
    [{ resourceFieldRef: { resource: "limits.cpu", containerName: "x" } }, "container x not found"],
    [{ configMapKeyRef: { name: "none", key: "mode" } }, 'configmap "none" not found'],
    [{ secretKeyRef: { name: "settings", key: "none" } }, "couldn't find key none in secret ns/settings"],
    [{}, "valueFrom names no source that this node knows"],
  ])("refuses %j", async (valueFrom, message) =>
    expect(value(valueFrom)).rejects.toMatchObject({ code: "ContainerConfigInvalid", message }),
  );

  test("lets later entries see earlier ones, the pod's win over the machine's and the handler's over all", async () => {
    const env = [
      { name: "ONE", value: "1" },
      { name: "TWO", value: "$(ONE)$(SDK)$(THREE)" },
      { name: "THREE", value: "3" },
      { name: "PATH", value: "/opt:$(PATH)" },
      { name: "SDK", value: "mine" },
    ];
    expect(await environment(env)).toEqual({ PATH: "/opt:/bin", SDK: "1", ONE: "1", TWO: "11$(THREE)", THREE: "3" });
  });

  test("takes all entries of config maps and secrets, later ones first, and env over them", async () => {
    const configMapRef = { name: "settings" };
    const envFrom = [{ configMapRef }, { prefix: "GAME_", configMapRef }, { prefix: "GAME_", secretRef: configMapRef }];
    const env = [
      { name: "mode", value: "own of $(GAME_mode)" },
      { name: "LATER", value: "$(GAME_key)" },
    ];
    const skipped: string[] = [];
    expect(await environment(env, { envFrom }, skipped)).toEqual({
      ...{ PATH: "/bin", SDK: "1", mode: "own of ranked", LATER: "s3cret" },
      ...{ GAME_mode: "ranked", GAME_1st: "gold", GAME_key: "s3cret" },
    });
    expect(skipped).toEqual([
      "Keys [1st] from the EnvFrom configMap ns/settings were skipped since they are considered invalid environment variable names.",
    ]);
  });

  test("takes nothing over the SDK server's word, and may replace the machine's", async () => {
    const of = async (data: Record<string, string>) => {
      const reader = new FakeCluster();
      const metadata = { namespace: "ns", name: "c" };
      await reader.create(CONFIG_MAPS, { apiVersion: "v1", kind: "ConfigMap", metadata, data });
      const own = container("game", { envFrom: [{ configMapRef: { name: "c" } }] });
      const given = { defaults: { PATH: "/bin" }, overrides: { SDK: "1" }, skipped: () => {} };
      return containerEnvironment({ pod: podOf({ containers: [own] }), container: own, node, reader, ...given });
    };
    expect(await of({ SDK: "2", PATH: "/opt" })).toEqual({ SDK: "1", PATH: "/opt" });
  });

  test.each([
    [{ configMapRef: { name: "none" } }, 'configmap "none" not found'],
    [{ secretRef: { name: "none" } }, 'secret "none" not found'],
  ])("needs what %j names, unless it is optional", async (source, message) => {
    await expect(environment([], { envFrom: [source] })).rejects.toMatchObject({
      code: "ContainerConfigInvalid",
      message,
    });
    const optional = Object.fromEntries(
      Object.entries(source).map(([kind, ref]) => [kind, { ...ref, optional: true }]),
    );
    expect(await environment([], { envFrom: [optional] })).toEqual({ PATH: "/bin", SDK: "1" });
  });

  test("says the first host port as PORT and named ones by name", () => {
    const ports = [
      { containerPort: 1 },
      { containerPort: 7654, hostPort: 7001 },
      { name: "game-tcp", containerPort: 7655, hostPort: 7002 },
      { name: "inside", containerPort: 9 },
    ];
    expect(portEnvironment(container("game", { ports }))).toEqual({ PORT: "7001", STADION_PORT_GAME_TCP: "7002" });
  });
});
