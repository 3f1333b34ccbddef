import { describe, expect, test } from "vitest";
import { defaultFleet, defaultGameServer } from "./defaults.ts";
import { featureGates } from "./feature-gates.ts";
import { duel, fleet, manifest } from "./gameserver.fixture.ts";
import type { GameServer } from "./gameserver.ts";

const options = { gates: featureGates(), version: "1.2.3" };
const filled = (gameServer: GameServer, gates = options.gates) => defaultGameServer(gameServer, { ...options, gates });
const two = { spec: { containers: [duel, { name: "log-tail" }] } };

describe("a new GameServer", () => {
  test("with one container and nothing else gets every default", () => {
    expect(filled(manifest())).toEqual({
      apiVersion: "agones.dev/v1",
      kind: "GameServer",
      metadata: {
        name: "duel-1",
        namespace: "games",
        uid: "u-1",
        annotations: { "agones.dev/sdk-version": "1.2.3" },
        finalizers: ["agones.dev/controller"],
      },
      spec: {
        template: { spec: { containers: [duel] } },
        container: "duel",
        health: { periodSeconds: 5, failureThreshold: 3, initialDelaySeconds: 5 },
        eviction: { safe: "Never" },
        scheduling: "Packed",
        sdkServer: { logLevel: "Info", grpcPort: 9357, httpPort: 9358 },
      },
      status: { state: "Creating", eviction: { safe: "Never" } },
    });
  });

  test("keeps its finalizers and annotations; ours is added once, the version replaced", () => {
    const metadata = {
      finalizers: ["a/b", "agones.dev/controller"],
      annotations: { owner: "x", "agones.dev/sdk-version": "0" },
    };
    expect(filled(manifest({}, metadata)).metadata).toMatchObject({
      finalizers: ["a/b", "agones.dev/controller"],
      annotations: { owner: "x", "agones.dev/sdk-version": "1.2.3" },
    });
    expect(filled(manifest({}, { finalizers: ["a/b"] })).metadata.finalizers).toEqual(["a/b", "agones.dev/controller"]);
  });

  test.each([
    ["the only container replaces what was named", manifest({ container: "other" }), "duel"],
    ["of several the named one stays", manifest({ container: "log-tail", template: two }), "log-tail"],
    ["of several none is chosen", manifest({ template: two }), undefined],
  ])("container: %s", (_, gameServer, container) => {
    expect(filled(gameServer).spec.container).toBe(container);
  });

  test("ports are Dynamic UDP of the default range in the game container, unless they say otherwise", () => {
    const ports = [
      { containerPort: 7000 },
      { portPolicy: "Static", range: "wide", protocol: "TCP", container: "log-tail", hostPort: 7001 },
      { container: "" },
    ] as const;
    expect(filled(manifest({ ports, template: two, container: "duel" })).spec.ports).toEqual([
      { containerPort: 7000, portPolicy: "Dynamic", range: "default", protocol: "UDP", container: "duel" },
      ports[1],
      { portPolicy: "Dynamic", range: "default", protocol: "UDP", container: "duel" },
    ]);
  });

  test.each([
    ["what is zero or below is filled", { periodSeconds: 0, failureThreshold: -1 }, [5, 3, 5]],
    ["what is set stays", { periodSeconds: 4, failureThreshold: 2, initialDelaySeconds: 12 }, [4, 2, 12]],
    ["a disabled check is left alone", { disabled: true }, [undefined, undefined, undefined]],
  ])("health: %s", (_, health, [period, threshold, delay]) => {
    expect(filled(manifest({ health })).spec.health).toEqual({
      ...health,
      periodSeconds: period,
      failureThreshold: threshold,
      initialDelaySeconds: delay,
    });
  });

  test.each([
    ["Dynamic", "PortAllocation"],
    ["Passthrough", "PortAllocation"],
    ["Static", "Creating"],
    ["None", "Creating"],
  ] as const)("with a %s port starts in %s", (portPolicy, state) => {
    expect(filled(manifest({ ports: [{ portPolicy }] })).status?.state).toBe(state);
  });

  test("keeps a state that it came with", () => {
    expect(filled({ ...manifest({ ports: [{}] }), status: { state: "Ready" } }).status?.state).toBe("Ready");
  });

  test("takes its status' eviction from the spec; the template's annotation makes it Always, in the status alone", () => {
    const annotated = (value: string) => ({
      metadata: { annotations: { "cluster-autoscaler.kubernetes.io/safe-to-evict": value } },
      spec: { containers: [duel] },
    });
    const always = filled(manifest({ eviction: { safe: "OnUpgrade" }, template: annotated("true") }));
    expect([always.spec.eviction, always.status?.eviction]).toEqual([{ safe: "OnUpgrade" }, { safe: "Always" }]);
    expect(filled(manifest({ template: annotated("false") })).status?.eviction).toEqual({ safe: "Never" });
    const replaced = {
      ...manifest({ eviction: { safe: "OnUpgrade" } }),
      status: { eviction: { safe: "Always" } },
    } as const;
    expect(filled(replaced).status?.eviction).toEqual({ safe: "OnUpgrade" });
  });

  test("copies counters and lists to its status, over what was there, while the gate is on", () => {
    const counters = { rooms: { count: 1n, capacity: 2n } };
    const lists = { players: { capacity: 3n, values: ["a"] } };
    const gameServer = { ...manifest({ counters, lists }), status: { counters: { other: {} } } };
    expect(filled(gameServer).status).toMatchObject({ counters, lists });
    expect(filled(gameServer).status?.counters).toEqual(counters);
    const off = filled(gameServer, featureGates({ CountsAndLists: false }));
    expect(off.status).toEqual({ state: "Creating", eviction: { safe: "Never" }, counters: { other: {} } });
  });

  test("tracks players while the gate is on", () => {
    const gates = featureGates({ PlayerTracking: true });
    expect(filled(manifest({ players: { initialCapacity: 8n } }), gates).status?.players).toEqual({ capacity: 8n });
    expect(filled(manifest(), gates).status?.players).toEqual({});
    expect(filled(manifest({ players: { initialCapacity: 8n } })).status?.players).toBeUndefined();
  });
});

describe("a new Fleet", () => {
  test("gets strategy, scheduling and version; its template stays as written", () => {
    const written = fleet();
    const completed = defaultFleet(written, "1.2.3");
    expect(completed.spec).toEqual({
      ...written.spec,
      strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: "25%", maxUnavailable: "25%" } },
      scheduling: "Packed",
    });
    expect(completed.metadata.annotations).toEqual({ "agones.dev/sdk-version": "1.2.3" });
    expect(completed.spec.template).toBe(written.spec.template);
  });

  test.each([
    [{ type: "Recreate" }, { type: "Recreate" }],
    [
      { type: "RollingUpdate", rollingUpdate: null },
      { type: "RollingUpdate", rollingUpdate: { maxSurge: "25%", maxUnavailable: "25%" } },
    ],
    [
      { rollingUpdate: { maxSurge: 0 } },
      { type: "RollingUpdate", rollingUpdate: { maxSurge: 0, maxUnavailable: "25%" } },
    ],
  ] as const)("strategy %j becomes %j", (strategy, expected) => {
    expect(defaultFleet(fleet({ strategy }), "1").spec.strategy).toEqual(expected);
  });
});
