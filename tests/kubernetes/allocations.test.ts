/** Requests for a server: the same function behind the embedded server and behind the aggregator. */
import { type JsonObject, type JsonValue, parseJson, stringifyJson } from "#api/meta/json.ts";
import { agree } from "./agreement/agree.ts";
import { AGONES, allocation, gameServer } from "./agreement/objects.ts";
import type { Session } from "./agreement/session.ts";

const ALLOCATIONS = "/apis/allocation.agones.dev/v1/namespaces/NS/gameserverallocations";

/** Makes a Ready server and waits until allocations know of it. */
async function readyServer(api: Session, name: string, spec: JsonObject = {}): Promise<void> {
  await api.quietly("POST", `${AGONES}/gameservers`, {
    ...gameServer(spec, { name, labels: { team: "red" } }),
    status: {
      state: "Ready",
      address: "203.0.113.7",
      addresses: [{ type: "InternalIP", address: "10.0.0.4" }],
      nodeName: "node-1",
      ports: [{ name: "play", port: 7012 }],
    },
  });
  for (;;) {
    const { status } = await api.quietly("POST", `${ALLOCATIONS}?dryRun=All`, allocation({}));
    if ((status as JsonObject).state === "Allocated") return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** The time of an allocation. */
const timeless = (value: JsonObject): JsonValue =>
  parseJson(
    stringifyJson(value).replaceAll(/"agones.dev\/last-allocated":"[^"]*"/g, '"agones.dev/last-allocated":"(time)"'),
  );

agree("a server is taken, with labels, counters and lists changed, and then there is none", async (api) => {
  await readyServer(api, "duel", {
    counters: { rounds: { count: 1, capacity: 9007199254740993n } },
    lists: { roster: { capacity: 4, values: ["ann"] } },
  });
  const wish = allocation(
    {
      selectors: [{ matchLabels: { team: "red" }, counters: { rounds: { minAvailable: 1 } } }],
      metadata: { labels: { match: "m-7" } },
      counters: { rounds: { action: "Increment", amount: 1 } },
      lists: { roster: { addValues: ["bo"] } },
    },
    { name: "wish", labels: { a: "b" } },
  );
  api.note("allocated", timeless(await api.quietly("POST", ALLOCATIONS, wish)));
  api.note("server", timeless(await api.quietly("GET", `${AGONES}/gameservers/duel`)));
  await api.create(wish);
});

agree("what is no request for a server", async (api) => {
  await api.call("POST", ALLOCATIONS, { ...allocation({}), kind: "GameServer" });
  await api.call("POST", ALLOCATIONS, { ...allocation({}), apiVersion: "agones.dev/v1" });
  await api.call("POST", ALLOCATIONS, [1]);
  await api.loosely(async () => {
    await api.call("POST", ALLOCATIONS, "{");
    await api.call("POST", ALLOCATIONS, "");
    await api.call("POST", ALLOCATIONS, "x", { contentType: "text/csv" });
  });
  await api.call("POST", ALLOCATIONS, "spec: {scheduling: Random}", { contentType: "application/yaml" });
  await api.call("POST", ALLOCATIONS, {});
  await api.get(ALLOCATIONS);
  await api.call("DELETE", ALLOCATIONS);
  await api.call("PUT", `${ALLOCATIONS}/a`, allocation({}));
  await api.get("/apis/allocation.agones.dev/v1/gameserverallocations");
  await api.get("/apis/allocation.agones.dev/v1/namespaces/NS/others");
});
