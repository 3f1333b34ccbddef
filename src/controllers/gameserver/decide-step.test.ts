import { describe, expect, test } from "vitest";
import type { GameServerState } from "#api/agones/gameserver.ts";
import type { Node } from "#api/core/node.ts";
import type { Pod } from "#api/core/pod.ts";
import { buildGameServer } from "../fixtures.ts";
import { decideStep, type Step } from "./decide-step.ts";

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

const kind = (step: Step) => (step.type === "wait" ? `wait: ${step.for}` : step.type);

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
      want: "wait: Node in the cache",
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
    const gameServer = server("RequestReady", { status: { nodeName: "n1", address: "198.51.100.1" } });
    const step = decideStep({
      gameServer: { ...gameServer, status: { ...gameServer.status, state: "RequestReady" } },
      pod: pod(),
      node: undefined,
    });
    expect(step).toMatchObject({ gameServer: { status: { state: "Ready", address: "198.51.100.1" } } });
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
});
