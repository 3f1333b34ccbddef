/** Fleets whose size is set by policies, under a controller that is a process of its own, on both API servers. */
import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { FLEETS } from "#api/agones/resources.ts";
import type { FleetAutoscaler } from "#api/autoscaling/fleetautoscaler.ts";
import type { FleetAutoscalerPolicy } from "#api/autoscaling/policy.ts";
import { FLEETAUTOSCALERS } from "#api/autoscaling/resources.ts";
import { wasmHash } from "#api/autoscaling/wasm.ts";
import type { Event } from "#api/core/event.ts";
import { EVENTS } from "#api/core/resources.ts";
import { plugin } from "#controllers/fleetautoscaler/plugin.fixture.ts";
import { systemClock } from "#runtime/clock.ts";
import { createAuthority } from "#runtime/tls-authority.ts";
import { eventually } from "#tests/harness/eventually.ts";
import { changeObject, fleetOf, templateOf } from "#tests/world/changes.ts";
import { leaderOf, openRigCluster, type RigCluster } from "../rig/cluster.ts";
import { allocate, changeFleet } from "./objects.ts";

const sync = { type: "FixedInterval", fixedInterval: { seconds: 1 } } as const;
const bufferOf = (bufferSize: number | string, maxReplicas: number, minReplicas = 0) =>
  ({ type: "Buffer", buffer: { bufferSize, maxReplicas, minReplicas } }) as const;
const inSeconds = (seconds: number): string =>
  `${new Date(systemClock.now() + seconds * 1000).toISOString().slice(0, 19)}Z`;

describe.each(["Kubernetes", "embedded"] as const)("on the %s API server", (kind) => {
  let cluster: RigCluster;
  beforeAll(async () => {
    cluster = await openRigCluster(kind);
    await leaderOf([cluster.startController("controller")]);
  });
  afterAll(() => cluster?.close());

  /** A fleet and its autoscaler, both of that name. */
  const scaled = async (
    name: string,
    policy: FleetAutoscalerPolicy,
    { replicas = 0, more = {}, namespace = "default" }: { replicas?: number; more?: object; namespace?: string } = {},
  ): Promise<void> => {
    const { spec } = templateOf("1");
    const fleet = fleetOf(name, replicas, "1", { template: { spec: { ...spec, ...more } } });
    await cluster.client.create(FLEETS, { ...fleet, metadata: { name, namespace, labels: { season: "one" } } });
    await cluster.client.create(FLEETAUTOSCALERS, {
      apiVersion: "autoscaling.agones.dev/v1",
      kind: "FleetAutoscaler",
      metadata: { name, namespace },
      spec: { fleetName: name, policy, sync },
    });
  };
  const read = (name: string, namespace = "default"): Promise<FleetAutoscaler> =>
    cluster.client.get(FLEETAUTOSCALERS, namespace, name);
  const sizeBecomes = (name: string, replicas: number, namespace = "default"): Promise<void> =>
    eventually(async () => expect((await cluster.client.get(FLEETS, namespace, name)).spec.replicas).toBe(replicas));
  const says = (name: string, status: object): Promise<void> =>
    eventually(async () => expect((await read(name)).status).toMatchObject(status));
  const become = (name: string, policy: FleetAutoscalerPolicy): Promise<void> =>
    changeObject(cluster.client, FLEETAUTOSCALERS, name, (autoscaler) => ({
      ...autoscaler,
      spec: { ...autoscaler.spec, policy },
    }));
  const eventsOf = async (name: string): Promise<readonly Event[]> => {
    const { items } = await cluster.client.list(EVENTS, { namespace: "default" });
    return items.filter(
      ({ involvedObject }) => involvedObject.kind === "FleetAutoscaler" && involvedObject.name === name,
    );
  };

  test("a buffer is kept beside the matches; its changes take effect, and its limits win", async () => {
    await scaled("buffered", bufferOf(2, 20));
    await sizeBecomes("buffered", 2);
    await eventually(async () => (await allocate(cluster, "buffered")) ?? Promise.reject(new Error("none")));
    await sizeBecomes("buffered", 3);
    await become("buffered", bufferOf(2, 20, 5));
    await sizeBecomes("buffered", 5);
    await says("buffered", { scalingLimited: true, desiredReplicas: 5 });
    await become("buffered", bufferOf("10%", 20, 1));
    await sizeBecomes("buffered", 2);
    await become("buffered", bufferOf(1, 1));
    await sizeBecomes("buffered", 1);
    await says("buffered", {
      scalingLimited: true,
      ableToScale: true,
      desiredReplicas: 1,
      lastAppliedPolicy: "Buffer",
    });
  });

  test.each([
    [bufferOf(5, 10), true],
    [bufferOf(5, 4), false],
    [bufferOf(3, 10, 2), false],
    [bufferOf(3, 10, 3), true],
    [bufferOf(0, 10), false],
    [bufferOf("0%", 10, 1), false],
    [bufferOf("10%", 10, 0), false],
    [bufferOf("99%", 10, 1), true],
    [bufferOf(1, 3, 4), false],
  ] as const)("the numbers %j are accepted: %s", async (policy, accepted) => {
    const made = await cluster.server.call(
      "POST",
      "/apis/autoscaling.agones.dev/v1/namespaces/default/fleetautoscalers?dryRun=All",
      {
        apiVersion: "autoscaling.agones.dev/v1",
        kind: "FleetAutoscaler",
        metadata: { name: "tried" },
        spec: { fleetName: "none", policy },
      },
    );
    expect(made.status).toBe(accepted ? 201 : 422);
  });

  test("an autoscaler has an interval of 30 seconds, whether its fleet is there or not, and finds one that comes", async () => {
    await cluster.client.create(FLEETAUTOSCALERS, {
      apiVersion: "autoscaling.agones.dev/v1",
      kind: "FleetAutoscaler",
      metadata: { name: "early", namespace: "default" },
      spec: { fleetName: "early", policy: bufferOf(2, 5) },
    });
    expect((await read("early")).spec.sync).toEqual({ type: "FixedInterval", fixedInterval: { seconds: 30 } });
    await says("early", { ableToScale: false });
    await cluster.client.create(FLEETS, fleetOf("early", 0));
    await sizeBecomes("early", 2);
  });

  test("a webhook over HTTP and TLS is told of the fleet and gives its size; one that is not there is told in an event", async () => {
    const asked: unknown[] = [];
    let replicas = 2;
    const answer: RequestListener = async (request, reply) => {
      if (request.url !== "/scale") return void reply.writeHead(404).end();
      asked.push(await json(request));
      reply.end(JSON.stringify({ response: { scale: true, replicas } }));
    };
    const authority = await createAuthority({ commonName: "rig", clock: systemClock });
    const tls = await authority.issue({ commonName: "localhost", names: ["localhost"], addresses: ["127.0.0.1"] });
    const plain = createServer(answer);
    const secure = createTlsServer({ key: tls.key, cert: tls.certificate }, answer);
    const urls: string[] = [];
    for (const [server, scheme] of [
      [plain, "http"],
      [secure, "https"],
    ] as const) {
      server.listen(0, "127.0.0.1");
      await once(server, "listening");
      onTestFinished(() => void server.close());
      urls.push(`${scheme}://127.0.0.1:${(server.address() as AddressInfo).port}`);
    }
    const [http = "", https = ""] = urls;
    await scaled("asked", { type: "Webhook", webhook: { url: `${http}/scale` } });
    await sizeBecomes("asked", 2);
    await says("asked", { lastAppliedPolicy: "Webhook", ableToScale: true });
    expect(asked[0]).toMatchObject({
      request: { name: "asked", namespace: "default", labels: { season: "one" } },
    });
    replicas = 3;
    const caBundle = Buffer.from(authority.certificate).toString("base64");
    await become("asked", { type: "Webhook", webhook: { url: `${https}/scale`, caBundle } });
    await sizeBecomes("asked", 3);
    await become("asked", { type: "Webhook", webhook: { url: `${http}/nowhere` } });
    await says("asked", { ableToScale: false });
    await eventually(async () => {
      const told = (await eventsOf("asked")).filter(({ type }) => type === "Warning");
      expect(told[0]?.message).toMatch(/^Error calculating desired fleet size on FleetAutoscaler asked/);
    });
    await sizeBecomes("asked", 3);
  });

  test.each([
    ["Counter", { counters: { seats: { count: 0n, capacity: 5n } } }],
    ["List", { lists: { seats: { values: [], capacity: 5n } } }],
  ] as const)(
    "room by %s brings an empty fleet to its minimum; a fleet of the same name elsewhere is another",
    async (type, more) => {
      const name = `room-${type.toLowerCase()}`;
      const policy = (minCapacity: bigint): FleetAutoscalerPolicy => {
        const room = { key: "seats", bufferSize: 3, minCapacity, maxCapacity: 100n };
        return type === "Counter" ? { type, counter: room } : { type, list: room };
      };
      const namespace = `elsewhere-${type.toLowerCase()}`;
      await cluster.server.call("POST", "/api/v1/namespaces", {
        apiVersion: "v1",
        kind: "Namespace",
        metadata: { name: namespace },
      });
      await scaled(name, policy(16n), { more });
      await scaled(name, policy(6n), { more, namespace });
      await sizeBecomes(name, 4);
      await sizeBecomes(name, 2, namespace);
      await says(name, { desiredReplicas: 4, lastAppliedPolicy: type });
      await changeFleet(cluster.client, name, { replicas: 1 });
      await sizeBecomes(name, 4);
      expect((await cluster.client.get(FLEETS, namespace, name)).spec.replicas).toBe(2);
    },
  );

  test("a Wasm module gives the size by its function, its settings and its hash; one of another hash gives none", async () => {
    const server = createServer((_request, reply) => void reply.end(plugin)).listen(0, "127.0.0.1");
    await once(server, "listening");
    onTestFinished(() => void server.close());
    const from = { url: { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/plugin.wasm` } };
    const wasm = (more: object) => ({ type: "Wasm", wasm: { from, ...more } }) as const;
    await scaled("reckoned", wasm({}));
    await sizeBecomes("reckoned", 5);
    await says("reckoned", { lastAppliedPolicy: "Wasm", ableToScale: true });
    await become("reckoned", wasm({ config: { answer: '{"response":{"scale":true,"replicas":4}}' } }));
    await sizeBecomes("reckoned", 4);
    await become("reckoned", wasm({ hash: "0".repeat(64) }));
    await says("reckoned", { ableToScale: false });
    await sizeBecomes("reckoned", 4);
    await become("reckoned", wasm({ function: "remember", hash: wasmHash(plugin).toUpperCase() }));
    await sizeBecomes("reckoned", 7);
  });

  const scheduled = (replicas: number, more: object) =>
    ({
      type: "Schedule",
      schedule: { ...more, policy: bufferOf(1, replicas, replicas) },
    }) as const;

  test("schedules apply at their minutes; in a chain they follow one another", async () => {
    const minute = new Date(systemClock.now()).getUTCMinutes();
    const during = (startCron: string, duration: string) => ({ activePeriod: { startCron, duration } });
    await scaled("timed", scheduled(1, during(`${minute} * * * *`, "3m")));
    await sizeBecomes("timed", 1);
    await become("timed", scheduled(2, during(`${Math.max(0, minute - 1)}-${minute} * * * *`, "")));
    await sizeBecomes("timed", 2);
    const chain = [
      { id: "later", ...scheduled(4, { between: { start: inSeconds(3600) } }) },
      { id: "now", ...scheduled(3, { between: { end: inSeconds(5) } }) },
      { id: "rest", ...scheduled(1, {}) },
    ];
    await become("timed", { type: "Chain", chain });
    await sizeBecomes("timed", 3);
    await says("timed", { lastAppliedPolicy: "Chain:now:Schedule" });
    await sizeBecomes("timed", 1);
    await says("timed", { lastAppliedPolicy: "Chain:rest:Schedule" });
  });
});
