import { describe, expect, test } from "vitest";
import type { Node } from "#api/core/node.ts";
import type { Container, Pod, PodSpec } from "#api/core/pod.ts";
import { chooseNode } from "./decide-node.ts";
import { NodeLoad } from "./node-load.ts";

interface NodeParts {
  readonly labels?: Readonly<Record<string, string>>;
  readonly spec?: Node["spec"];
  readonly allocatable?: Readonly<Record<string, string>>;
  readonly runtime?: string;
}

function buildNode(name: string, { labels, spec, allocatable, runtime }: NodeParts = {}): Node {
  return {
    apiVersion: "v1",
    kind: "Node",
    metadata: { name, labels: { "kubernetes.io/hostname": name, ...labels } },
    spec,
    status: {
      allocatable: { cpu: "2", memory: "4Gi", pods: "10", ...allocatable },
      ...(runtime && { nodeInfo: { containerRuntimeVersion: runtime } }),
    },
  };
}

function buildPod(spec: Partial<PodSpec> = {}, labels: Readonly<Record<string, string>> = {}): Pod {
  const containers = [{ name: "game" }];
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "p", namespace: "default", labels },
    spec: { containers, ...spec },
  };
}

const asking = (requests: Readonly<Record<string, string>>, more: Partial<Container> = {}): Container => ({
  name: "game",
  resources: { requests },
  ...more,
});
const onPort = (hostPort: number, protocol: "TCP" | "UDP" = "UDP"): Pod =>
  buildPod({ containers: [{ name: "game", ports: [{ containerPort: 7654, hostPort, protocol }] }] });
const at = (node: Node, ...pods: Pod[]) => ({ node, load: new NodeLoad(false, pods) });
const messageOf = (pod: Pod, ...candidates: ReturnType<typeof at>[]) => {
  const choice = chooseNode(pod, candidates);
  return choice.node === undefined ? choice.message : `on ${choice.node}`;
};

describe("chooseNode refuses", () => {
  test("without nodes", () => {
    expect(messageOf(buildPod())).toBe("no nodes available to schedule pods");
  });

  test("a port that is held there, whatever address it is bound to, but not the same number of another protocol", () => {
    const held = at(buildNode("a"), onPort(7000));
    const wanted = buildPod({
      containers: [
        { name: "game", ports: [{ containerPort: 1, hostPort: 7000, protocol: "UDP", hostIP: "127.0.0.1" }] },
      ],
    });
    expect(messageOf(wanted, held)).toBe(
      "0/1 nodes are available: 1 node(s) didn't have free ports for the requested pod ports.",
    );
    expect(messageOf(onPort(7000, "TCP"), held)).toBe("on a");
  });

  test("a port that two pods hold, until both are gone", () => {
    const [first, second] = [onPort(7000), onPort(7000)];
    const load = new NodeLoad(false, [first, second]);
    load.remove(first);
    load.remove(first);
    expect(load.holdsPort("UDP/7000")).toBe(true);
    load.remove(second);
    expect(load.holdsPort("UDP/7000")).toBe(false);
  });

  test("more than is left of a resource, exactly", () => {
    const running = buildPod({ containers: [asking({ cpu: "1500m", memory: "3Gi" })] });
    const node = at(buildNode("a"), running);
    expect(messageOf(buildPod({ containers: [asking({ cpu: "0.5", memory: "1Gi" })] }), node)).toBe("on a");
    expect(messageOf(buildPod({ containers: [asking({ cpu: "501m", memory: "1025Mi" })] }), node)).toBe(
      "0/1 nodes are available: 1 Insufficient cpu, 1 Insufficient memory.",
    );
    expect(messageOf(buildPod({ containers: [asking({ "nvidia.com/gpu": "1" })] }), node)).toBe(
      "0/1 nodes are available: 1 Insufficient nvidia.com/gpu.",
    );
  });

  test("a limit without a request, and an init container that needs more than all others", () => {
    const node = at(buildNode("a"));
    const limited = buildPod({ containers: [{ name: "game", resources: { limits: { cpu: "3" } } }] });
    const initial = buildPod({ initContainers: [asking({ cpu: "3" })] });
    const beside = buildPod({
      initContainers: [asking({ cpu: "1500m" }, { name: "side", restartPolicy: "Always" }), asking({ cpu: "1" })],
    });
    for (const pod of [limited, initial, beside])
      expect(messageOf(pod, node)).toBe("0/1 nodes are available: 1 Insufficient cpu.");
  });

  test("one pod more than the node may have", () => {
    const node = at(buildNode("a", { allocatable: { pods: "1" } }), buildPod());
    expect(messageOf(buildPod(), node)).toBe("0/1 nodes are available: 1 Too many pods.");
  });

  test("cordoned, tainted and unselected nodes, each by its own reason, sorted", () => {
    const nodes = [
      at(buildNode("a", { spec: { unschedulable: true } })),
      at(buildNode("b", { spec: { taints: [{ key: "gpu", value: "yes", effect: "NoSchedule" }] } })),
      at(buildNode("c")),
      at(buildNode("d")),
    ];
    expect(messageOf(buildPod({ nodeSelector: { disk: "ssd" } }), ...nodes)).toBe(
      "0/4 nodes are available: 1 node(s) had untolerated taint {gpu: yes}, 1 node(s) were unschedulable, " +
        "2 node(s) didn't match Pod's node affinity/selector.",
    );
  });
});

describe("chooseNode allows", () => {
  test("the SDK server's container nothing on a process node, and what it asks for on another", () => {
    const sidecar = asking({ cpu: "30m" }, { name: "agones-gameserver-sidecar", restartPolicy: "Always" });
    const pod = buildPod({ containers: [asking({ cpu: "2" })], initContainers: [sidecar] });
    const node = buildNode("a", { runtime: "process://1.0.0" });
    expect(messageOf(pod, { node, load: new NodeLoad(true) })).toBe("on a");
    expect(messageOf(pod, at(buildNode("a", { runtime: "containerd://2.0" })))).toBe(
      "0/1 nodes are available: 1 Insufficient cpu.",
    );
  });

  test.each([
    [{ key: "gpu", operator: "Exists" as const }, true],
    [{ key: "gpu", value: "yes" }, true],
    [{ key: "gpu", value: "no" }, false],
    [{ operator: "Exists" as const }, true],
    [{ key: "gpu", operator: "Exists" as const, effect: "NoExecute" as const }, false],
    [{ key: "gpu", value: "yes", effect: "NoSchedule" as const }, true],
  ])("a taint by the toleration %j: %s", (toleration, allowed) => {
    const node = at(buildNode("a", { spec: { taints: [{ key: "gpu", value: "yes", effect: "NoSchedule" }] } }));
    expect(messageOf(buildPod({ tolerations: [toleration] }), node) === "on a").toBe(allowed);
  });

  test.each([
    ["In", ["2", "4"], true],
    ["NotIn", ["4"], false],
    ["Exists", [], true],
    ["DoesNotExist", [], false],
    ["Gt", ["3"], true],
    ["Gt", ["4"], false],
    ["Lt", ["5"], true],
    ["Lt", ["many"], false],
  ])("required node affinity by cores %s %j: %s", (operator, values, allowed) => {
    const terms = [{}, { matchExpressions: [{ key: "cores", operator, values }] }];
    const nodeAffinity = { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: terms } };
    const node = at(buildNode("a", { labels: { cores: "4" } }));
    expect(messageOf(buildPod({ affinity: { nodeAffinity } }), node) === "on a").toBe(allowed);
  });

  test("a node by its name as a field", () => {
    const terms = [{ matchFields: [{ key: "metadata.name", operator: "In", values: ["b"] }] }];
    const nodeAffinity = { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: terms } };
    const pod = buildPod({ affinity: { nodeAffinity } });
    expect(messageOf(pod, at(buildNode("a")), at(buildNode("b")))).toBe("on b");
  });
});

describe("chooseNode prefers", () => {
  const labels = { "agones.dev/role": "gameserver" };
  const term = { topologyKey: "kubernetes.io/hostname", labelSelector: { matchLabels: labels } };
  const preferred = [{ weight: 100, podAffinityTerm: term }];
  const packed = (): Pod =>
    buildPod({ affinity: { podAffinity: { preferredDuringSchedulingIgnoredDuringExecution: preferred } } }, labels);

  test("the node with most game servers when packing, until it is full", () => {
    const a = at(buildNode("a", { allocatable: { pods: "3" } }), buildPod(), buildPod(), packed());
    const b = at(buildNode("b"), packed(), packed());
    expect(messageOf(packed(), a, b)).toBe("on b");
    const full = at(buildNode("c", { allocatable: { pods: "3" } }), packed(), packed(), packed());
    expect(messageOf(packed(), full, a, b)).toBe("on b");
  });

  test("the emptier node without packing, then the first by name", () => {
    expect(messageOf(buildPod(), at(buildNode("a"), buildPod()), at(buildNode("c")), at(buildNode("b")))).toBe("on b");
  });

  test("other namespaces' pods count for nothing", () => {
    const other = { ...packed(), metadata: { name: "o", namespace: "other", labels } };
    expect(messageOf(packed(), at(buildNode("a"), other, other), at(buildNode("b"), packed()))).toBe("on b");
  });

  test("nodes without a PreferNoSchedule taint, and those its node affinity names", () => {
    const disliked = at(buildNode("a", { spec: { taints: [{ key: "old", effect: "PreferNoSchedule" }] } }));
    expect(messageOf(packed(), disliked, at(buildNode("b")))).toBe("on b");
    const preference = { matchExpressions: [{ key: "disk", operator: "In", values: ["ssd"] }] };
    const nodeAffinity = { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, preference }] };
    const fast = at(buildNode("b", { labels: { disk: "ssd" } }), buildPod());
    expect(messageOf(buildPod({ affinity: { nodeAffinity } }), at(buildNode("a")), fast)).toBe("on b");
  });

  test("required affinity and anti-affinity bind, by zone", () => {
    const zone = { topologyKey: "zone", labelSelector: { matchLabels: { app: "db" } } };
    const required = { requiredDuringSchedulingIgnoredDuringExecution: [zone] };
    const db = buildPod({}, { app: "db" });
    const nodes = [
      at(buildNode("a", { labels: { zone: "1" } })),
      at(buildNode("b", { labels: { zone: "1" } }), db),
      at(buildNode("c", { labels: { zone: "2" } }), buildPod()),
    ];
    expect(messageOf(buildPod({ affinity: { podAffinity: required } }), ...nodes)).toBe("on a");
    expect(messageOf(buildPod({ affinity: { podAntiAffinity: required } }), ...nodes)).toBe("on c");
    const lonely = nodes.slice(0, 1);
    expect(messageOf(buildPod({ affinity: { podAffinity: required } }), ...lonely)).toBe(
      "0/1 nodes are available: 1 node(s) didn't match pod affinity rules.",
    );
    expect(messageOf(buildPod({ affinity: { podAffinity: required } }, { app: "db" }), ...lonely)).toBe("on a");
    expect(messageOf(buildPod({ affinity: { podAntiAffinity: required } }), ...nodes.slice(0, 2))).toBe(
      "0/2 nodes are available: 2 node(s) didn't match pod anti-affinity rules.",
    );
  });
});
