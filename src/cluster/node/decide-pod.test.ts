import { describe, expect, test } from "vitest";
import type { Container, Pod, PodSpec } from "#api/core/pod.ts";
import { containersOf, decidePod, type PodSnapshot } from "./decide-pod.ts";
import { type ContainerState, type ContainerView, nextBackoff, restartAt } from "./decide-restart.ts";

const now = 1_000_000;
const waiting: ContainerState = { kind: "waiting", reason: "ContainerCreating", attempts: 0, retryAt: 0 };
const running: Extract<ContainerState, { kind: "running" }> = {
  kind: "running",
  containerID: "c",
  startedAt: now - 5000,
  started: true,
  ready: true,
  failed: false,
};
const ended = (exitCode: number, finishedAt = now, startedAt = now - 5000): ContainerState => ({
  kind: "ended",
  end: { exitCode, reason: exitCode === 0 ? "Completed" : "Error", startedAt, finishedAt },
});

const container = (name: string, more: Partial<Container> = {}): Container => ({ name, image: name, ...more });
const game: PodSpec = {
  restartPolicy: "Never",
  initContainers: [container("sdk", { restartPolicy: "Always" })],
  containers: [container("game")],
};
const pod = (spec: PodSpec, status?: Pod["status"]): Pod => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "a", namespace: "ns", uid: "u" },
  spec,
  status,
});

function snapshot(
  spec: PodSpec,
  states: Readonly<Record<string, ContainerState | ContainerView>> = {},
  more: Partial<PodSnapshot> = {},
): PodSnapshot {
  const view = (state: ContainerState | ContainerView | undefined): ContainerView =>
    state && "restartCount" in state ? state : { state: state ?? waiting, restartCount: 0 };
  const subject = more.pod ?? pod(spec);
  return {
    pod: subject,
    mode: "run",
    graceMs: 30_000,
    containers: new Map(containersOf(subject).map(({ name }) => [name, view(states[name])])),
    handlers: new Set(["sdk"]),
    now,
    ...more,
  };
}
const decided = (...args: Parameters<typeof snapshot>) =>
  decidePod(snapshot(...args)).actions.map((action) =>
    "container" in action ? `${action.type} ${action.container}` : action.type,
  );

describe("a pod that is to run", () => {
  test("starts its handler alone first", () => expect(decided(game)).toEqual(["start sdk"]));
  test("starts the game once the handler runs", () => expect(decided(game, { sdk: running })).toEqual(["start game"]));
  test("does so for a handler among its regular containers too", () => {
    const flat: PodSpec = { containers: [container("sdk"), container("game")] };
    expect(decided(flat)).toEqual(["start sdk"]);
    expect(decided(flat, { sdk: running })).toEqual(["start game"]);
    expect(decided(flat, { sdk: ended(0), game: running })).toEqual(["start sdk"]);
  });
  test("does nothing while all is well", () => expect(decided(game, { sdk: running, game: running })).toEqual([]));

  const inits: PodSpec = {
    initContainers: [container("setup"), container("proxy", { restartPolicy: "Always" }), container("migrate")],
    containers: [container("a"), container("b")],
  };
  test.each<[string, Record<string, ContainerState>, string[]]>([
    ["runs the first init container alone", {}, ["start setup"]],
    ["waits for it", { setup: running }, []],
    ["goes on to the sidecar", { setup: ended(0) }, ["start proxy"]],
    ["waits until the sidecar has started", { setup: ended(0), proxy: { ...running, started: false } }, []],
    ["does not wait for the sidecar to end", { setup: ended(0), proxy: running }, ["start migrate"]],
    ["starts the others together", { setup: ended(0), proxy: running, migrate: ended(0) }, ["start a", "start b"]],
    [
      "repeats no init container later",
      { setup: ended(0), proxy: running, migrate: ended(0), a: running, b: running },
      [],
    ],
    [
      "restarts a sidecar that ended",
      { setup: ended(0), proxy: ended(0), migrate: ended(0), a: running, b: running },
      ["start proxy"],
    ],
  ])("%s", (_name, states, want) => expect(decided(inits, states)).toEqual(want));

  test("starts nothing when its phase is final already", () =>
    expect(decided(game, {}, { pod: pod(game, { phase: "Failed" }) })).toEqual([]));

  test.each<[PodSpec["restartPolicy"], number, string[]]>([
    ["Always", 0, ["start a"]],
    ["Always", 1, ["start a"]],
    ["OnFailure", 0, []],
    ["OnFailure", 1, ["start a"]],
    ["Never", 0, []],
    ["Never", 1, []],
  ])("with policy %s and exit code %i does %j", (restartPolicy, code, want) =>
    expect(decided({ restartPolicy, containers: [container("a")] }, { a: ended(code) })).toEqual(want),
  );

  test("waits for the back-off of a container that keeps failing", () => {
    const spec: PodSpec = { containers: [container("a")] };
    const view: ContainerView = { state: ended(1, now - 4_000), restartCount: 2, backoffMs: 10_000 };
    expect(decidePod(snapshot(spec, { a: view }))).toEqual({ actions: [], wakeAt: now + 6_000 });
    expect(decidePod(snapshot(spec, { a: view }, { now: now + 6_000 })).actions).toEqual([
      { type: "start", container: "a" },
    ]);
  });

  test("ends the sidecars when its work is done, and does not finish: the object stays", () => {
    expect(decided(game, { sdk: running, game: ended(0) })).toEqual(["stop sdk"]);
    expect(decided(game, { sdk: ended(0), game: ended(0) })).toEqual([]);
  });

  test("ends for good when an init container fails and may not be repeated", () => {
    const spec: PodSpec = { ...game, initContainers: [...(game.initContainers ?? []), container("setup")] };
    expect(decided(spec, { sdk: running, setup: ended(1) })).toEqual(["stop sdk"]);
  });

  test("ends a container whose liveness probe gave it up, and kills it after the grace period", () => {
    const failed = { ...running, failed: true };
    expect(decided(game, { sdk: running, game: failed })).toEqual(["stop game"]);
    const stopping = { since: now - 30_000, graceMs: 30_000, killed: false };
    expect(decided(game, { sdk: running, game: { ...failed, stopping } })).toEqual(["kill game"]);
  });
});

describe("a pod that is to end", () => {
  const end = { mode: "delete" } as const;
  test("keeps its handler while the game may still call it", () =>
    expect(decided(game, { sdk: running, game: running }, end)).toEqual(["stop game"]));
  test("waits for a game that ends", () => {
    const stopping = { since: now - 1_000, graceMs: 30_000, killed: false };
    const decision = decidePod(
      snapshot(game, { sdk: running, game: { ...running, stopping } }, { ...end, stoppingSince: now - 1_000 }),
    );
    expect(decision).toEqual({ actions: [], wakeAt: now + 29_000 });
  });
  test("waits for a container that is just starting", () =>
    expect(decided(game, { sdk: running, game: { kind: "starting", since: now } }, end)).toEqual([]));
  test("ends the handler after the game", () =>
    expect(decided(game, { sdk: running, game: ended(0) }, end)).toEqual(["stop sdk"]));
  test("finishes when nothing is left", () =>
    expect(decided(game, { sdk: ended(0), game: ended(0) }, end)).toEqual(["finish"]));
  test("finishes at once when nothing ever ran", () => expect(decided(game, {}, end)).toEqual(["finish"]));
  test("does not give a second grace period after a new start of the agent", () =>
    expect(decided(game, { sdk: running, game: running }, { ...end, stoppingSince: now - 31_000 })).toEqual([
      "kill game",
    ]));
  test("kills sooner when the grace period was shortened", () => {
    const stopping = { since: now - 2_000, graceMs: 30_000, killed: false };
    expect(decided(game, { sdk: running, game: { ...running, stopping } }, { ...end, graceMs: 1_000 })).toEqual([
      "kill game",
    ]);
  });
  test("ends sidecars one after another, the last first, handlers at the very end", () => {
    const spec: PodSpec = {
      initContainers: [container("one", { restartPolicy: "Always" }), container("two", { restartPolicy: "Always" })],
      containers: [container("sdk"), container("game")],
    };
    const states = { one: running, two: running, sdk: running, game: running };
    expect(decided(spec, states, end)).toEqual(["stop game"]);
    expect(decided(spec, { ...states, game: ended(0) }, end)).toEqual(["stop two"]);
    expect(decided(spec, { ...states, game: ended(0), two: ended(0) }, end)).toEqual(["stop one"]);
    expect(decided(spec, { ...states, game: ended(0), two: ended(0), one: ended(0) }, end)).toEqual(["stop sdk"]);
  });
  test("is killed without grace when the API knows it no longer", () =>
    expect(decided(game, { sdk: running, game: running }, { mode: "vanished", graceMs: 0 })).toEqual(["kill game"]));
});

describe("the back-off of restarts", () => {
  const failing = (backoffMs: number | undefined, ranMs = 1_000): ContainerView => ({
    state: ended(1, now, now - ranMs),
    restartCount: 1,
    backoffMs,
  });
  test("begins with a restart at once, then 10 s doubled up to 5 min", () => {
    let view = failing(undefined);
    const waits: number[] = [];
    for (let restart = 0; restart < 7; restart++) {
      waits.push(restartAt(view) - now);
      view = failing(nextBackoff(view));
    }
    expect(waits).toEqual([0, 10_000, 20_000, 40_000, 80_000, 160_000, 300_000]);
  });
  test("is forgotten after a run of more than 10 min", () => {
    const lasted = failing(300_000, 600_001);
    expect(restartAt(lasted)).toBe(now);
    expect(nextBackoff(lasted)).toBe(10_000);
  });
});
