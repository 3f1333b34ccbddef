/** Single game servers under a controller that is a process of its own, on both API servers. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { GameServer, GameServerPort, GameServerState } from "#api/agones/gameserver.ts";
import { GAMESERVERS } from "#api/agones/resources.ts";
import { PODS } from "#api/core/resources.ts";
import { isNotFound } from "#api/meta/status.ts";
import { eventually } from "#tests/harness/eventually.ts";
import { type Controller, leaderOf, openRigCluster, type RigCluster } from "../rig/cluster.ts";
import { allocateBy, serverNamed } from "./objects.ts";
import { sidecarCases } from "./sidecar-cases.ts";

const PATH = "/apis/agones.dev/v1/namespaces/default/gameservers";
const terminal: readonly (GameServerState | undefined)[] = ["Shutdown", "Error", "Unhealthy"];

describe.each(["Kubernetes", "embedded"] as const)("on the %s API server", (kind) => {
  let cluster: RigCluster;
  let controller: Controller;
  beforeAll(async () => {
    cluster = await openRigCluster(kind);
    controller = await leaderOf([cluster.startController("controller")]);
  });
  afterAll(() => cluster?.close());

  const create = (server: GameServer): Promise<GameServer> => cluster.client.create(GAMESERVERS, server);
  const read = (name: string): Promise<GameServer> => cluster.client.get(GAMESERVERS, "default", name);
  /** A terminal state never turns into another: waiting for anything else would be in vain. */
  const reaches = (name: string, state: GameServerState): Promise<GameServer> =>
    eventually(async () => {
      const server = await read(name);
      if (terminal.includes(server.status?.state) && !terminal.includes(state))
        throw new Error(`${name} has come to its end: ${server.status?.state}`);
      expect(server.status?.state).toBe(state);
      return server;
    });
  const ready = async (server: GameServer): Promise<GameServer> => {
    await create(server);
    return reaches(server.metadata.name ?? "", "Ready");
  };
  const gone = (name: string): Promise<void> => eventually(() => expect(read(name)).rejects.toSatisfy(isNotFound));
  const exit = (name: string, code: number): void =>
    expect(cluster.nodes.map((node) => node.exit(`default/${name}`, code, "game"))).toContain(true);

  test("a server without ports is Ready with an address and none", async () => {
    const { status } = await ready(serverNamed("portless", { ports: [] }));
    expect(status?.ports ?? []).toEqual([]);
    expect(status?.address).toMatch(/^10\.0\.0\.[12]$/);
    expect(status?.nodeName).toMatch(/^(north|south)$/);
  });

  const port = (more: Partial<GameServerPort>): GameServerPort => ({ name: "play", protocol: "UDP", ...more });
  test.each<readonly [string, GameServerPort, (port: GameServerPort | undefined) => void]>([
    [
      "passthrough",
      port({ portPolicy: "Passthrough" }),
      (made) => {
        expect(made?.hostPort).toBeGreaterThan(0);
        expect(made?.containerPort).toBe(made?.hostPort);
      },
    ],
    [
      "none",
      port({ portPolicy: "None", containerPort: 7654 }),
      (made) => expect([made?.hostPort, made?.containerPort]).toEqual([undefined, 7654]),
    ],
    [
      "second",
      port({ portPolicy: "Dynamic", containerPort: 7654, container: "side" }),
      (made) => expect(made?.container).toBe("side"),
    ],
  ])("a port of sort %s", async (name, given, holds) => {
    const containers = [
      { name: "game", image: "game:1" },
      { name: "side", image: "side:1" },
    ];
    const server = await ready(
      serverNamed(`port-${name}`, { container: "game", ports: [given], template: { spec: { containers } } }),
    );
    holds(server.spec.ports?.[0]);
    expect(server.status?.ports).toEqual([
      { name: "play", port: server.spec.ports?.[0]?.hostPort ?? given.containerPort },
    ]);
    const { spec } = await cluster.client.get(PODS, "default", `port-${name}`);
    const open = spec.containers.filter(({ ports = [] }) =>
      ports.some(({ containerPort }) => containerPort === server.spec.ports?.[0]?.containerPort),
    );
    expect(open.map((container) => container.name)).toEqual([given.container ?? "game"]);
  });

  test.each(["Dynamic", "Static"] as const)(
    "a %s port of both protocols is two with one number",
    async (portPolicy) => {
      const fixed = portPolicy === "Static" ? { hostPort: 6543 } : {};
      const given = port({ portPolicy, containerPort: 7654, protocol: "TCPUDP", ...fixed });
      const { spec, status } = await ready(serverNamed(`both-${portPolicy.toLowerCase()}`, { ports: [given] }));
      expect(spec.ports?.map(({ name, protocol }) => `${name} ${protocol}`)).toEqual(["play-tcp TCP", "play-udp UDP"]);
      expect(new Set(spec.ports?.map(({ hostPort }) => hostPort)).size).toBe(1);
      expect(status?.ports?.map(({ name }) => name)).toEqual(["play-tcp", "play-udp"]);
    },
  );

  test("the Pod's host name is the server's name, of 63 letters and with dots too; a subdomain is kept", async () => {
    const containers = [{ name: "game", image: "game:1" }];
    await ready(serverNamed("n".repeat(63)));
    await ready(serverNamed("dotted.name", { template: { spec: { containers, subdomain: "games" } } }));
    expect((await cluster.client.get(PODS, "default", "n".repeat(63))).spec.hostname).toBe("n".repeat(63));
    const dotted = await cluster.client.get(PODS, "default", "dotted.name");
    expect([dotted.spec.hostname, dotted.spec.subdomain]).toEqual(["dotted-name", "games"]);
  });

  test("a Pod that is deleted or evicted, and a game that crashes, make the server Unhealthy; one that ends well takes it away", async () => {
    await create(serverNamed("evicted", { eviction: { safe: "Always" } }));
    for (const name of ["deleted", "crashed", "done"]) await create(serverNamed(name));
    for (const name of ["deleted", "evicted", "crashed", "done"]) await reaches(name, "Ready");
    await cluster.client.delete(PODS, "default", "deleted");
    const evict = (name: string) => {
      const eviction = { apiVersion: "policy/v1", kind: "Eviction", metadata: { name, namespace: "default" } };
      return cluster.client.raw("POST", `/api/v1/namespaces/default/pods/${name}/eviction`, eviction);
    };
    await expect(evict("crashed")).rejects.toThrow("Cannot evict pod as it would violate the pod's disruption budget");
    await evict("evicted");
    exit("crashed", 3);
    exit("done", 0);
    for (const name of ["deleted", "evicted", "crashed"]) await reaches(name, "Unhealthy");
    await gone("done");
  });

  test("a Pod that went while no controller was there makes the server Unhealthy when one is", async () => {
    await ready(serverNamed("orphan"));
    await controller.process.stop();
    await cluster.client.delete(PODS, "default", "orphan");
    await eventually(() => expect(cluster.client.get(PODS, "default", "orphan")).rejects.toSatisfy(isNotFound));
    expect((await read("orphan")).status?.state).toBe("Ready");
    controller = await leaderOf([cluster.startController("second")]);
    await reaches("orphan", "Unhealthy");
  });

  test("a game takes its server to Allocated and back, holds it in reserve, and ends it", async () => {
    await ready(serverNamed("states"));
    for (const state of ["Allocated", "Reserved", "Allocated"] as const) {
      await cluster.setState("states", state);
      await reaches("states", state);
      await cluster.setState("states", "RequestReady");
      await reaches("states", "Ready");
    }
    await cluster.setState("states", "Shutdown");
    await gone("states");
  });

  test("a development server is Ready without a Pod, again when it asks, is allocated by its labels, and goes in any state", async () => {
    const laptop = (name: string) =>
      serverNamed(
        name,
        { container: "nowhere", ports: [port({ portPolicy: "Static", hostPort: 7777, containerPort: 7777 })] },
        { labels: { laptop: name }, annotations: { "agones.dev/dev-address": "192.0.2.9" } },
      );
    const { status } = await ready(laptop("mine"));
    expect([status?.address, status?.ports]).toEqual(["192.0.2.9", [{ name: "play", port: 7777 }]]);
    await ready(laptop("other"));
    await expect(cluster.client.get(PODS, "default", "mine")).rejects.toSatisfy(isNotFound);
    await cluster.setState("mine", "RequestReady");
    await reaches("mine", "Ready");
    expect(await eventually(async () => (await allocateBy(cluster, { laptop: "mine" })) ?? Promise.reject())).toBe(
      "mine",
    );
    await reaches("mine", "Allocated");
    for (const name of ["mine", "other"]) {
      await cluster.client.delete(GAMESERVERS, "default", name);
      await gone(name);
    }
  });

  test("a JSON patch that names an older version is refused, one that names the present one is not", async () => {
    const { metadata } = await ready(serverNamed("patched"));
    const patch = (version: string | undefined) =>
      cluster.server.call(
        "PATCH",
        `${PATH}/patched`,
        [
          { op: "test", path: "/metadata/resourceVersion", value: version ?? "" },
          { op: "add", path: "/metadata/labels", value: { patched: "yes" } },
        ],
        { contentType: "application/json-patch+json" },
      );
    expect((await patch(metadata.resourceVersion)).status).toBe(200);
    expect((await patch(metadata.resourceVersion)).status).toBe(422);
  });

  describe("the SDK server beside a game", () => sidecarCases(() => cluster));
});
