/** Status and scale, and what is no subresource: alike on both servers. */

import type { JsonObject, JsonValue } from "#api/meta/json.ts";
import { agree } from "./agreement/agree.ts";
import { AGONES, fleet, fleetAutoscaler, gameServer, gameServerSet } from "./agreement/objects.ts";

const FLEET = `${AGONES}/fleets/duel`;
const SERVER = `${AGONES}/gameservers/duel`;
const BUFFER = { type: "Buffer", buffer: { bufferSize: 1, maxReplicas: 2 } };

agree("the status subresource", async (api) => {
  await api.create(fleet());
  await api.get(`${FLEET}/status`);
  await api.patch(`${FLEET}/status`, "merge", { status: { replicas: 3, readyReplicas: 2 }, spec: { replicas: 9 } });
  await api.patch(`${FLEET}/status`, "merge", { metadata: { labels: { a: "b" }, annotations: { c: "d" } } });
  await api.patch(`${FLEET}/status`, "merge", { status: { replicas: "many" } });
  await api.patch(`${FLEET}/status`, "merge", { status: { replicas: 1.5 } });
  await api.patch(`${FLEET}/status`, "merge", { status: { replicas: -1 } });
  await api.patch(`${FLEET}/status`, "merge", { status: [] });
  await api.patch(`${FLEET}/status`, "merge", { status: { colour: "red" } });
  await api.patch(`${FLEET}/status`, "merge", { status: { counters: { rounds: { count: 9223372036854775807n } } } });
  await api.patch(`${FLEET}/status`, "merge", { status: { counters: { rounds: { count: -1 } } } });
  await api.patch(FLEET, "merge", { status: { replicas: 9 }, spec: { replicas: 1 } });
  const object = await api.quietly("GET", FLEET);
  await api.call("PUT", `${FLEET}/status`, { ...object, status: { replicas: 1 } });
  await api.call("PUT", `${FLEET}/status`, object);
  await api.call("DELETE", `${FLEET}/status`);
});

agree("conditions", async (api) => {
  const condition = (type: string, members: JsonObject = {}): JsonObject => ({
    type,
    status: "True",
    reason: "AsWanted",
    message: "",
    lastTransitionTime: "2030-01-01T00:00:00Z",
    ...members,
  });
  for (const [object, path] of [
    [fleet(), FLEET],
    [gameServerSet(), `${AGONES}/gameserversets/duel`],
    [fleetAutoscaler(BUFFER), "/apis/autoscaling.agones.dev/v1/namespaces/NS/fleetautoscalers/duel"],
  ] as const) {
    await api.create({ ...object, status: { conditions: [condition("Odd", { status: "Maybe", reason: "" })] } });
    const write = (conditions: JsonValue) => api.patch(`${path}/status`, "merge", { status: { conditions } });
    await write([condition("A"), condition("B", { observedGeneration: 9007199254740993n, message: "é\u2028<b>" })]);
    await write([condition("A"), condition("B"), condition("A", { status: "False" })]);
    await write([{ type: "A", status: "True" }]);
    await write([condition("A", { status: "Maybe" })]);
    await write([condition("A", { reason: "" }), condition("B", { reason: "not one word" }), condition("", {})]);
    await write([condition("A", { reason: "r".repeat(1025), message: "m".repeat(32769) })]);
    await write([condition("t".repeat(317), { observedGeneration: -1, lastTransitionTime: "2030-02-30T00:00:00Z" })]);
    await write([condition("A", { lastTransitionTime: null }), condition("B", { colour: "red" })]);
    await write(null);
    await write([condition("A")]);
    await api.patch(`${path}/status`, "json", [
      { op: "add", path: "/status/conditions/-", value: condition("C") },
      { op: "replace", path: "/status/conditions/0/status", value: "Unknown" },
    ]);
    await api.patch(path, "merge", { status: { conditions: [] } });
    await api.get(path);
  }
});

agree("what has no such subresource", async (api) => {
  await api.create(gameServer());
  await api.get(`${SERVER}/status`);
  await api.patch(`${SERVER}/status`, "merge", { status: { state: "Ready" } });
  await api.create(fleet());
  await api.get(`${FLEET}/colour`);
  await api.get(`${AGONES}/fleets/ghost/status`);
});

agree("the scale subresource", async (api) => {
  await api.create(fleet({ replicas: 2 }));
  await api.get(`${FLEET}/scale`);
  await api.patch(`${FLEET}/scale`, "merge", { spec: { replicas: 7 } });
  await api.patch(`${FLEET}/scale`, "merge", { spec: { replicas: -1 } });
  await api.differing("what a Scale that cannot be read is answered with", async () => {
    await api.patch(`${FLEET}/scale`, "merge", { spec: { replicas: "many" } });
  });
  await api.patch(`${FLEET}/scale`, "json", [{ op: "replace", path: "/spec/replicas", value: 4 }]);
  const scale = await api.quietly("GET", `${FLEET}/scale`);
  await api.call("PUT", `${FLEET}/scale`, { ...scale, spec: { replicas: 5 } });
  await api.call("PUT", `${FLEET}/scale`, { ...scale, spec: { replicas: 6 } });
  const bare = { apiVersion: "autoscaling/v1", kind: "Scale", metadata: { name: "duel" } };
  await api.call("PUT", `${FLEET}/scale`, { ...bare, spec: {} });
  await api.loosely(() => api.call("PUT", `${FLEET}/scale`, { ...bare, kind: "Fleet" }));
  await api.get(FLEET);
  await api.create(gameServer());
  await api.get(`${SERVER}/scale`);
  await api.patch(`${SERVER}/scale`, "merge", { spec: { replicas: 2 } });
  await api.create(gameServerSet());
  await api.patch(`${AGONES}/gameserversets/duel/scale`, "merge", { spec: { replicas: 3 } });
  await api.get(`${AGONES}/gameserversets/ghost/scale`);
});
