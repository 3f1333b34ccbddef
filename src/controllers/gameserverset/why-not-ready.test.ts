import { expect, test } from "vitest";
import type { GameServerSpec, GameServerState } from "#api/agones/gameserver.ts";
import type { Pod, PodStatus } from "#api/core/pod.ts";
import { buildGameServer } from "../fixtures.ts";
import { heldUpBy, obstacleOf, whyNotReady } from "./why-not-ready.ts";

const pod = (status: PodStatus): Pod => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "a", namespace: "default" },
  spec: { containers: [] },
  status,
});
const container = { name: "game", image: "", imageID: "", ready: false, restartCount: 0 };

test.each<readonly [string, GameServerState, Pod | undefined, string]>([
  ["no Pod", "Creating", undefined, "it is Creating and has no Pod"],
  [
    "no node",
    "Starting",
    pod({
      phase: "Pending",
      conditions: [
        { type: "PodScheduled", status: "False", reason: "Unschedulable", message: "0/1 nodes: no free ports" },
      ],
    }),
    "no node takes its Pod: 0/1 nodes: no free ports",
  ],
  [
    "an image that cannot be had",
    "Scheduled",
    pod({
      phase: "Pending",
      containerStatuses: [{ ...container, state: { waiting: { reason: "ImagePullBackOff" } } }],
    }),
    "container game waits: ImagePullBackOff",
  ],
  [
    "a game that failed beside a sidecar",
    "Unhealthy",
    pod({ phase: "Running", containerStatuses: [{ ...container, state: { terminated: { exitCode: 2 } } }] }),
    "container game ended with exit code 2",
  ],
  [
    "a command that came to its end",
    "Shutdown",
    pod({ phase: "Succeeded", containerStatuses: [{ ...container, state: { terminated: { exitCode: 0 } } }] }),
    "container game exited with code 0 before it said Ready: a game must call Ready and keep running",
  ],
  [
    "a game that asked for its own end",
    "Shutdown",
    undefined,
    "it was shut down before it said Ready: a game must call Ready and keep running",
  ],
  [
    "a game that ended while it should play",
    "Unhealthy",
    pod({ phase: "Running", containerStatuses: [{ ...container, state: { terminated: { exitCode: 0 } } }] }),
    "container game exited with code 0",
  ],
  ["a Pod that failed", "Unhealthy", pod({ phase: "Failed", message: "evicted" }), "evicted"],
  ["an Error", "Error", undefined, "it is Error; its events say why"],
  [
    "a game that says nothing",
    "Scheduled",
    pod({ phase: "Running" }),
    "its game runs and has not called Ready() of the SDK",
  ],
  ["anything else", "Starting", pod({ phase: "Pending" }), "it is Starting and its Pod is Pending"],
])("%s is told in words", (_name, state, itsPod, words) => {
  expect(whyNotReady(buildGameServer("a", state), itsPod)).toBe(words);
});

test("a game that hangs is told with how often it should be heard, unless nobody listens", () => {
  const why = (health: GameServerSpec["health"]) => {
    const server = buildGameServer("a", "Unhealthy");
    return whyNotReady({ ...server, spec: { ...server.spec, health } }, pod({ phase: "Running" }));
  };
  expect(why({ periodSeconds: 4 })).toBe("its game runs and did not call Health() of the SDK every 4 s");
  expect(why({ disabled: true })).toBe("it is Unhealthy; its events say why");
});

test("a server that finds no free host port is told with the setting that gives more, unless it chose its port itself", () => {
  const message = "0/1 nodes are available: 1 node(s) didn't have free ports for the requested pod ports.";
  const waiting = pod({
    phase: "Pending",
    conditions: [{ type: "PodScheduled", status: "False", reason: "Unschedulable", message }],
  });
  const words = (portPolicy: "Dynamic" | "Static") => {
    const server = buildGameServer("a", "Starting");
    const ports = [{ name: "default", portPolicy, hostPort: 7000, containerPort: 7654 }];
    return whyNotReady({ ...server, spec: { ...server.spec, ports } }, waiting, "--game-ports");
  };
  expect(words("Dynamic")).toBe(
    "no node takes its Pod: 0/1 nodes are available: 1 node(s) didn't have free ports for the requested pod ports; --game-ports gives game servers more host ports",
  );
  expect(words("Static")).not.toContain("--game-ports");
});

test("what somebody has to mend is an obstacle, what passes by itself is none", () => {
  const server = buildGameServer("a", "Scheduled");
  const waits = (reason: string, message: string) =>
    pod({ phase: "Pending", containerStatuses: [{ ...container, state: { waiting: { reason, message } } }] });
  const unmapped = waits("ErrImagePull", "map it by stadion images add");
  expect(obstacleOf(server, unmapped)).toEqual({
    reason: "ContainersWaiting",
    message: "container game waits: ErrImagePull: map it by stadion images add",
  });
  expect(heldUpBy(unmapped)).toBe("container game waits: ErrImagePull: map it by stadion images add");
  const starts = waits("ContainerCreating", "");
  expect([obstacleOf(server, starts), heldUpBy(starts), obstacleOf(server, undefined)]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
});
