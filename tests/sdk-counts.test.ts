/** Counters, lists and players of a game that uses the published SDK: what fleets, matchmakers and the game see of them. */
import AgonesSDKModule from "@google-cloud/agones-sdk";
import { expect, it, vi } from "vitest";
import { useCluster } from "./harness/cluster.ts";
import { eventually } from "./harness/eventually.ts";
import { fleet, gameServer } from "./harness/manifests.ts";
import { killAll, readProcess } from "./harness/processes.ts";

// The types that the package publishes do not fit what it exports, and lack the calls for counters and lists.
const AgonesSDK = AgonesSDKModule as unknown as typeof AgonesSDKModule.default;
interface Beta {
  getCounterCount(key: string): Promise<number>;
  incrementCounter(key: string, amount: number): Promise<void>;
  decrementCounter(key: string, amount: number): Promise<void>;
  getListValues(key: string): Promise<string[]>;
  appendListValue(key: string, value: string): Promise<void>;
  deleteListValue(key: string, value: string): Promise<void>;
  setListCapacity(key: string, capacity: number): Promise<void>;
}
type Sdk = InstanceType<typeof AgonesSDK> & { readonly beta: Beta };

const GATES = ["--feature-gates", "PlayerTracking=true"];
const cluster = useCluster("--no-quick-start", "--keep-servers", ...GATES);
const counts = {
  counters: { rooms: { count: 1, capacity: 10 } },
  lists: { players: { capacity: 5, values: ["first"] } },
};

async function sdkOf(name: string | undefined): Promise<Sdk> {
  const pid = await eventually(() => cluster.pid(name));
  vi.stubEnv("AGONES_SDK_GRPC_PORT", readProcess(pid)?.environment.AGONES_SDK_GRPC_PORT);
  const sdk = new AgonesSDK() as Sdk;
  vi.unstubAllEnvs();
  await sdk.connect();
  return sdk;
}

/** What a game sees of itself, newest last. */
function watch(sdk: Sdk): readonly string[] {
  const seen: string[] = [];
  sdk.watchGameServer(
    ({ status }) => {
      const { state, countersMap, listsMap } = status as unknown as {
        state: string;
        countersMap: [string, { count: number }][];
        listsMap: [string, { valuesList: string[] }][];
      };
      seen.push(`${state} ${countersMap[0]?.[1].count} ${listsMap[0]?.[1].valuesList}`);
    },
    () => {},
  );
  return seen;
}

it("a game counts, its fleet sums up, and the game sees by its watch what an allocation counts", async () => {
  await cluster.stadion("apply -f -", { input: fleet("lobby", { replicas: 2, ...counts }) });
  const [server] = await cluster.servers("lobby", 2);
  const name = server?.metadata.name ?? "";
  const sdk = await sdkOf(name);
  const seen = watch(sdk);
  await eventually(() => expect(seen).toEqual(["Ready 1 first"]));

  await sdk.beta.incrementCounter("rooms", 4);
  await sdk.beta.appendListValue("players", "second");
  expect(await sdk.beta.getCounterCount("rooms")).toBe(5);
  expect(await sdk.beta.getListValues("players")).toEqual(["first", "second"]);
  await eventually(async () =>
    expect((await cluster.fleet("lobby")).status).toMatchObject({
      counters: { rooms: { count: 6, capacity: 20, allocatedCount: 0 } },
      lists: { players: { count: 3, capacity: 10 } },
    }),
  );

  const { code, body } = await cluster.ask({
    method: "POST",
    path: "/apis/allocation.agones.dev/v1/namespaces/default/gameserverallocations",
    body: {
      apiVersion: "allocation.agones.dev/v1",
      kind: "GameServerAllocation",
      spec: {
        selectors: [{ matchLabels: { "agones.dev/fleet": "lobby" }, counters: { rooms: { minCount: 5 } } }],
        counters: { rooms: { action: "Increment", amount: 2 } },
        lists: { players: { addValues: ["third"], deleteValues: ["first"] } },
      },
    },
  });
  expect({ code, body }).toMatchObject({
    code: 201,
    body: {
      status: {
        state: "Allocated",
        gameServerName: name,
        counters: { rooms: { count: 7 } },
        lists: { players: { values: ["second", "third"] } },
      },
    },
  });
  await eventually(() => expect(seen.at(-1)).toBe("Allocated 7 second,third"));
  expect(await sdk.beta.getCounterCount("rooms")).toBe(7);

  await Promise.all(Array.from({ length: 3 }, () => sdk.beta.incrementCounter("rooms", 1)));
  await sdk.beta.setListCapacity("players", 1);
  await eventually(() => expect(seen.at(-1)).toBe("Allocated 10 second"));
  await expect(sdk.beta.incrementCounter("rooms", 1)).rejects.toMatchObject({
    code: 2,
    details: "out of range. Count must be within range [0,Capacity]. Found Count: 11, Capacity: 10",
  });
  await eventually(async () =>
    expect((await cluster.fleet("lobby")).status?.counters).toMatchObject({ rooms: { count: 11, allocatedCount: 10 } }),
  );
  await eventually(async () =>
    expect(await cluster.stadion("get events")).toContain("Counter rooms updated to Count:5 Capacity:10"),
  );
  sdk.close();
  await cluster.stadion("delete fleet lobby");
});

it("a game tracks its players", async () => {
  await cluster.stadion("apply -f -", { input: gameServer("tracked") });
  await cluster.server("tracked");
  const sdk = await sdkOf("tracked");
  expect(await sdk.alpha.getPlayerCapacity()).toBe(0);
  await expect(sdk.alpha.playerConnect("early")).rejects.toMatchObject({
    code: 2,
    details: "players are already at capacity",
  });
  await sdk.alpha.setPlayerCapacity(2);
  expect(await sdk.alpha.playerConnect("one")).toBe(true);
  expect(await sdk.alpha.playerConnect("two")).toBe(true);
  expect(await sdk.alpha.playerDisconnect("one")).toBe(true);
  expect(await sdk.alpha.getConnectedPlayers()).toEqual(["two"]);
  await eventually(async () =>
    expect((await cluster.server("tracked")).status?.players).toEqual({ count: 1, capacity: 2, ids: ["two"] }),
  );
  sdk.close();
  await cluster.stadion("delete gameserver tracked");
});

it("what was counted while there was no control plane, is counted once, when the node agent dies as well", async () => {
  await cluster.stadion("apply -f -", { input: gameServer("faithful", counts) });
  await cluster.server("faithful");
  const sdk = await sdkOf("faithful");
  killAll([cluster.supervisor, cluster.part("control-plane")]);
  await cluster.supervisor.ended;
  for (let n = 0; n < 5; n++) await sdk.beta.incrementCounter("rooms", 1);
  await sdk.beta.decrementCounter("rooms", 2);
  await sdk.beta.appendListValue("players", "second");
  await sdk.beta.deleteListValue("players", "first");
  expect(await sdk.beta.getCounterCount("rooms")).toBe(4);
  killAll([cluster.part("node-agent")]);
  sdk.close();

  await cluster.start(...GATES);
  await eventually(async () =>
    expect((await cluster.server("faithful")).status).toMatchObject({
      counters: { rooms: { count: 4, capacity: 10 } },
      lists: { players: { capacity: 5, values: ["second"] } },
    }),
  );
  const again = await sdkOf("faithful");
  expect(await again.beta.getCounterCount("rooms")).toBe(4);
  await again.beta.incrementCounter("rooms", 1);
  await eventually(async () =>
    expect((await cluster.server("faithful")).status?.counters).toEqual({ rooms: { count: 5, capacity: 10 } }),
  );
  again.close();
  await cluster.stadion("delete gameserver faithful");
});
