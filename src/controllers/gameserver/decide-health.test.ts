import { describe, expect, test } from "vitest";
import { generic } from "#api/agones/cloud-product/generic.ts";
import { gkeAutopilot } from "#api/agones/cloud-product/gke-autopilot.ts";
import { GAMESERVER_STATES, type GameServerState } from "#api/agones/gameserver.ts";
import { isBeforeReady, isTerminal } from "#api/agones/predicates.ts";
import type { ContainerState, ContainerStatus, Pod, PodStatus, RestartPolicy } from "#api/core/pod.ts";
import type { ObjectMeta } from "#api/meta/object.ts";
import { buildGameServer } from "../fixtures.ts";
import { decideHealth, decideSucceeded } from "./decide-health.ts";
import type { PodVerdict } from "./decide-pod-health.ts";
import type { PodRules } from "./decide-step.ts";

const on: PodRules = { gates: { SidecarContainers: true }, product: generic };
const off: PodRules = { gates: { SidecarContainers: false }, product: generic };
const READY_CONTAINER = "agones.dev/ready-container-id";

const pod = (
  status: PodStatus = { phase: "Running" },
  metadata: ObjectMeta = {},
  restartPolicy?: RestartPolicy,
): Pod => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: {
    name: "s",
    namespace: "default",
    labels: { "agones.dev/role": "gameserver" },
    ownerReferences: [{ apiVersion: "agones.dev/v1", kind: "GameServer", name: "s", uid: "uid-s", controller: true }],
    ...metadata,
    annotations: { "agones.dev/container": "game", ...metadata.annotations },
  },
  spec: { containers: [], nodeName: "n1", ...(restartPolicy && { restartPolicy }) },
  status,
});
const server = (state: GameServerState, metadata: ObjectMeta = {}) =>
  buildGameServer("s", state, { status: { state }, metadata: { name: "s", uid: "uid-s", ...metadata } });
/** The Pod of an earlier server of the name. */
const left = (status: PodStatus): Pod =>
  pod(status, {
    ownerReferences: [{ apiVersion: "agones.dev/v1", kind: "GameServer", name: "s", uid: "older", controller: true }],
  });
const game = (state: ContainerState, containerID = "c1", lastState?: ContainerState): ContainerStatus => ({
  name: "game",
  image: "",
  imageID: "",
  ready: true,
  restartCount: 0,
  containerID,
  state,
  ...(lastState && { lastState }),
});
const ended = (exitCode: number, message?: string): ContainerState => ({
  terminated: { exitCode, ...(message && { message }) },
});
const withGame = (status: ContainerStatus, metadata: ObjectMeta = {}, restartPolicy?: RestartPolicy): Pod =>
  pod({ phase: "Running", containerStatuses: [status] }, metadata, restartPolicy);
const health = (gameServer: ReturnType<typeof server>, of: Pod | undefined, rules = on) =>
  decideHealth({ gameServer, pod: of, node: undefined }, rules);
const succeeded = (gameServer: ReturnType<typeof server>, of: Pod) =>
  decideSucceeded({ gameServer, pod: of, node: undefined });
const stateOf = (verdict: PodVerdict) => verdict?.gameServer.status?.state;
const deleting = { deletionTimestamp: "2030-01-01T00:00:00Z" };

const living = GAMESERVER_STATES.filter((state) => !isTerminal(server(state)));
const settled = GAMESERVER_STATES.filter((state) => isTerminal(server(state)));
const beforeReady = living.filter((state) => isBeforeReady(server(state)));
const afterReady = living.filter((state) => !isBeforeReady(server(state)));

describe.each([
  ["with sidecar containers", on],
  ["without sidecar containers", off],
])("health %s", (_, rules) => {
  test.each(living)("a failed Pod makes a server in %s Unhealthy", (state) => {
    const verdict = health(server(state), pod({ phase: "Failed" }), rules);
    expect(stateOf(verdict)).toBe("Unhealthy");
    expect(verdict?.note).toEqual({ type: "Warning", reason: "Unhealthy", message: "Issue with Gameserver pod" });
  });

  test("the event says why the Pod failed", () => {
    const failed = pod({ phase: "Failed", message: "container game ended with exit code 7" });
    const message = "Issue with Gameserver pod: container game ended with exit code 7";
    expect(health(server("Ready"), failed, rules)?.note.message).toBe(message);
  });

  test.each(living)("an evicted Pod makes a server in %s Unhealthy", (state) => {
    expect(stateOf(health(server(state), pod({ phase: "Running", reason: "Evicted" }), rules))).toBe("Unhealthy");
  });

  test.each(settled)("a server in %s stays as it is", (state) => {
    expect(health(server(state), pod({ phase: "Failed" }), rules)).toBeUndefined();
  });

  test("a Pod that somebody deletes takes a waiting server out at once, and leaves a match its time", () => {
    const leaving = pod({ phase: "Running" }, deleting);
    expect(stateOf(health(server("Ready"), leaving, rules))).toBe("Unhealthy");
    expect(health(server("Allocated"), leaving, rules)).toBeUndefined();
    expect(health(server("Reserved"), leaving, rules)).toBeUndefined();
  });

  test("a Pod that an earlier server of the name left behind changes nothing", () => {
    expect(health(server("Creating"), left({ phase: "Failed" }), rules)).toBeUndefined();
  });

  test("a healthy Pod, none, and one that is no game server's, change nothing", () => {
    expect(health(server("Ready"), pod(), rules)).toBeUndefined();
    expect(health(server("Ready"), undefined, rules)).toBeUndefined();
    expect(health(server("Ready"), pod({ phase: "Failed" }, { labels: {} }), rules)).toBeUndefined();
  });
});

describe("with sidecar containers", () => {
  const waitsForPorts = pod({
    phase: "Pending",
    conditions: [
      { type: "PodScheduled", status: "False", reason: "Unschedulable", message: "node(s) didn't have free ports" },
    ],
  });

  test("a Pod that waits for ports waits on", () => {
    expect(health(server("Starting"), waitsForPorts, on)).toBeUndefined();
  });

  test.each(living)("a game that failed while other containers run makes a server in %s Unhealthy", (state) => {
    const verdict = health(server(state), withGame(game(ended(3, "out of memory")), {}, "Never"), on);
    expect([stateOf(verdict), verdict?.note.message]).toEqual([
      "Unhealthy",
      "Issue with Gameserver pod: container game ended with exit code 3: out of memory",
    ]);
  });

  test.each(["Always", "OnFailure"] as const)("a game that its Pod starts again (%s) is let be", (policy) => {
    expect(health(server("Ready"), withGame(game(ended(3)), {}, policy), on)).toBeUndefined();
    expect(health(server("Ready"), withGame(game({ running: {} }, "c2", ended(3)), {}, policy), on)).toBeUndefined();
  });

  test("the end of another container is not the game's", () => {
    expect(health(server("Ready"), withGame({ ...game(ended(3)), name: "logs" }, {}, "Never"), on)).toBeUndefined();
  });

  test.each(["Never", "OnFailure"] as const)(
    "a game that ends well while others run (%s) shuts its server down",
    (policy) => {
      const over = withGame(game(ended(0)), {}, policy);
      const verdict = succeeded(server("Allocated"), over);
      expect(verdict?.note).toEqual({ type: "Normal", reason: "Shutdown", message: "Container game has ended" });
      expect(stateOf(verdict)).toBe("Shutdown");
      expect(health(server("Allocated"), over, on)).toBeUndefined();
    },
  );

  test("but not one that is started again, or failed, or whose Pod is being deleted", () => {
    expect(succeeded(server("Ready"), withGame(game(ended(0)), {}, "Always"))).toBeUndefined();
    expect(succeeded(server("Ready"), withGame(game(ended(1)), {}, "Never"))).toBeUndefined();
    expect(succeeded(server("Ready"), withGame(game(ended(0)), deleting, "Never"))).toBeUndefined();
  });

  test("a Pod that succeeded shuts its server down", () => {
    const verdict = succeeded(server("Allocated"), pod({ phase: "Succeeded" }));
    expect([stateOf(verdict), verdict?.note.message]).toEqual(["Shutdown", "Pod is in Succeeded state"]);
  });

  test("but not a second time, nor while it is being deleted, nor when it was an earlier server's", () => {
    expect(succeeded(server("Shutdown"), pod({ phase: "Succeeded" }))).toBeUndefined();
    expect(succeeded(server("Ready"), pod({ phase: "Succeeded" }, deleting))).toBeUndefined();
    expect(succeeded(server("Ready"), left({ phase: "Succeeded" }))).toBeUndefined();
  });
});

describe("without sidecar containers", () => {
  const mark = (id: string) => ({ annotations: { [READY_CONTAINER]: id } });

  test.each(living)(
    "a Pod that finds no free ports makes a server in %s Unhealthy, with the scheduler's words",
    (state) => {
      const message = "0/3 nodes are available: 3 node(s) didn't have free ports for the requested pod ports.";
      const conditions = [{ type: "PodScheduled", status: "False" as const, reason: "Unschedulable", message }];
      const verdict = health(server(state), pod({ phase: "Pending", conditions }), off);
      expect([stateOf(verdict), verdict?.note.message]).toEqual(["Unhealthy", `Issue with Gameserver pod: ${message}`]);
      const onAutopilot = { ...off, product: gkeAutopilot };
      expect(health(server(state), pod({ phase: "Pending", conditions }), onAutopilot)).toBeUndefined();
    },
  );

  test("one that waits for anything else waits on", () => {
    const conditions = [
      { type: "PodScheduled", status: "False" as const, reason: "Unschedulable", message: "Insufficient cpu" },
    ];
    expect(health(server("Starting"), pod({ phase: "Pending", conditions }), off)).toBeUndefined();
  });

  test.each(beforeReady)("a game that crashes while its server is in %s is started again", (state) => {
    expect(health(server(state), withGame(game(ended(1)), {}, "Always"), off)).toBeUndefined();
    expect(health(server(state), withGame(game({ running: {} }, "c2", ended(1)), {}, "Always"), off)).toBeUndefined();
  });

  test.each(beforeReady)("unless nothing starts it again (%s)", (state) => {
    expect(stateOf(health(server(state), withGame(game(ended(1)), {}, "Never"), off))).toBe("Unhealthy");
    expect(stateOf(health(server(state), pod({ phase: "Succeeded" }), off))).toBe("Unhealthy");
  });

  test.each(afterReady)("a game that ends while its server is %s makes it Unhealthy", (state) => {
    for (const exitCode of [0, 1]) {
      const crashed = withGame(game(ended(exitCode)), mark("c1"), "Always");
      expect(stateOf(health(server(state, mark("c1")), crashed, off))).toBe("Unhealthy");
    }
  });

  test("also when it was started again before anybody looked; the event says how it ended", () => {
    const again = withGame(game({ running: {} }, "c2", ended(9)), mark("c1"), "Always");
    const verdict = health(server("Allocated", mark("c1")), again, off);
    expect([stateOf(verdict), verdict?.note.message]).toEqual([
      "Unhealthy",
      "Issue with Gameserver pod: container game ended with exit code 9",
    ]);
  });

  test("a crash before the container that became Ready is forgiven", () => {
    const again = withGame(game({ running: {} }, "c2", ended(1)), mark("c2"), "Always");
    expect(health(server("Ready", mark("c2")), again, off)).toBeUndefined();
  });

  test("while one cache shows the mark and the other not yet, nothing is decided", () => {
    const again = withGame(game({ running: {} }, "c2", ended(1)), {}, "Always");
    expect(health(server("Ready", mark("c2")), again, off)).toBeUndefined();
    const early = withGame(game(ended(1), "c2"), mark("c2"), "Always");
    expect(health(server("RequestReady"), early, off)).toBeUndefined();
  });
});
