/** What becomes of a GameServer whose Pod, node or controllers meet an accident. */
import { describe, expect, test } from "vitest";
import { gkeAutopilot } from "#api/agones/cloud-product/gke-autopilot.ts";
import type { GameServerPort } from "#api/agones/gameserver.ts";
import { GAMESERVERS } from "#api/agones/resources.ts";
import { NODES, PODS } from "#api/core/resources.ts";
import { withFaults } from "#kube/fault-injection.ts";
import { containerOf, GameServerRig } from "#tests/gameserver/rig.ts";
import { blindTo } from "#tests/world/late-cache.ts";

const dynamic: GameServerPort = { name: "play", containerPort: 7777 };
const failed = { terminated: { exitCode: 3, message: "segmentation fault" } };
const mark = (object: { readonly metadata: { readonly annotations?: Readonly<Record<string, string>> } } | undefined) =>
  object?.metadata.annotations?.["agones.dev/ready-container-id"];

describe("a Pod that goes", () => {
  test("makes its server Unhealthy as soon as somebody asks for it, or when it is gone under a match", async () => {
    const rig = await GameServerRig.open();
    await rig.ready();
    await rig.deletePod();
    expect(await rig.state()).toBe("Unhealthy");

    await rig.ready({}, { name: "match" });
    await rig.setState("Allocated", "match");
    await rig.deletePod("match");
    await rig.clock.advance(20_000);
    expect(await rig.state("match")).toBe("Allocated");
    await rig.deletePod("match", 0);
    await rig.clock.advance(1000);
    expect(await rig.state("match")).toBe("Unhealthy");
    expect(rig.messages).toEqual(expect.arrayContaining(["Issue with Gameserver pod", "Pod is missing"]));
  });

  test("while no controller ran is found by the next one", async () => {
    const rig = await GameServerRig.open({ running: false });
    const first = rig.start();
    await rig.ready();
    await first.stop();
    await rig.deletePod("duel", 0);
    rig.start();
    await rig.settle();
    expect(await rig.state()).toBe("Unhealthy");
  });

  test("and that the cache never showed, though the API had it once, makes its server Unhealthy", async () => {
    const rig = await GameServerRig.open({ disturb: blindTo(PODS.plural) });
    await rig.create();
    await rig.clock.advance(10_000);
    expect(await rig.state()).toBe("Starting");
    await rig.deletePod("duel", 0);
    await rig.clock.advance(60_000);
    expect(await rig.state()).toBe("Unhealthy");
  });

  test("by an eviction that its budget allows makes its server Unhealthy", async () => {
    const rig = await GameServerRig.open();
    await rig.ready({ eviction: { safe: "Always" } });
    expect((await rig.findPod())?.metadata).toMatchObject({
      labels: { "agones.dev/safe-to-evict": "true" },
      annotations: { "cluster-autoscaler.kubernetes.io/safe-to-evict": "true" },
    });
    await rig.evict();
    expect(await rig.state()).toBe("Unhealthy");
  });

  test("because its node was short of something makes its server Unhealthy, and the event says so", async () => {
    const rig = await GameServerRig.open();
    await rig.ready();
    await rig.podStatus({ phase: "Failed", reason: "Evicted", message: "The node was low on resource: memory." });
    expect(await rig.state()).toBe("Unhealthy");
    expect(rig.messages).toContain("Issue with Gameserver pod: The node was low on resource: memory.");
  });
});

describe("a game that crashes", () => {
  test.each(["Scheduled", "Ready", "Allocated", "Reserved"] as const)(
    "in %s makes its server Unhealthy",
    async (state) => {
      const rig = await GameServerRig.open();
      await rig.ready();
      await rig.setState(state);
      await rig.podStatus({ phase: "Failed", containerStatuses: [containerOf(failed, "docker://1")] });
      expect(await rig.state()).toBe("Unhealthy");
      expect(rig.messages).toContain(
        "Issue with Gameserver pod: container game ended with exit code 3: segmentation fault",
      );
    },
  );

  test("while another container of its Pod goes on makes it Unhealthy too", async () => {
    const rig = await GameServerRig.open();
    await rig.ready();
    await rig.podStatus({ containerStatuses: [containerOf(failed, "docker://1")] });
    expect(await rig.state()).toBe("Unhealthy");
  });

  test("and is started again, without sidecar containers, counts only once its server was Ready", async () => {
    const rig = await GameServerRig.open({ gates: { SidecarContainers: false } });
    await rig.create();
    await rig.bind();
    await rig.run("docker://1");
    await rig.podStatus({ containerStatuses: [containerOf(failed, "docker://1")] });
    await rig.clock.advance(10_000);
    expect(await rig.state()).toBe("Scheduled");

    await rig.podStatus({ containerStatuses: [containerOf({ running: {} }, "docker://2", failed)] });
    await rig.setState("RequestReady");
    expect(await rig.state()).toBe("Ready");
    expect([mark(await rig.get()), mark(await rig.findPod())]).toEqual(["docker://2", "docker://2"]);
    await rig.clock.advance(10_000);
    expect(await rig.state()).toBe("Ready");

    await rig.podStatus({ containerStatuses: [containerOf({ running: {} }, "docker://3", failed)] });
    expect(await rig.state()).toBe("Unhealthy");
  });
});

describe("without sidecar containers", () => {
  test("Ready waits for the container to be seen, and its note survives whatever is lost in between", async () => {
    let updates = 0;
    const rig = await GameServerRig.open({
      gates: { SidecarContainers: false },
      disturb: (client) =>
        withFaults(client, ({ verb }) =>
          verb === "update" && ++updates > 2 && updates % 2 ? { type: "lose-answer" } : undefined,
        ),
    });
    await rig.create();
    await rig.bind();
    await rig.podStatus({ phase: "Pending", podIPs: [{ ip: "10.8.0.1" }] });
    await rig.clock.advance(1000);
    await rig.setState("RequestReady");
    await rig.clock.advance(1000);
    expect(await rig.state()).toBe("RequestReady");
    await rig.run("docker://7");
    await rig.clock.advance(5000);
    expect([await rig.state(), mark(await rig.get()), mark(await rig.findPod())]).toEqual([
      "Ready",
      "docker://7",
      "docker://7",
    ]);
  });

  test("two servers with one Static port on one node: the second is Unhealthy", async () => {
    const rig = await GameServerRig.open({ gates: { SidecarContainers: false } });
    const ports: GameServerPort[] = [{ name: "play", portPolicy: "Static", hostPort: 9000, containerPort: 7777 }];
    await rig.ready({ ports });
    await rig.create({ ports }, { name: "second" });
    const message = "0/1 nodes are available: 1 node(s) didn't have free ports for the requested pod ports.";
    await rig.podStatus(
      { conditions: [{ type: "PodScheduled", status: "False", reason: "Unschedulable", message }] },
      "second",
    );
    expect([await rig.state(), await rig.state("second")]).toEqual(["Ready", "Unhealthy"]);
  });
});

describe("a node", () => {
  test("that changes its address is followed until the server is Ready; then its players have lost it", async () => {
    const rig = await GameServerRig.open();
    await rig.create();
    await rig.bind();
    await rig.podStatus({ podIPs: [{ ip: "10.8.0.1" }] });
    const move = async (address: string) => {
      const node = await rig.api.client.get(NODES, "", "node-1");
      const status = { ...node.status, addresses: [{ type: "ExternalIP" as const, address }] };
      await rig.api.client.updateStatus(NODES, { ...node, status });
      await rig.settle();
    };
    await move("203.0.113.1");
    expect((await rig.get()).status).toMatchObject({ state: "Scheduled", address: "203.0.113.1" });
    await rig.run();
    await rig.setState("RequestReady");
    expect(await rig.state()).toBe("Ready");
    await move("203.0.113.2");
    expect(await rig.state()).toBe("Unhealthy");
    expect(rig.messages).toEqual(
      expect.arrayContaining(["Address updated due to Node migration", "Node migration occurred"]),
    );
  });

  test("without an address, or unknown yet, is waited for", async () => {
    const rig = await GameServerRig.open();
    await rig.addNode("bare", [{ type: "Hostname", address: "bare" }]);
    await rig.create();
    await rig.bind("duel", "bare");
    await rig.run();
    await rig.clock.advance(5000);
    expect(await rig.state()).toBe("Starting");
    const node = await rig.api.client.get(NODES, "", "bare");
    await rig.api.client.updateStatus(NODES, {
      ...node,
      status: { addresses: [{ type: "InternalIP", address: "10.0.0.9" }] },
    });
    await rig.clock.advance(1000);
    expect((await rig.get()).status).toMatchObject({ state: "Scheduled", address: "10.0.0.9" });
  });

  test("more is what a server whose ports are all in use waits for, and it is told so", async () => {
    const rig = await GameServerRig.open({ ranges: new Map([["default", { min: 7000, max: 7000 }]]) });
    const waits = "No free port on the present nodes: the Pod waits for another node";
    const toldOf = () => rig.recorder.events.filter(({ message }) => message === waits).map(({ key }) => key);
    await rig.create({ ports: [dynamic] });
    await rig.create({ ports: [dynamic] }, { name: "second" });
    expect([await rig.state("second"), toldOf()]).toEqual(["Starting", ["default/second"]]);
    await rig.addNode("node-2");
    await rig.addNode("node-3");
    await rig.create({ ports: [dynamic] }, { name: "third" });
    expect(toldOf()).toEqual(["default/second"]);

    const node = await rig.api.client.get(NODES, "", "node-3");
    await rig.api.client.update(NODES, { ...node, spec: { ...node.spec, unschedulable: true } });
    await rig.settle();
    await rig.create({ ports: [dynamic] }, { name: "fourth" });
    expect(toldOf()).toEqual(["default/second", "default/fourth"]);
  });
});

describe("host ports", () => {
  const portOf = async (rig: GameServerRig, name: string) => (await rig.get(name)).spec.ports?.[0]?.hostPort;
  const two = new Map([["default", { min: 7000, max: 7001 }]]);

  test("are known to a new leader from the servers alone, and none is given twice", async () => {
    const rig = await GameServerRig.open({ running: false, ranges: two });
    const first = rig.start();
    await rig.create({ ports: [dynamic] }, { name: "a" });
    await first.stop();
    const second = rig.start();
    await rig.settle();
    const { uid = "" } = (await rig.get("a")).metadata;
    expect([...second.ports.heldBy(uid)]).toEqual([await portOf(rig, "a")]);
    await rig.create({ ports: [dynamic] }, { name: "b" });
    expect(await portOf(rig, "b")).not.toBe(await portOf(rig, "a"));
  });

  test("of a server and its Pod agree though an old leader still writes while the new one has begun", async () => {
    const rig = await GameServerRig.open({ running: false, ranges: new Map([["default", { min: 7000, max: 7999 }]]) });
    const old = rig.start();
    rig.start();
    const names = Array.from({ length: 20 }, (_, number) => `server-${number}`);
    for (const name of names) await rig.create({ ports: [dynamic] }, { name });
    await old.stop();
    await rig.clock.advance(2000);
    const pods = (await rig.api.client.list(PODS)).items;
    for (const name of names) {
      const own = pods.filter(({ metadata }) => metadata.name === name);
      expect(own.map(({ spec }) => spec.containers[0]?.ports?.[0]?.hostPort)).toEqual([await portOf(rig, name)]);
    }
  });

  test.each(["conflict", "refuse", "lose-answer"] as const)(
    "are not lost when the write of them meets %s",
    async (type) => {
      let writes = 0;
      const rig = await GameServerRig.open({
        running: false,
        ranges: two,
        disturb: (client) =>
          withFaults(client, ({ verb }) => (verb === "update" && writes++ < 3 ? { type } : undefined)),
      });
      const { ports } = rig.start();
      const { uid = "" } = (await rig.create({ ports: [dynamic] })).metadata;
      await rig.clock.advance(5000);
      expect(await rig.state()).toBe("Starting");
      expect([...ports.heldBy(uid)]).toEqual([await portOf(rig, "duel")]);
      await rig.deleteServer();
      await rig.deletePod("duel", 0);
      await rig.clock.advance(1000);
      expect([await rig.state(), [...ports.heldBy(uid)]]).toEqual([undefined, []]);
      const given = ["a", "b"].map(async (name) => {
        await rig.create({ ports: [dynamic] }, { name });
        return portOf(rig, name);
      });
      expect((await Promise.all(given)).sort()).toEqual([7000, 7001]);
    },
  );

  test("of a server that goes before they were written are free again", async () => {
    const rig = await GameServerRig.open({
      running: false,
      ranges: two,
      disturb: (client) => withFaults(client, ({ verb }) => (verb === "update" ? { type: "refuse" } : undefined)),
    });
    const { ports } = rig.start();
    const { uid = "" } = (await rig.create({ ports: [dynamic] }, { name: "duel" })).metadata;
    expect(ports.heldBy(uid).size).toBe(1);
    const server = await rig.get();
    await rig.api.client.update(GAMESERVERS, { ...server, metadata: { ...server.metadata, finalizers: [] } });
    await rig.deleteServer();
    expect(ports.heldBy(uid).size).toBe(0);
  });

  test("of a range that does not exist are not given, and the operator is told", async () => {
    const rig = await GameServerRig.open({ ranges: two });
    await rig.create({ ports: [dynamic, { name: "voice", range: "tools", containerPort: 7000 }] });
    expect((await rig.get()).spec.ports?.map(({ hostPort }) => hostPort)).toEqual([expect.any(Number), undefined]);
    expect(rig.messages).toContain("Port voice gets no host port: there is no port range tools");
  });

  test("that a server asks for beyond its range put it into Error", async () => {
    const rig = await GameServerRig.open({ ranges: two });
    await rig.create({ ports: ["a", "b", "c"].map((name) => ({ ...dynamic, name })) });
    expect(await rig.state()).toBe("Error");
    expect(rig.messages).toContain("port range default has 2 ports, too few for GameServer duel");
  });

  test("come from Autopilot where it finds them, and a Pod that waits for them is not Unhealthy", async () => {
    const rig = await GameServerRig.open({ product: gkeAutopilot, gates: { SidecarContainers: false } });
    await rig.create({ ports: [dynamic, { name: "pass", portPolicy: "Passthrough" }] });
    const pod = await rig.findPod();
    expect(pod?.spec.containers.at(-1)?.ports?.map(({ hostPort }) => hostPort)).toEqual([1, 2]);
    expect(pod?.metadata.labels?.["agones.dev/port"]).toBe("autopilot-passthrough");
    expect(pod?.spec.securityContext).toEqual({ seccompProfile: { type: "Unconfined" } });
    const message = "0/1 nodes are available: 1 node(s) didn't have free ports for the requested pod ports.";
    await rig.podStatus({ conditions: [{ type: "PodScheduled", status: "False", reason: "Unschedulable", message }] });
    expect(await rig.state()).toBe("Starting");

    const answer = { min: 7000, max: 7099, portsAssigned: { 1: 7012, 2: 7013 } };
    const annotations = {
      ...pod?.metadata.annotations,
      "autopilot.gke.io/host-port-assignment": JSON.stringify(answer),
    };
    const now = await rig.api.client.get(PODS, "default", "duel");
    await rig.api.client.update(PODS, { ...now, metadata: { ...now.metadata, annotations } });
    await rig.bind();
    await rig.run();
    expect((await rig.get()).status).toMatchObject({
      state: "Scheduled",
      ports: [
        { name: "play", port: 7012 },
        { name: "pass", port: 7013 },
      ],
    });
  });
});
