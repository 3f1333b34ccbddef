/** Fleets that are scaled by policies, through kubectl. */
import { once } from "node:events";
import { createServer as createHttp } from "node:http";
import { createServer as createHttps } from "node:https";
import type { AddressInfo } from "node:net";
import { buffer as bytesOf } from "node:stream/consumers";
import { afterEach, describe, expect, it, onTestFinished } from "vitest";
import type { Fleet } from "#api/agones/fleet.ts";
import type { FleetAutoscaler } from "#api/autoscaling/fleetautoscaler.ts";
import { wasmHash } from "#api/autoscaling/wasm.ts";
import { stringifyJson } from "#api/meta/json.ts";
import { plugin } from "#controllers/fleetautoscaler/plugin.fixture.ts";
import { systemClock } from "#runtime/clock.ts";
import { createAuthority } from "#runtime/tls-authority.ts";
import { useCluster } from "./harness/cluster.ts";
import { eventually } from "./harness/eventually.ts";
import { hasKubectl } from "./harness/kubectl.ts";
import { gameSpec } from "./harness/manifests.ts";

const cluster = useCluster("--no-quick-start", "--feature-gates", "WasmAutoscaler=true");
const kubectl = cluster.kubectl.bind(cluster);
const apply = (input: string, namespace = "default") => kubectl(`apply -n ${namespace} -f -`, { input });
const allocate = () => cluster.stadion("allocate arena");

const fleetWith = (replicas: number, spec: object = {}, metadata: object = {}): string =>
  stringifyJson({
    apiVersion: "agones.dev/v1",
    kind: "Fleet",
    metadata: { name: "arena", ...metadata },
    spec: { replicas, template: { spec: { ...gameSpec({ grace: 1 }), ...spec } } },
  });

const autoscaler = (policy: object, sync: object | null = everySecond): string =>
  stringifyJson({
    apiVersion: "autoscaling.agones.dev/v1",
    kind: "FleetAutoscaler",
    metadata: { name: "auto" },
    spec: { fleetName: "arena", policy, ...(sync && { sync }) },
  });
const everySecond = { type: "FixedInterval", fixedInterval: { seconds: 1 } };
const bufferOf = (bufferSize: number | string, more: object = {}) => ({
  type: "Buffer",
  buffer: { bufferSize, maxReplicas: 20, ...more },
});

const get = async <T>(what: string, namespace = "default"): Promise<T> =>
  JSON.parse(await kubectl(`get ${what} -n ${namespace} -o json`)) as T;
const status = async () => (await get<FleetAutoscaler>("fas auto")).status;
const sizeBecomes = (replicas: number, namespace?: string) =>
  eventually(async () => expect((await get<Fleet>("fleet arena", namespace)).spec.replicas).toBe(replicas));
const statusBecomes = (expected: object) => eventually(async () => expect(await status()).toMatchObject(expected));
/** After this many looks of the autoscaler nothing that it does is missing. */
const lookedAgain = () => new Promise((resolve) => systemClock.after(3000, () => resolve(undefined)));

interface Answering {
  readonly response: object | undefined;
  readonly seen?: unknown[];
}

/** A studio's webhook: what it is asked is put down, and its answer may change. */
async function serve(answer: Answering, tls?: { readonly key: string; readonly certificate: string }): Promise<string> {
  const listener: Parameters<typeof createHttp>[1] = async (request, reply) => {
    if (request.url === "/plugin.wasm") return void reply.end(plugin);
    if (request.url !== "/scale") return void reply.writeHead(404).end();
    answer.seen?.push(JSON.parse((await bytesOf(request)).toString()));
    reply.end(JSON.stringify({ response: answer.response }));
  };
  const server = tls ? createHttps({ key: tls.key, cert: tls.certificate }, listener) : createHttp(listener);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return `${tls ? "https" : "http"}://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

afterEach(async () => {
  await kubectl("delete fas auto --ignore-not-found");
  await kubectl("delete fleet arena --ignore-not-found");
  await eventually(async () => expect((await cluster.containers()).size).toBe(0));
});

describe.skipIf(!hasKubectl)("a buffer", () => {
  it("is kept beside the matches; changes by patch take effect, and so do its limits", async () => {
    await apply(fleetWith(1));
    await apply(autoscaler(bufferOf(2)));
    await cluster.servers("arena", 2);
    await allocate();
    await cluster.servers("arena", 3, ["Ready", "Allocated"]);
    await statusBecomes({ desiredReplicas: 3, ableToScale: true, scalingLimited: false, lastAppliedPolicy: "Buffer" });

    const patch = (buffer: object) =>
      kubectl(["patch", "fas", "auto", "--type=merge", "-p", JSON.stringify({ spec: { policy: { buffer } } })]);
    await patch({ bufferSize: 3 });
    await sizeBecomes(4);
    await patch({ minReplicas: 5 });
    await sizeBecomes(5);
    await statusBecomes({ scalingLimited: true, desiredReplicas: 5 });
    await patch({ bufferSize: "10%", minReplicas: 1 });
    await sizeBecomes(2);
    await patch({ bufferSize: 1, minReplicas: 0, maxReplicas: 1 });
    await sizeBecomes(1);
    await statusBecomes({ scalingLimited: true, currentReplicas: 1, desiredReplicas: 1 });
    const [left] = await cluster.servers("arena", 1, ["Allocated"]);
    expect(left).toBeDefined();

    const described = await eventually(async () => {
      const text = await kubectl("describe fas auto");
      expect(text).toMatch(/Normal +AutoScalingFleet .*Scaling fleet arena from 1 to 2/);
      return text;
    });
    expect(described).toMatch(/Warning +ScalingLimited .*Scaling fleet arena was limited to maximum size of 1/);
    expect(described).toMatch(/Reason: +AtMaximum/);
  });

  it("is accepted exactly when its numbers fit together", async () => {
    const random = (below: number) => Math.floor(Math.random() * below);
    for (let tried = 0; tried < 40; tried++) {
      const [size, min, max] = [random(12) - 1, random(10), 1 + random(10)];
      const fits = size > 0 && size <= max && min <= max && (min === 0 || size <= min);
      const body = autoscaler(bufferOf(size, { minReplicas: min, maxReplicas: max }));
      const path = "/apis/autoscaling.agones.dev/v1/namespaces/default/fleetautoscalers?dryRun=All";
      const { code } = await cluster.ask({ method: "POST", path, body });
      expect({ size, min, max, code }).toEqual({ size, min, max, code: fits ? 201 : 422 });
    }
  });

  it("has an interval of 30 seconds unless it says otherwise, whether its fleet is there or not", async () => {
    await apply(autoscaler(bufferOf(2), null));
    const { spec } = await get<FleetAutoscaler>("fas auto");
    expect(spec.sync).toEqual({ type: "FixedInterval", fixedInterval: { seconds: 30 } });
    await kubectl("wait fas/auto --for=condition=AbleToScale=False --timeout=30s");
    const told = /Warning +FailedGetFleet .*could not fetch fleet: arena/;
    await eventually(async () => expect(await kubectl("describe fas auto")).toMatch(told));
    await apply(fleetWith(0));
    await sizeBecomes(2);
  });
});

describe.skipIf(!hasKubectl)("a webhook", () => {
  it("is told of the fleet, and gives its size", async () => {
    const seen: unknown[] = [];
    const answer: { response: object; seen: unknown[] } = { response: { scale: true, replicas: 2 }, seen };
    const url = await serve(answer);
    await apply(fleetWith(1, {}, { labels: { tier: "gold" }, annotations: { owner: "ops" } }));
    await apply(autoscaler({ type: "Webhook", webhook: { url: `${url}/scale` } }));
    await sizeBecomes(2);
    await statusBecomes({ lastAppliedPolicy: "Webhook", desiredReplicas: 2 });
    const labels = { tier: "gold" };
    const request = expect.objectContaining({ name: "arena", namespace: "default", labels });
    expect(seen[0]).toEqual({ request, response: null });
    expect(seen[0]).toHaveProperty("request.annotations.owner", "ops");
    expect(seen[0]).toHaveProperty("request.status.allocatedReplicas", 0);
    answer.response = { scale: true, replicas: 0 };
    await sizeBecomes(0);
  });

  it("over TLS is trusted by its CA bundle", async () => {
    const authority = await createAuthority({ commonName: "studio", clock: systemClock });
    const certificate = await authority.issue({ commonName: "oracle", addresses: ["127.0.0.1"] });
    const url = await serve({ response: { scale: true, replicas: 1 } }, certificate);
    const caBundle = Buffer.from(authority.certificate).toString("base64");
    await apply(fleetWith(0));
    await apply(autoscaler({ type: "Webhook", webhook: { url: `${url}/scale`, caBundle } }));
    await sizeBecomes(1);
  });

  it("that is not there is told in an event, once, and in the status", async () => {
    const url = await serve({ response: undefined });
    await apply(fleetWith(0));
    await apply(autoscaler({ type: "Webhook", webhook: { url: `${url}/nowhere` } }));
    await statusBecomes({ ableToScale: false });
    await lookedAgain();
    const query = "fieldSelector=involvedObject.name%3Dauto%2Creason%3DFleetAutoscaler";
    const { items } = await cluster.get<{
      readonly items: readonly { readonly message: string; readonly count: number }[];
    }>(`/api/v1/namespaces/default/events?${query}`);
    const ours = items.filter(({ message }) => message.includes(url));
    const message = `Error calculating desired fleet size on FleetAutoscaler auto. Error: bad status code 404 from the server: ${url}/nowhere`;
    expect(ours.map((event) => [event.message, event.count])).toEqual([[message, 1]]);
    expect((await get<Fleet>("fleet arena")).spec.replicas).toBe(0);
  });
});

describe.skipIf(!hasKubectl)("the room in counters and lists", () => {
  const room = { bufferSize: 3, minCapacity: 11, maxCapacity: 100 };

  it.each([
    ["counters", { type: "Counter", counter: { key: "seats", ...room } }, { seats: { count: 0, capacity: 5 } }],
    ["lists", { type: "List", list: { key: "seats", ...room } }, { seats: { values: [], capacity: 5 } }],
  ])("of %s brings an empty fleet to its minimum, and no further", async (member, policy, entry) => {
    await apply(fleetWith(0, { [member]: entry }));
    await apply(autoscaler(policy));
    await sizeBecomes(3);
    await cluster.servers("arena", 3);
    await lookedAgain();
    expect((await get<Fleet>("fleet arena")).spec.replicas).toBe(3);
    await statusBecomes({ desiredReplicas: 3, lastAppliedPolicy: policy.type, ableToScale: true });
  });

  it("of fleets of one name in two namespaces does not mix", async () => {
    const policy = (minCapacity: number) => ({ type: "Counter", counter: { key: "seats", ...room, minCapacity } });
    const counters = { seats: { count: 0, capacity: 5 } };
    await kubectl("create namespace other");
    for (const [namespace, min] of [
      ["default", 5],
      ["other", 10],
    ] as const) {
      await apply(fleetWith(0, { counters }), namespace);
      await apply(autoscaler(policy(min)), namespace);
    }
    await sizeBecomes(1);
    await sizeBecomes(2, "other");
    await kubectl("delete fas auto -n other");
    await kubectl('patch fas auto --type=merge -p {"spec":{"policy":{"counter":{"minCapacity":11}}}}');
    await sizeBecomes(3);
    expect((await get<Fleet>("fleet arena", "other")).spec.replicas).toBe(2);
    await kubectl("delete namespace other");
  });
});

describe.skipIf(!hasKubectl)("schedules", () => {
  const schedule = (replicas: number, more: object) => ({
    type: "Schedule",
    schedule: { ...more, policy: bufferOf(1, { minReplicas: replicas, maxReplicas: replicas }) },
  });
  const inSeconds = (seconds: number) => `${new Date(systemClock.now() + seconds * 1000).toISOString().slice(0, 19)}Z`;

  it("apply at their minutes, for as long as they are told", async () => {
    const minute = new Date(systemClock.now()).getUTCMinutes();
    await apply(fleetWith(0));
    await apply(autoscaler(schedule(1, { activePeriod: { startCron: `${minute} * * * *`, duration: "2m" } })));
    await sizeBecomes(1);
    await apply(
      autoscaler(
        schedule(2, { activePeriod: { startCron: `${Math.max(0, minute - 1)}-${minute} * * * *`, duration: "" } }),
      ),
    );
    await sizeBecomes(2);
    const later = (minute + 30) % 60;
    await apply(autoscaler(schedule(3, { activePeriod: { startCron: `${later} * * * *`, duration: "5m" } })));
    await kubectl(
      'wait fas/auto --for=jsonpath={.status.conditions[?(@.type=="ScalingActive")].reason}=ScheduleInactive --timeout=30s',
    );
    expect((await get<Fleet>("fleet arena")).spec.replicas).toBe(2);
  });

  it("in a chain follow one another, and what comes after them is applied meanwhile", async () => {
    const chain = [
      { id: "past", ...schedule(3, { between: { start: inSeconds(3600) } }) },
      { id: "now", ...schedule(1, { between: { end: inSeconds(8) } }) },
      { id: "rest", ...schedule(2, {}) },
    ];
    await apply(fleetWith(0));
    await apply(autoscaler({ type: "Chain", chain }));
    await sizeBecomes(1);
    await statusBecomes({ lastAppliedPolicy: "Chain:now:Schedule" });
    await sizeBecomes(2);
    await statusBecomes({ lastAppliedPolicy: "Chain:rest:Schedule" });
    // Events of what is normal come a second later.
    await eventually(async () => {
      const described = await kubectl("describe fas auto");
      for (const id of ["now", "rest"])
        expect(described).toContain(
          `FleetAutoscaler 'auto' successfully applied ChainPolicy | ID: ${id} | Type: Schedule`,
        );
    });
  });

  it("of which none applies leave the fleet alone", async () => {
    const chain = [{ id: "later", ...schedule(3, { between: { start: inSeconds(3600) } }) }];
    await apply(fleetWith(0));
    await apply(autoscaler({ type: "Chain", chain }));
    await statusBecomes({ ableToScale: false });
    expect(await kubectl("describe fas auto")).toContain("failed to apply ChainPolicy | ID: Unknown | Type:");
    expect((await get<Fleet>("fleet arena")).spec.replicas).toBe(0);
  });
});

describe.skipIf(!hasKubectl)("a Wasm module", () => {
  it("gives the size by its function, its settings and its hash; one of another hash gives none", async () => {
    const url = `${await serve({ response: undefined })}/plugin.wasm`;
    const wasm = (more: object = {}) => apply(autoscaler({ type: "Wasm", wasm: { from: { url: { url } }, ...more } }));
    await apply(fleetWith(0));
    await wasm();
    await sizeBecomes(5);
    await statusBecomes({ lastAppliedPolicy: "Wasm" });
    await wasm({ config: { answer: '{"response":{"scale":true,"replicas":4}}' } });
    await sizeBecomes(4);
    await wasm({ function: "remember", hash: wasmHash(plugin).toUpperCase() });
    await sizeBecomes(5);
    await sizeBecomes(7);
    await wasm({ hash: "0".repeat(64) });
    await statusBecomes({ ableToScale: false });
    expect(await kubectl("describe fas auto")).toContain("hash mismatch for module 'main'");
    expect((await get<Fleet>("fleet arena")).spec.replicas).toBe(7);
  });
});
