/** The tables of promises, held against the embedded API server with our definitions and our admission. */
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import type { AllocationEngine } from "#allocation/engine/engine.ts";
import { featureGates, parseFeatureGates } from "#api/agones/feature-gates.ts";
import { defaultAllocation } from "#api/allocation/defaults.ts";
import { GAMESERVERALLOCATIONS } from "#api/allocation/resources.ts";
import { validateAllocation } from "#api/allocation/validate.ts";
import { buildCustomResourceDefinitions } from "#api/definitions/crds.ts";
import { type JsonObject, type JsonValue, parseJson, stringifyJson } from "#api/meta/json.ts";
import { titled } from "#api/meta/promise-row.ts";
import { type Answer, startTestServer, type TestServer } from "#cluster/apiserver/testing/test-server.ts";
import { FakeClock } from "#runtime/clock.ts";
import { agonesAdmission } from "./admission.ts";
import { allocationGroup } from "./allocation-group.ts";
import type { ApiPromise, ApiStep } from "./api-promise.fixture.ts";
import * as autoscalers from "./autoscalers.promises.ts";
import { manifests } from "./manifests.promises.ts";
import * as updates from "./updates.promises.ts";
import * as writes from "./writes.promises.ts";

const wire = (value: unknown): JsonObject => parseJson(stringifyJson(value)) as JsonObject;

const withoutServers = { allocate: async () => ({ state: "UnAllocated" }) } as unknown as AllocationEngine;

async function startServer(overrides: ApiPromise["gates"], clock = new FakeClock()): Promise<TestServer> {
  const gates = featureGates(overrides);
  const server = await startTestServer({
    admission: [agonesAdmission({ gates, version: "1.2.3", clock })],
    groups: [allocationGroup({ engine: withoutServers, gates, clock })],
  });
  for (const definition of buildCustomResourceDefinitions({ gates })) {
    await server.make("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", wire(definition));
  }
  return server;
}

function ask(server: TestServer, { method, path, body }: ApiStep): Promise<Answer> {
  if (method !== "PATCH") return server.call(method, path, body);
  return server.patch(path, Array.isArray(body) ? "json" : "merge", body as JsonValue);
}

const memberAt = (value: JsonValue, path: string): unknown =>
  path.split(".").reduce<unknown>((inner, step) => (inner as Record<string, unknown> | undefined)?.[step], value);

test.each(
  [...autoscalers.promises, ...updates.promises, ...writes.promises].map(
    (promise) => [promise.section, promise.name, promise] as const,
  ),
)("%s: %s", async (_section, _name, { gates, requests, code, message, shows, without = [] }) => {
  const server = await startServer(gates);
  const answers: Answer[] = [];
  for (const step of requests) answers.push(await ask(server, step));
  const last = answers.pop() as Answer;
  expect(answers.map(({ status }) => status).filter((status) => status >= 300)).toEqual([]);
  expect(last, stringifyJson(last.body)).toMatchObject({ status: code, ...(shows && { body: shows }) });
  if (message !== undefined) expect(last.body).toMatchObject({ message: expect.stringContaining(message) });
  for (const path of without) expect(memberAt(last.body, path), path).toBeUndefined();
});

test.each(titled(manifests))("%s: %s is taken as it stands", async (_section, _name, { path, manifest }) => {
  const server = await startServer({});
  const written = wire(parse(manifest));
  const { status, body } = await server.call("POST", path, written);
  expect([status, body.message]).toEqual([201, undefined]);
  expect(body).toMatchObject({ kind: written.kind, spec: expect.any(Object) });
});

describe("disagreements away from the API server", () => {
  test.each(updates.gateTexts.map((promise) => [promise.section, promise.name, promise] as const))(
    "%s: %s",
    (_section, _name, { text, error }) => {
      expect(() => parseFeatureGates(text)).toThrow(error);
    },
  );

  test.each(updates.selectors.map((promise) => [promise.section, promise.name, promise] as const))(
    "%s: %s",
    (_section, _name, { gates, faults }) => {
      const all = featureGates(gates);
      const request = GAMESERVERALLOCATIONS.decode({
        metadata: {},
        spec: { selectors: [{ players: { minAvailable: 5, maxAvailable: 1 } }] },
      });
      expect(validateAllocation(defaultAllocation(request, all), all).map(({ field }) => field)).toEqual(faults);
    },
  );
});

describe("a schedule that has ended", () => {
  const fas = "/apis/autoscaling.agones.dev/v1/namespaces/default/fleetautoscalers";
  const policy = { type: "Buffer", buffer: { bufferSize: 3, maxReplicas: 30 } };
  const scheduled = (between: JsonObject): JsonObject => ({
    apiVersion: "autoscaling.agones.dev/v1",
    kind: "FleetAutoscaler",
    metadata: { name: "a" },
    spec: { fleetName: "duel", policy: { type: "Schedule", schedule: { between, policy } } },
  });

  test("may still be written, but not moved to another time past", async () => {
    const clock = new FakeClock();
    const server = await startServer({}, clock);
    await server.make(fas, scheduled({ end: "2030-01-02T01:00:00+01:00" }));
    await clock.advance(7 * 86_400_000);
    const write = (body: JsonObject) => server.patch(`${fas}/a`, "merge", body);
    expect((await write({ metadata: { labels: { a: "b" } }, spec: { fleetName: "other" } })).status).toBe(200);
    const moved = await write({ spec: { policy: { schedule: { between: { end: "2030-01-03T00:00:00Z" } } } } });
    expect([moved.status, moved.body.message]).toEqual([422, expect.stringContaining("end time must be after")]);
    expect(
      (await server.call("POST", fas, { ...scheduled({ end: "2030-01-02T00:00:00Z" }), metadata: { name: "b" } }))
        .status,
    ).toBe(422);
  });
});
