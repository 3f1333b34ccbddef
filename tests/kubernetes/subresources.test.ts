/** Status and scale, and what is no subresource: alike on both servers. */
import { agree } from "./agreement/agree.ts";
import { AGONES, fleet, gameServer, gameServerSet } from "./agreement/objects.ts";

const FLEET = `${AGONES}/fleets/duel`;
const SERVER = `${AGONES}/gameservers/duel`;

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
