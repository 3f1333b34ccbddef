/** One game, written with a published client, on its way from a desk to a fleet: nothing in it changes. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { GameServer } from "#api/agones/gameserver.ts";
import { stringifyJson } from "#api/meta/json.ts";
import { askUdp, type GameAddress } from "./harness/ask.ts";
import { ROOT, useCluster } from "./harness/cluster.ts";
import { eventually } from "./harness/eventually.ts";
import { freePort } from "./harness/free-port.ts";
import { Program } from "./harness/program.ts";
import { SdkServerProgram } from "./harness/sdk-server.ts";

const GAME = [process.execPath, join(ROOT, "tests", "games", "arena.mjs")] as const;
const [NODE, FILE] = GAME;
const IMAGE = "studio.example/arena:1";
const cluster = useCluster("--no-quick-start");

interface Shown {
  readonly state: string | undefined;
  readonly map: string | undefined;
  readonly rooms: unknown;
  readonly players: unknown;
}

/** As the REST door shows it. */
interface LocalGameServer {
  readonly object_meta: { readonly labels: Readonly<Record<string, string>> };
  readonly status: {
    readonly state: string;
    readonly counters: Readonly<Record<"rooms", { readonly count: string }>>;
    readonly lists: Readonly<Record<"players", { readonly values: readonly string[] }>>;
  };
}

/** What a player and an onlooker see of one match. */
async function match(game: GameAddress, look: () => Promise<Shown>): Promise<readonly unknown[]> {
  const story: unknown[] = [];
  const shows = (state: string, map: string | undefined): Promise<unknown> =>
    eventually(async () => {
      const shown = await look();
      expect(shown).toMatchObject({ state, map });
      story.push(shown);
    });
  const says = async (text: string): Promise<unknown> => story.push(await askUdp(game, text));
  await shows("Ready", undefined);
  await says("join ann");
  await says("start dust");
  await says("full");
  await eventually(async () => expect(await look()).toMatchObject({ players: ["test0", "ann"], rooms: 2 }));
  await shows("Allocated", "dust");
  await says("over");
  return story;
}

const STORY = [
  { state: "Ready", map: undefined, rooms: 1, players: ["test0"] },
  "players: test0,ann",
  "rooms: 2",
  "out of range. Count must be within range [0,Capacity]. Found Count: 102, Capacity: 10",
  { state: "Allocated", map: "dust", rooms: 2, players: ["test0", "ann"] },
  "bye",
];

const COUNTS = {
  counters: { rooms: { count: 1, capacity: 10 } },
  lists: { players: { capacity: 100, values: ["test0"] } },
};

const FLEET = stringifyJson({
  apiVersion: "agones.dev/v1",
  kind: "Fleet",
  metadata: { name: "arena" },
  spec: {
    replicas: 1,
    template: {
      spec: {
        ports: [{ name: "default", containerPort: 7654 }],
        ...COUNTS,
        template: { spec: { containers: [{ name: "arena", image: IMAGE }] } },
      },
    },
  },
});

const addressOf = ({ status }: GameServer): GameAddress => ({
  address: status?.address ?? "",
  port: status?.ports?.[0]?.port ?? 0,
});

async function lookAt(name: string | undefined): Promise<Shown> {
  const found = (await cluster.gameServers()).find(({ metadata }) => metadata.name === name);
  const { counters, lists, state } = found?.status ?? {};
  return {
    state,
    map: found?.metadata.labels?.["agones.dev/sdk-map"],
    rooms: counters?.rooms?.count,
    players: lists?.players?.values,
  };
}

const isGone = (name: string | undefined): Promise<void> =>
  eventually(async () =>
    expect((await cluster.gameServers()).map(({ metadata }) => metadata.name)).not.toContain(name),
  );

async function onADesk(): Promise<readonly unknown[]> {
  const file = join(cluster.home, "arena.json");
  writeFileSync(
    file,
    stringifyJson({ kind: "GameServer", metadata: { name: "arena" }, status: { ...COUNTS, state: "Scheduled" } }),
  );
  await using server = new SdkServerProgram(["--local", `--file=${file}`, "--grpc-port=0", "--http-port=0"]);
  const { grpcPort, httpPort } = await server.ports();
  const port = await freePort();
  await using _game = new Program(NODE, [FILE], {
    env: { AGONES_SDK_GRPC_PORT: String(grpcPort), PORT: String(port) },
  });
  const look = async (): Promise<Shown> => {
    const answer = await fetch(`http://localhost:${httpPort}/gameserver`);
    const { object_meta, status } = (await answer.json()) as LocalGameServer;
    return {
      state: status.state,
      map: object_meta.labels["agones.dev/sdk-map"],
      rooms: Number(status.counters.rooms.count),
      players: status.lists.players.values,
    };
  };
  const story = await match({ address: "127.0.0.1", port }, look);
  expect((await look()).state).toBe("Shutdown");
  return story;
}

async function underADebugger(): Promise<readonly unknown[]> {
  await using game = cluster.startStadion(["dev", "--name", "mine", "--fleet", "arena", "--", ...GAME]);
  const story = await match(addressOf(await cluster.server("mine")), () => lookAt("mine"));
  expect((await game.ended).code).toBe(0);
  await isGone("mine");
  return story;
}

async function inAFleet(): Promise<readonly unknown[]> {
  const [server] = await cluster.servers("arena", 1);
  const name = server?.metadata.name;
  const story = await match(addressOf(server as GameServer), () => lookAt(name));
  await isGone(name);
  await cluster.servers("arena", 1);
  return story;
}

test("a game is played the same on a desk, under a debugger in a cluster, and in a fleet", async () => {
  expect(await onADesk()).toEqual(STORY);
  await cluster.stadion(["images", "add", IMAGE, "--", ...GAME]);
  await cluster.stadion("apply -f -", { input: FLEET });
  await cluster.servers("arena", 1);
  expect(await underADebugger()).toEqual(STORY);
  expect(await inAFleet()).toEqual(STORY);
});
