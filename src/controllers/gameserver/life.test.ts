/** What a GameServer's life promises to its game, its players and its operator, one test a promise. */
import { describe, expect, test } from "vitest";
import type { GameServerPort, GameServerSpec } from "#api/agones/gameserver.ts";
import { GAMESERVERS } from "#api/agones/resources.ts";
import { PODS } from "#api/core/resources.ts";
import { type StatusError, type StatusReason, statusError } from "#api/meta/status.ts";
import { withFaults } from "#kube/fault-injection.ts";
import { GameServerRig } from "#tests/gameserver/rig.ts";

const dynamic: GameServerPort = { name: "play", containerPort: 7777 };
const twoContainers: GameServerSpec["template"] = {
  spec: {
    containers: [
      { name: "game", image: "game:1" },
      { name: "voice", image: "voice:1" },
    ],
  },
};

describe("a Ready server", () => {
  test("has one port a port of its spec, one more for both protocols, and every address", async () => {
    const rig = await GameServerRig.open();
    const both: GameServerPort = { name: "both", containerPort: 7778, protocol: "TCPUDP" };
    const { spec, status } = await rig.ready({ ports: [dynamic, both] });
    expect(status?.state).toBe("Ready");
    const [play, tcp, udp] = spec.ports ?? [];
    expect(spec.ports?.map(({ name, protocol }) => `${name} ${protocol}`)).toEqual([
      "play UDP",
      "both-tcp TCP",
      "both-udp UDP",
    ]);
    expect(tcp?.hostPort).toBe(udp?.hostPort);
    expect(status).toMatchObject({
      address: "10.0.0.1",
      addresses: [
        { type: "InternalIP", address: "10.0.0.1" },
        { type: "PodIP", address: "10.8.0.1" },
      ],
      nodeName: "node-1",
      ports: [
        { name: "play", port: play?.hostPort },
        { name: "both-tcp", port: tcp?.hostPort },
        { name: "both-udp", port: tcp?.hostPort },
      ],
    });
    expect(rig.messages).toEqual([
      "Port allocated",
      "Pod duel created",
      "Address and port populated",
      "SDK.Ready() complete",
    ]);
  });

  test("without ports has none, and needs none", async () => {
    const rig = await GameServerRig.open();
    expect((await rig.create()).status?.state).toBe("Creating");
    await rig.bind();
    await rig.run();
    await rig.setState("RequestReady");
    expect((await rig.get()).status).toMatchObject({ state: "Ready", ports: [], address: "10.0.0.1" });
  });

  test("gets its address with Ready when the game was faster than anybody else", async () => {
    const rig = await GameServerRig.open();
    await rig.create({ ports: [dynamic] });
    await rig.setState("RequestReady");
    expect(await rig.state()).toBe("RequestReady");
    await rig.bind();
    expect((await rig.get()).status).toMatchObject({ state: "Ready", address: "10.0.0.1", nodeName: "node-1" });
    await rig.setState("Allocated");
    await rig.podStatus({ podIPs: [{ ip: "10.8.0.1" }, { ip: "fd00::1" }] });
    expect((await rig.get()).status).toMatchObject({
      state: "Allocated",
      addresses: [
        { type: "InternalIP" },
        { type: "PodIP", address: "10.8.0.1" },
        { type: "PodIP", address: "fd00::1" },
      ],
    });
  });

  test("comes to be however late its game starts", async () => {
    const rig = await GameServerRig.open();
    await rig.create({ ports: [dynamic] });
    await rig.bind();
    await rig.podStatus({ phase: "Pending", podIPs: [{ ip: "10.8.0.1" }] });
    await rig.clock.advance(60_000);
    expect(await rig.state()).toBe("Scheduled");
    await rig.run();
    await rig.setState("RequestReady");
    expect(await rig.state()).toBe("Ready");
  });
});

describe("a server's Pod", () => {
  test("has the server's name as host name, of 63 letters and with dots too, and keeps a subdomain", async () => {
    const rig = await GameServerRig.open();
    const long = `${"x".repeat(52)}-${"y".repeat(10)}`;
    for (const name of [long, "eu.west.duel"]) {
      await rig.create(
        { template: { spec: { subdomain: "games", containers: twoContainers.spec.containers.slice(0, 1) } } },
        { name },
      );
      expect((await rig.findPod(name))?.spec).toMatchObject({
        hostname: name.replaceAll(".", "-"),
        subdomain: "games",
      });
    }
  });

  test.each<[string, GameServerPort, (port: GameServerPort) => object]>([
    ["Dynamic", dynamic, ({ hostPort }) => ({ containerPort: 7777, hostPort, protocol: "UDP" })],
    [
      "Passthrough",
      { name: "play", portPolicy: "Passthrough" },
      ({ hostPort }) => ({ containerPort: hostPort, hostPort, protocol: "UDP" }),
    ],
    [
      "None",
      { name: "play", portPolicy: "None", containerPort: 7777, protocol: "TCP" },
      () => ({ containerPort: 7777, protocol: "TCP" }),
    ],
    [
      "Static",
      { name: "play", portPolicy: "Static", containerPort: 7777, hostPort: 9000 },
      () => ({ containerPort: 7777, hostPort: 9000, protocol: "UDP" }),
    ],
  ])("has a %s port in the container it is for", async (_policy, port, expected) => {
    const rig = await GameServerRig.open();
    await rig.create({ container: "game", template: twoContainers, ports: [{ ...port, container: "voice" }] });
    const [given = {}] = (await rig.get()).spec.ports ?? [];
    const [game, voice] = (await rig.findPod())?.spec.containers ?? [];
    expect([game?.name, game?.ports]).toEqual(["game", undefined]);
    expect(voice?.ports).toEqual([expected(given)]);
    if (port.portPolicy === "Passthrough") expect(given.hostPort).toBeGreaterThanOrEqual(7000);
    if (port.portPolicy === "None") expect(given.hostPort).toBeUndefined();
  });

  test("has a Static port of both protocols twice, with one number", async () => {
    const rig = await GameServerRig.open();
    const fixed: GameServerPort = { name: "play", portPolicy: "Static", hostPort: 9000, containerPort: 7777 };
    await rig.create({
      ports: [
        { ...fixed, protocol: "TCPUDP" },
        { ...fixed, name: "web", hostPort: 9001, protocol: "TCP" },
      ],
    });
    const ports = ["play-tcp TCP 9000", "web TCP 9001", "play-udp UDP 9000"];
    const shown = (await rig.get()).spec.ports?.map(
      ({ name, protocol, hostPort }) => `${name} ${protocol} ${hostPort}`,
    );
    expect(shown).toEqual(ports);
    expect((await rig.findPod())?.spec.containers[0]?.ports?.map(({ hostPort }) => hostPort)).toEqual([
      9000, 9001, 9000,
    ]);
  });

  test.each([
    [403, "Forbidden", "exceeded quota: games"],
    [422, "Invalid", "spec.containers[0].image: Required value"],
  ])(
    "refused for good (%i) puts the server into Error, with the words of the refusal",
    async (_code, reason, message) => {
      const rig = await GameServerRig.open({
        disturb: (client) => ({
          ...client,
          create: async (type, object) => {
            if ((type.plural as string) === "pods") throw statusError(reason as StatusReason, message);
            return client.create(type, object);
          },
        }),
      });
      await rig.create();
      const { metadata, status } = await rig.get();
      expect(status?.state).toBe("Error");
      expect(metadata.annotations?.["agones.dev/errored-at"]).toBe("2030-01-01T00:00:00Z");
      expect(rig.recorder.events).toContainEqual({ key: "default/duel", type: "Warning", reason: "Error", message });
    },
  );

  test("that somebody else has made under the server's name is waited for, and the server's own made after it", async () => {
    const rig = await GameServerRig.open();
    await rig.api.client.create(PODS, {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "duel", namespace: "default" },
      spec: { containers: [{ name: "other", image: "other:1" }] },
    });
    await rig.create();
    await rig.clock.advance(1000);
    expect(await rig.state()).toBe("Creating");
    await rig.deletePod("duel", 0);
    await rig.clock.advance(1000);
    expect(await rig.state()).toBe("Starting");
    expect(rig.recorder.events.map(({ type }) => type)).not.toContain("Warning");
  });

  test("is made once, though the answer to its creation or the write after it is lost", async () => {
    let lost = 0;
    const rig = await GameServerRig.open({
      disturb: (client) =>
        withFaults(client, ({ verb, resource }) => {
          const writes = verb === "create" || (verb === "update" && resource === "gameservers");
          return writes && lost++ < 6 && lost % 2 === 1 ? { type: "lose-answer" } : undefined;
        }),
    });
    await rig.create({ ports: [dynamic] });
    await rig.clock.advance(5000);
    expect(await rig.state()).toBe("Starting");
    const { items } = await rig.api.client.list(PODS);
    expect(items).toHaveLength(1);
    const given = (await rig.get()).spec.ports?.map(({ hostPort }) => hostPort);
    expect(items[0]?.spec.containers[0]?.ports?.map(({ hostPort }) => hostPort)).toEqual(given);
  });
});

describe("a development server", () => {
  const metadata = { name: "laptop", annotations: { "agones.dev/dev-address": "192.0.2.9" } };
  const ports: GameServerPort[] = [{ name: "play", portPolicy: "Static", hostPort: 7777, containerPort: 7777 }];

  test("is Ready without a Pod or a container of the given name, and again when it asks for it", async () => {
    const rig = await GameServerRig.open();
    await rig.create({ ports, container: "nowhere" }, metadata);
    expect((await rig.get("laptop")).status).toMatchObject({
      state: "Ready",
      address: "192.0.2.9",
      addresses: [{ type: "InternalIP", address: "192.0.2.9" }],
      nodeName: "192.0.2.9",
      ports: [{ name: "play", port: 7777 }],
    });
    await rig.setState("Allocated", "laptop");
    await rig.clock.advance(60_000);
    expect(await rig.state("laptop")).toBe("Allocated");
    await rig.setState("RequestReady", "laptop");
    expect(await rig.state("laptop")).toBe("Ready");
    expect([(await rig.api.client.list(PODS)).items, rig.recorder.events]).toEqual([[], []]);
  });

  test.each(["Ready", "Allocated", "Shutdown"] as const)("in %s goes when it is told to", async (state) => {
    const rig = await GameServerRig.open();
    await rig.create({ ports }, metadata);
    await rig.setState(state, "laptop");
    if (state !== "Shutdown") await rig.deleteServer("laptop");
    expect(await rig.state("laptop")).toBeUndefined();
  });
});

describe("the end of a server", () => {
  test("by its game takes the Pod along, and the object last", async () => {
    const rig = await GameServerRig.open();
    await rig.ready({ ports: [dynamic] });
    await rig.setState("Shutdown");
    expect(await rig.state()).toBe("Deleting");
    expect((await rig.findPod())?.metadata.deletionTimestamp).toBeDefined();
    await rig.deletePod("duel", 0);
    expect(await rig.state()).toBeUndefined();
    expect(rig.messages).toEqual(expect.arrayContaining(["Deletion started", "Deleting Pod duel"]));
  });

  test("leaves finalizers of others alone, in their order", async () => {
    const rig = await GameServerRig.open();
    await rig.create({}, { name: "duel", finalizers: ["x.example/one", "agones.dev", "x.example/two"] });
    await rig.deleteServer();
    await rig.deletePod("duel", 0);
    expect((await rig.get()).metadata.finalizers).toEqual(["x.example/one", "x.example/two"]);
  });

  test("comes when its process ends well", async () => {
    const rig = await GameServerRig.open();
    await rig.ready();
    await rig.podStatus({ phase: "Succeeded" });
    expect(rig.messages).toContain("Pod is in Succeeded state");
    await rig.deletePod("duel", 0);
    expect(await rig.state()).toBeUndefined();
  });

  test("waits for the Pod's grace period; meanwhile its game may say that it shuts down", async () => {
    const rig = await GameServerRig.open({ gates: { SidecarContainers: false } });
    await rig.ready({
      template: { spec: { terminationGracePeriodSeconds: 60, containers: [{ name: "game", image: "g" }] } },
    });
    await rig.deleteServer();
    await rig.clock.advance(20_000);
    expect(await rig.state()).toBe("Deleting");
    await rig.setState("Shutdown");
    await rig.clock.advance(20_000);
    expect((await rig.get()).status?.state).toBe("Shutdown");
    await rig.deletePod("duel", 0);
    expect(await rig.state()).toBeUndefined();
  });

  test("frees its name: the next server of it has a Pod of its own", async () => {
    const rig = await GameServerRig.open();
    await rig.ready({ ports: [dynamic] });
    const first = (await rig.findPod())?.metadata.uid;
    await rig.deleteServer();
    await rig.deletePod("duel", 0);
    await rig.create({ ports: [dynamic] });
    const pod = await rig.findPod();
    expect(pod?.metadata.uid).not.toBe(first);
    expect(pod?.metadata.ownerReferences?.[0]?.uid).toBe((await rig.get()).metadata.uid);
  });
});

test("a change that was made to an older version is refused, when it says so", async () => {
  const rig = await GameServerRig.open();
  const { resourceVersion = "" } = (await rig.ready()).metadata;
  await rig.setState("Allocated");
  const patch = rig.api.client.patch(GAMESERVERS, "default", "duel", {
    type: "json",
    operations: [
      { op: "test", path: "/metadata/resourceVersion", value: resourceVersion },
      { op: "replace", path: "/status/state", value: "Ready" },
    ],
  });
  await expect(patch).rejects.toMatchObject({ status: { code: 422 } });
  expect(await rig.state()).toBe("Allocated");
});

test.each([
  [{ limits: { cpu: "1" }, requests: { cpu: "2" } }, ["spec.template.spec.containers[0].resources.requests"]],
  [
    { limits: { cpu: "1" }, requests: { cpu: "2", memory: "-1Gi" } },
    [
      "spec.template.spec.containers[0].resources.requests[memory]",
      "spec.template.spec.containers[0].resources.requests",
    ],
  ],
])("resources %j are refused with one cause a fault, at its field", async (resources, fields) => {
  const rig = await GameServerRig.open();
  const made = rig.create({ template: { spec: { containers: [{ name: "game", image: "game:1", resources }] } } });
  const error = await made.catch((refusal: unknown) => refusal);
  const { causes = [] } = (error as StatusError).status.details ?? {};
  expect(causes.map(({ field }) => field).sort()).toEqual([...fields].sort());
});

test("servers that go do not wait for a thousand that come", async () => {
  let creating: Promise<void> = Promise.resolve();
  const rig = await GameServerRig.open({
    disturb: (client) =>
      withFaults(client, ({ verb }) => (verb === "create" ? { type: "delay", until: creating } : undefined)),
  });
  await rig.ready({}, { name: "leaving" });
  const slow = Promise.withResolvers<void>();
  creating = slow.promise;
  for (let each = 0; each < 20; each++) await rig.create({}, { name: `new-${each}` });
  await rig.deleteServer("leaving");
  expect((await rig.findPod("leaving"))?.metadata.deletionTimestamp).toBeDefined();
  expect(await rig.state("new-19")).toBe("Creating");
  slow.resolve();
  await rig.settle();
  expect(await rig.state("new-19")).toBe("Starting");
});
