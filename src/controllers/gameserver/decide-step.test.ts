import { describe, expect, test } from "vitest";
import { generic } from "#api/agones/cloud-product/generic.ts";
import { gkeAutopilot } from "#api/agones/cloud-product/gke-autopilot.ts";
import type { GameServer, GameServerState } from "#api/agones/gameserver.ts";
import type { Node } from "#api/core/node.ts";
import type { ContainerState, Pod } from "#api/core/pod.ts";
import { buildGameServer } from "../fixtures.ts";
import { decideStep as decide, type PodRules, type Step, type StepSnapshot } from "./decide-step.ts";

const rules: PodRules = { gates: { SidecarContainers: true }, product: generic };
const decideStep = (snapshot: StepSnapshot): Step => decide(snapshot, rules);
const node: Node = {
  apiVersion: "v1",
  kind: "Node",
  metadata: { name: "n1" },
  status: {
    addresses: [
      { type: "InternalIP", address: "10.0.0.1" },
      { type: "ExternalIP", address: "203.0.113.7" },
    ],
  },
};
const pod = (more: Partial<Pod> = {}): Pod => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "s", namespace: "default", uid: "pod" },
  spec: { containers: [], nodeName: "n1" },
  status: { podIPs: [{ ip: "10.8.0.1" }] },
  ...more,
});
const deleting = { deletionTimestamp: "2030-01-01T00:00:00Z" };
const ports = [
  { name: "play", portPolicy: "Dynamic" as const, containerPort: 7654, hostPort: 7007, protocol: "UDP" as const },
];
const server = (state: GameServerState, more: Parameters<typeof buildGameServer>[2] = {}) =>
  buildGameServer("s", state, { spec: { ports }, ...more });

const kind = (step: Step) => ("for" in step ? `${step.type}: ${step.for}` : step.type);

describe("a GameServer's next step", () => {
  test.each([
    { name: "without ports, ports", gameServer: server("PortAllocation"), want: "allocatePorts" },
    { name: "with ports, a Pod", gameServer: server("Creating"), want: "createPod" },
    { name: "Starting waits for its Pod", gameServer: server("Starting"), want: "wait: Pod in the cache" },
    {
      name: "Starting waits for a node",
      gameServer: server("Starting"),
      pod: pod({ spec: { containers: [] } }),
      want: "wait: Pod to be scheduled",
    },
    {
      name: "Starting waits for addresses",
      gameServer: server("Starting"),
      pod: pod({ status: {} }),
      node,
      want: "wait: Pod IPs",
    },
    {
      name: "Starting waits for the node to be known",
      gameServer: server("Starting"),
      pod: pod(),
      want: "poll: Node in the cache",
    },
    { name: "Scheduled waits for the game", gameServer: server("Scheduled"), pod: pod(), node, want: "done" },
    { name: "Ready is done", gameServer: server("Ready"), pod: pod(), node, want: "done" },
    { name: "Allocated is done", gameServer: server("Allocated"), pod: pod(), node, want: "done" },
    { name: "Unhealthy is somebody else's", gameServer: server("Unhealthy"), want: "done" },
    { name: "Shutdown deletes the server", gameServer: server("Shutdown"), pod: pod(), node, want: "deleteGameServer" },
    {
      name: "a server being deleted deletes its Pod first",
      gameServer: server("Ready", { metadata: { name: "s", ...deleting, finalizers: ["agones.dev/controller"] } }),
      pod: pod(),
      want: "deletePod",
    },
    {
      name: "and waits while the Pod ends",
      gameServer: server("Ready", { metadata: { name: "s", ...deleting, finalizers: ["agones.dev/controller"] } }),
      pod: pod({ metadata: { name: "s", ...deleting } }),
      want: "wait: Pod to end",
    },
    {
      name: "without finalizer and Pod nothing is left to do",
      gameServer: server("Ready", { metadata: { name: "s", ...deleting, finalizers: [] } }),
      want: "done",
    },
  ])("$name", ({ gameServer, pod, node, want }) => {
    expect(kind(decideStep({ gameServer, pod, node }))).toBe(want);
  });

  test("a placed Pod gives address, addresses, node and ports", () => {
    const step = decideStep({ gameServer: server("Starting"), pod: pod(), node });
    expect(step).toMatchObject({
      type: "write",
      gameServer: {
        status: {
          state: "Scheduled",
          address: "203.0.113.7",
          addresses: [
            { type: "InternalIP", address: "10.0.0.1" },
            { type: "ExternalIP", address: "203.0.113.7" },
            { type: "PodIP", address: "10.8.0.1" },
          ],
          nodeName: "n1",
          ports: [{ name: "play", port: 7007 }],
        },
      },
      notes: [{ type: "Normal", reason: "Scheduled", message: "Address and port populated" }],
    });
  });

  test("a game that is ready before its address is known gets both in one write", () => {
    const step = decideStep({ gameServer: server("RequestReady"), pod: pod({ status: {} }), node });
    expect(step).toMatchObject({ gameServer: { status: { state: "Ready", address: "203.0.113.7", nodeName: "n1" } } });
    expect(step.type === "write" && step.notes.map(({ message }) => message)).toEqual([
      "Address and port populated",
      "SDK.Ready() complete",
    ]);
  });

  test("a game that asks for Ready again keeps its address", () => {
    const known = {
      nodeName: "n1",
      address: "198.51.100.1",
      addresses: [{ type: "PodIP" as const, address: "10.8.0.9" }],
    };
    const gameServer = server("RequestReady", { status: { state: "RequestReady", ...known } });
    const step = decideStep({ gameServer, pod: pod(), node: undefined });
    expect(step).toMatchObject({ gameServer: { status: { state: "Ready", ...known } } });
    expect(step.type === "write" && step.notes.map(({ message }) => message)).toEqual(["SDK.Ready() complete"]);
  });

  test("once the Pod is gone only our finalizers are taken off", () => {
    const finalizers = ["other/one", "agones.dev/controller", "agones.dev", "other/two"];
    const step = decideStep({
      gameServer: server("Ready", { metadata: { name: "s", ...deleting, finalizers } }),
      pod: undefined,
      node: undefined,
    });
    expect(step).toMatchObject({
      type: "release",
      gameServer: { metadata: { finalizers: ["other/one", "other/two"] } },
    });
  });

  test("a development server becomes Ready at its own address, without a Pod", () => {
    const development = { metadata: { name: "s", annotations: { "agones.dev/dev-address": "192.0.2.9" } } };
    const step = decideStep({ gameServer: server("Creating", development), pod: undefined, node: undefined });
    expect(step).toMatchObject({
      gameServer: {
        status: { state: "Ready", address: "192.0.2.9", nodeName: "192.0.2.9", ports: [{ name: "play", port: 7007 }] },
      },
      notes: [],
    });
    expect(kind(decideStep({ gameServer: server("Allocated", development), pod: undefined, node: undefined }))).toBe(
      "done",
    );
    expect(
      decideStep({ gameServer: server("RequestReady", development), pod: undefined, node: undefined }),
    ).toMatchObject({
      gameServer: { status: { state: "Ready" } },
    });
  });

  describe("the Pod's own address", () => {
    const nodeOnly = { nodeName: "n1", address: "203.0.113.7", addresses: [...(node.status?.addresses ?? [])] };
    const complete = [...nodeOnly.addresses, { type: "PodIP" as const, address: "10.8.0.1" }];
    const at = (state: GameServerState, addresses: NonNullable<GameServer["status"]>["addresses"]) =>
      server(state, { status: { state, ...nodeOnly, addresses } });

    test.each(["Ready", "Reserved", "Allocated"] as const)(
      "is filled in late for a server in %s, and nothing else",
      (state) => {
        const gameServer = at(state, nodeOnly.addresses);
        const step = decideStep({ gameServer, pod: pod(), node });
        expect(step).toEqual({
          type: "write",
          gameServer: { ...gameServer, status: { ...gameServer.status, addresses: complete } },
          notes: [],
        });
        expect(kind(decideStep({ gameServer, pod: pod({ status: {} }), node }))).toBe("done");
        expect(kind(decideStep({ gameServer: at(state, complete), pod: pod(), node }))).toBe("done");
      },
    );

    test("comes with the step to Ready when the step before did not know it", () => {
      const step = decideStep({ gameServer: at("RequestReady", nodeOnly.addresses), pod: pod(), node: undefined });
      expect(step).toMatchObject({ gameServer: { status: { state: "Ready", addresses: complete } } });
    });

    test("of a Pod on another node is nothing to add", () => {
      const moved = pod({ spec: { containers: [], nodeName: "n2" } });
      expect(kind(decideStep({ gameServer: at("Ready", nodeOnly.addresses), pod: moved, node }))).toBe("done");
    });
  });

  test("a node without an address for players, and an unreadable answer of a cloud product, are faults to be tried again", () => {
    const bare: Node = { ...node, status: { addresses: [{ type: "Hostname", address: "n1" }] } };
    expect(decideStep({ gameServer: server("Starting"), pod: pod(), node: bare })).toMatchObject({
      type: "fail",
      error: { code: "NoNodeAddress", message: "Could not find an address for Node: n1" },
    });
    const annotations = { "autopilot.gke.io/host-port-assignment": "{" };
    const odd = pod({ metadata: { name: "s", annotations } });
    const autopilot = { ...rules, product: gkeAutopilot };
    expect(decide({ gameServer: server("Starting"), pod: odd, node }, autopilot)).toMatchObject({
      type: "fail",
      error: { code: "CloudProductError" },
    });
  });

  test("on Autopilot the ports that it gave come with the address", () => {
    const annotations = {
      "autopilot.gke.io/host-port-assignment": '{"min":7000,"max":8000,"portsAssigned":{"1":7777}}',
    };
    const placeholder = server("Starting", { spec: { ports: [{ ...ports[0], hostPort: 1 }] } });
    const placed = pod({ metadata: { name: "s", annotations } });
    const step = decide({ gameServer: placeholder, pod: placed, node }, { ...rules, product: gkeAutopilot });
    expect(step).toMatchObject({
      gameServer: { spec: { ports: [{ hostPort: 7777 }] }, status: { ports: [{ name: "play", port: 7777 }] } },
    });
  });
});

describe("without sidecar containers, a game that asks for Ready", () => {
  const off: PodRules = { ...rules, gates: { SidecarContainers: false } };
  const mark = { "agones.dev/ready-container-id": "docker://1" };
  const asks = (annotations: Readonly<Record<string, string>> = {}) =>
    server("RequestReady", { metadata: { name: "s", annotations } });
  const running = (containerID: string | undefined, annotations = {}, state: ContainerState = { running: {} }) => {
    const unread = { image: "", imageID: "", ready: true, restartCount: 0 };
    return pod({
      metadata: { name: "s", uid: "pod", annotations },
      status: { podIPs: [{ ip: "10.8.0.1" }], containerStatuses: [{ ...unread, name: "game", containerID, state }] },
    });
  };

  test("waits until its container is known to run", () => {
    for (const unknown of [pod(), running(undefined), running("docker://1", {}, { waiting: {} })])
      expect(kind(decide({ gameServer: asks(), pod: unknown, node }, off))).toBe("wait: game container to run");
  });

  test("has its container noted on the Pod first, then on the server, in the same write as Ready", () => {
    const unmarked = running("docker://1");
    expect(decide({ gameServer: asks(), pod: unmarked, node }, off)).toEqual({
      type: "markPod",
      pod: unmarked,
      containerId: "docker://1",
    });
    expect(decide({ gameServer: asks(), pod: running("docker://1", mark), node }, off)).toMatchObject({
      type: "write",
      gameServer: { metadata: { annotations: mark }, status: { state: "Ready", address: "203.0.113.7" } },
    });
  });

  test("keeps the note of the first time, whatever runs now, and the Pod gets it back", () => {
    const later = running("docker://2", mark);
    expect(decide({ gameServer: asks(mark), pod: later, node }, off)).toMatchObject({
      gameServer: { metadata: { annotations: mark }, status: { state: "Ready" } },
    });
    expect(decide({ gameServer: asks(mark), pod: running("docker://2"), node }, off)).toMatchObject({
      type: "markPod",
      containerId: "docker://1",
    });
  });

  test("has the note of a pass that was cut off replaced, when its container was started again since", () => {
    const stale = running("docker://2", mark);
    expect(decide({ gameServer: asks(), pod: stale, node }, off)).toMatchObject({
      type: "markPod",
      containerId: "docker://2",
    });
  });

  test("needs no note with sidecar containers", () => {
    const step = decide({ gameServer: asks(), pod: running("docker://1"), node }, rules);
    expect(step.type === "write" && step.gameServer.metadata.annotations).toEqual({});
  });
});
