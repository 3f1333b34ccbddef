/** The lives of servers, sets, fleets and autoscalers under a controller that is a process of its own, on both API servers. */
import { get } from "node:http";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { FLEETS, GAMESERVERS } from "#api/agones/resources.ts";
import { FLEETAUTOSCALERS } from "#api/autoscaling/resources.ts";
import { LEASES, PODS } from "#api/core/resources.ts";
import { isNotFound } from "#api/meta/status.ts";
import { eventually } from "#tests/harness/eventually.ts";
import { fleetOf, templateOf } from "#tests/world/changes.ts";
import { type Controller, leaderOf, openRigCluster, type RigCluster } from "../rig/cluster.ts";
import { notPermitted } from "../rig/permissions.ts";
import { allocate, census, changeFleet, inState, portsOf, serversOf, setsOf } from "./objects.ts";

describe.each(["Kubernetes", "embedded"] as const)("on the %s API server", (kind) => {
  let cluster: RigCluster;
  let controller: Controller;
  beforeAll(async () => {
    cluster = await openRigCluster(kind);
    controller = await leaderOf([cluster.startController("controller")]);
  });
  afterAll(() => cluster?.close());

  /** A fleet whose servers are all Ready. */
  const withFleet = async (name: string, replicas: number): Promise<void> => {
    await cluster.client.create(FLEETS, fleetOf(name, replicas));
    await hasServers(name, { Ready: replicas });
  };
  const hasServers = (fleet: string, expected: Readonly<Record<string, number>>): Promise<void> =>
    eventually(async () => expect(census(await serversOf(cluster.client, fleet))).toEqual(expected));

  test("a fleet's servers become Ready, each with an address and ports of its own", async () => {
    await withFleet("first", 5);
    const servers = await serversOf(cluster.client, "first");
    for (const { metadata, status } of servers) {
      const { spec } = await cluster.client.get(PODS, "default", metadata.name ?? "");
      expect(status?.nodeName).toBe(spec.nodeName);
      expect(status?.address).toBe(status?.nodeName === "north" ? "10.0.0.1" : "10.0.0.2");
      expect(status?.addresses?.map(({ type }) => type)).toEqual(["InternalIP", "PodIP"]);
    }
    expect(new Set(portsOf(servers)).size).toBe(5);
    await eventually(async () =>
      expect((await cluster.client.get(FLEETS, "default", "first")).status).toMatchObject({
        replicas: 5,
        readyReplicas: 5,
      }),
    );
  });

  test("scaling takes servers away that nobody plays on, and brings new ones", async () => {
    await withFleet("scaled", 4);
    const taken = await allocate(cluster, "scaled");
    await changeFleet(cluster.client, "scaled", { replicas: 0 });
    await hasServers("scaled", { Allocated: 1 });
    expect((await serversOf(cluster.client, "scaled")).map(({ metadata }) => metadata.name)).toEqual([taken]);
    await changeFleet(cluster.client, "scaled", { replicas: 6 });
    await hasServers("scaled", { Allocated: 1, Ready: 5 });
  });

  test("a rolling update replaces servers while matches are taken, and ends none of them", async () => {
    await withFleet("rolled", 8);
    const taken = new Set<string>();
    await changeFleet(cluster.client, "rolled", { template: templateOf("2") });
    await eventually(
      async () => {
        const name = taken.size < 4 ? await allocate(cluster, "rolled") : undefined;
        if (name) taken.add(name);
        const sets = await setsOf(cluster.client, "rolled");
        const old = sets.filter(({ spec }) => spec.template.spec.template.spec.containers?.[0]?.image === "game:1");
        expect(taken.size).toBe(4);
        expect(old.every(({ spec }) => spec.replicas === 0)).toBe(true);
        expect(census(await serversOf(cluster.client, "rolled"))).toEqual({ Allocated: 4, Ready: 4 });
      },
      { within: 60_000, every: 300 },
    );
    const allocated = inState(await serversOf(cluster.client, "rolled"), "Allocated").map(
      ({ metadata }) => metadata.name,
    );
    expect(allocated.toSorted()).toEqual([...taken].toSorted());
  });

  test("a crash, a Pod that is deleted and a game that ends each give a new server", async () => {
    await withFleet("mortal", 3);
    const [crashed = "", deleted = "", ended = ""] = (await serversOf(cluster.client, "mortal")).map(
      ({ metadata }) => metadata.name,
    );
    const nodeWith = (name: string) => cluster.nodes.map((node) => node.crash(`default/${name}`, "game"));
    expect(nodeWith(crashed)).toContain(true);
    await cluster.client.delete(PODS, "default", deleted);
    expect(cluster.nodes.map((node) => node.exit(`default/${ended}`, 0, "game"))).toContain(true);
    await eventually(async () => {
      const servers = await serversOf(cluster.client, "mortal");
      expect(census(servers)).toEqual({ Ready: 3 });
      for (const gone of [crashed, deleted, ended])
        expect(servers.map(({ metadata }) => metadata.name)).not.toContain(gone);
    });
  });

  test("a server that its game shuts down goes, with its Pod", async () => {
    await cluster.client.create(GAMESERVERS, {
      apiVersion: "agones.dev/v1",
      kind: "GameServer",
      metadata: { name: "duel", namespace: "default" },
      ...templateOf("1"),
    });
    await eventually(async () =>
      expect((await cluster.client.get(GAMESERVERS, "default", "duel")).status?.state).toBe("Ready"),
    );
    await cluster.setState("duel", "Shutdown");
    await eventually(() => expect(cluster.client.get(GAMESERVERS, "default", "duel")).rejects.toSatisfy(isNotFound));
    await expect(cluster.client.get(PODS, "default", "duel")).rejects.toSatisfy(isNotFound);
  });

  test("a buffer follows what is allocated", async () => {
    await withFleet("buffered", 1);
    await cluster.client.create(FLEETAUTOSCALERS, {
      apiVersion: "autoscaling.agones.dev/v1",
      kind: "FleetAutoscaler",
      metadata: { name: "buffered", namespace: "default" },
      spec: {
        fleetName: "buffered",
        policy: { type: "Buffer", buffer: { bufferSize: 2, maxReplicas: 5 } },
        sync: { type: "FixedInterval", fixedInterval: { seconds: 1 } },
      },
    });
    await hasServers("buffered", { Ready: 2 });
    await allocate(cluster, "buffered");
    await hasServers("buffered", { Allocated: 1, Ready: 2 });
  });

  test("a deleted fleet takes all its servers along", async () => {
    await withFleet("ended", 3);
    await cluster.client.delete(FLEETS, "default", "ended", { propagationPolicy: "Background" });
    await hasServers("ended", {});
  });

  test("the controller tells what it sees", async () => {
    await withFleet("seen", 2);
    const metrics = await eventually(async () => {
      const scraped = await read(controller, "/metrics");
      const seen = scraped.split("\n").filter((line) => /^agones_gameservers_count.*fleet_name="seen"/.test(line));
      expect(seen).toContain('agones_gameservers_count{type="Ready",fleet_name="seen",namespace="default"} 2');
      return scraped;
    });
    expect(metrics).toMatch(/agones_k8s_client_http_request_total\{verb="POST",status_code="201"\} [1-9]/);
    expect(notPermitted(metrics, "controller")).toEqual([]);
    const checks = JSON.parse(await read(controller, "/live?full=1"));
    expect(Object.keys(checks).toSorted()).toEqual([
      "fleet-workerqueue",
      "fleetautoscaler-workerqueue",
      "gameserver-creation-workerqueue",
      "gameserver-deletion-workerqueue",
      "gameserver-health-workerqueue",
      "gameserver-migration-workerqueue",
      "gameserver-missing-pod-workerqueue",
      "gameserver-succeeded-workerqueue",
      "gameserver-workerqueue",
      "gameserverset-allocationoverflow-workerqueue",
      "gameserverset-workerqueue",
    ]);
    expect(new Set(Object.values(checks))).toEqual(new Set(["OK"]));
    const lines = controller.process.output
      .split("\n")
      .flatMap((line) => (line.startsWith("{") ? JSON.parse(line) : []));
    expect(lines[0]).toMatchObject({ message: "Setting LogLevel configuration", logLevel: "debug" });
    expect(lines[1]).toMatchObject({ message: "starting gameServer operator...", ctlConf: { "min-port": 7000 } });
    expect(lines.every((line) => line.time && line.severity && line.message && line.source)).toBe(true);
  });

  test("a controller whose lease is another's ends well, and its successor leads when that lease is over", async () => {
    const spec = { holderIdentity: "another", leaseDurationSeconds: 1 };
    await cluster.client.patch(LEASES, "agones-system", "agones-controller-lock", { type: "merge", patch: { spec } });
    await eventually(() => expect(controller.process.exitCode).toBe(0));
    controller = await leaderOf([cluster.startController("successor")]);
    await withFleet("succeeded", 1);
  }, 150_000);
});

const read = ({ port }: Controller, path: string): Promise<string> =>
  new Promise((resolve, reject) => {
    get({ host: "127.0.0.1", port: port(), path, agent: false }, (response) => resolve(text(response))).on(
      "error",
      reject,
    );
  });
