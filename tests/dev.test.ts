/** A game that a developer starts by hand, as a game server of the cluster. */
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { GameServer } from "#api/agones/gameserver.ts";
import { askUdp, type GameAddress } from "./harness/ask.ts";
import { ROOT, useCluster } from "./harness/cluster.ts";
import { eventually } from "./harness/eventually.ts";
import { hasKubectl } from "./harness/kubectl.ts";
import { fleet } from "./harness/manifests.ts";
import { childrenOf, isAlive } from "./harness/processes.ts";
import { Program } from "./harness/program.ts";

const cluster = useCluster("--no-quick-start");
const GAME = [process.execPath, join(ROOT, "dist", "simple-game-server.mjs")];
const addressOf = ({ status }: GameServer): GameAddress => ({
  address: status?.address ?? "",
  port: status?.ports?.[0]?.port ?? 0,
});

/** `stadion dev`, in the background. */
const dev = (...args: readonly string[]) => cluster.startStadion(["dev", ...args]);

/** Its SDK server's process id. */
const sdkServer = (name: string) =>
  cluster.processes().find(({ command }) => command.includes(`--gameserver-name=${name}`))?.pid;

async function isGone(name: string): Promise<void> {
  await eventually(async () => expect((await cluster.gameServers()).map(nameOf)).not.toContain(name));
  await eventually(() => expect(sdkServer(name)).toBeUndefined());
}

/** The process of its game. */
function gameOf(program: Program): number {
  const game = childrenOf(program.pid).find(({ command }) => command.includes(GAME[1] ?? ""));
  if (!game) throw new Error(`no game is a child of ${program.pid}`);
  return game.pid;
}

const nameOf = ({ metadata }: GameServer): string => metadata.name ?? "";

/** What `stadion dev` prints without a command. */
const readVariables = (text: string): Readonly<Record<string, string>> =>
  Object.fromEntries(text.split("\n").flatMap((line) => (line.includes("=") ? [line.split("=", 2)] : [])));

describe("with a command", () => {
  it("the game is Ready when it says so, is seen and allocated, and Ctrl-C removes it", async () => {
    await using program = dev("--name", "mine", "--", ...GAME, "--ready=false");
    await program.prints(/Listening on UDP/);
    const game = addressOf(await cluster.server("mine", "Scheduled"));
    expect(await askUdp(game, "GAMESERVER")).toBe("NAME: mine\n");
    await askUdp(game, "READY");
    await cluster.server("mine", "Ready");
    if (hasKubectl)
      expect((await cluster.kubectl("get gs mine --no-headers")).split(/\s+/).slice(0, 4)).toEqual([
        "mine",
        "Ready",
        game.address,
        String(game.port),
      ]);
    expect(await cluster.stadion("allocate -o name")).toBe("gameservers/mine\n");
    await program.prints(/mine: Allocated/);
    program.ctrlC();
    expect((await program.ended).code).toBe(0);
    await isGone("mine");
  });

  it("it has the developer's environment and folder, its port, and ends with its own exit code", async () => {
    const script = 'echo "$STUDIO $PORT $1 $STADION_PORT_DEFAULT $(pwd)"; exit 7';
    const { code, out } = await cluster.tryStadion(["dev", "--", "sh", "-c", script, "sh", "$(PORT)"], {
      env: { STUDIO: "ours", TEST: "ready" },
      cwd: cluster.home,
    });
    expect(code).toBe(7);
    const [studio, port, argument, named, folder] = out.trim().split(" ");
    expect([studio, folder]).toEqual(["ours", cluster.home]);
    expect(Number(port)).toBeGreaterThan(0);
    expect([argument, named]).toEqual([port, port]);
    expect(await cluster.gameServers()).toEqual([]);
  });

  it("when it calls Shutdown it is told to end, as in a Pod", async () => {
    await using program = dev("--name", "over", "--", ...GAME);
    await askUdp(addressOf(await cluster.server("over")), "EXIT");
    const { code, out, err } = await program.ended;
    expect({ code, out }).toEqual({ code: 0, out: expect.stringContaining("Received signal, terminating") });
    expect(err).toMatch(/over: Shutdown[\s\S]*the game is told to end/);
    await isGone("over");
  });

  it("as a server of a fleet it has its labels and counts, stands at a breakpoint, and the fleet's own servers only when paused", async () => {
    const counters = { rooms: { count: 1, capacity: 3 } };
    const health = { periodSeconds: 1, failureThreshold: 3, initialDelaySeconds: 1 };
    await cluster.stadion("apply -f -", {
      input: fleet("arena", { replicas: 2, labels: { mode: "duel" }, counters, health, grace: 1 }),
    });
    const [paused, counted] = (await cluster.servers("arena", 2)).map(nameOf);
    await using program = dev("--name", "held", "--fleet", "arena", "--", ...GAME);
    const held = await cluster.server("held");
    expect(held.metadata.labels).toMatchObject({ mode: "duel", "agones.dev/fleet": "arena" });
    expect(held.status?.counters).toEqual({ rooms: { count: 1, capacity: 3 } });
    expect(await askUdp(addressOf(held), "INCREMENT_COUNTER rooms 2")).toBe("SUCCESS\n");
    expect((await cluster.fleet("arena")).status?.replicas).toBe(2);

    await cluster.stadion(`pause-health ${paused}`);
    const pids = [await cluster.pid(paused), await cluster.pid(counted), gameOf(program)];
    try {
      for (const pid of pids) process.kill(pid, "SIGSTOP");
      // By then all of them have missed as many pings.
      await eventually(async () => expect((await cluster.gameServers("arena")).map(nameOf)).not.toContain(counted));
      await cluster.server(paused ?? "", "Ready");
      await cluster.server("held", "Ready");
    } finally {
      for (const pid of pids) if (isAlive(pid)) process.kill(pid, "SIGCONT");
    }
    expect((await cluster.server("held")).status?.counters).toEqual({ rooms: { count: 3, capacity: 3 } });
    program.ctrlC();
    await program.ended;
    await cluster.stadion("delete fleet arena");
  });

  it("outlives its control plane and its SDK server", async () => {
    await using program = dev("--name", "tough", "--", ...GAME);
    const game = addressOf(await cluster.server("tough"));
    process.kill(cluster.part("control-plane").pid, "SIGKILL");
    const former = sdkServer("tough");
    if (former !== undefined) process.kill(former, "SIGKILL");
    await eventually(() => expect(sdkServer("tough")).toEqual(expect.not.toBeOneOf([former, undefined])));
    expect(await askUdp(game, "hello")).toBe("ACK: hello\n");
    await eventually(async () => expect(await askUdp(game, "ALLOCATE")).toBe("ACK: ALLOCATE\n"));
    await cluster.server("tough", "Allocated");
    program.ctrlC();
    expect((await program.ended).code).toBe(0);
    await isGone("tough");
  });

  it("after a kill nothing is left", async () => {
    await using program = dev("--name", "killed", "--", ...GAME);
    await cluster.server("killed");
    const game = gameOf(program);
    program.signal("SIGKILL");
    process.kill(game, "SIGKILL");
    await isGone("killed");
  });
});

describe("without a command", () => {
  it("prints what a game is started with, and has a new GameServer for each that has ended, with Shutdown or without a word", async () => {
    await using program = dev("--name", "by-hand");
    await program.prints(/by-hand: at default/);
    const env = readVariables(program.out);
    expect(Object.keys(env)).toEqual(["PORT", "STADION_PORT_DEFAULT", "AGONES_SDK_GRPC_PORT", "AGONES_SDK_HTTP_PORT"]);
    let uid: string | undefined;
    const ends = [
      (server: GameServer) => askUdp(addressOf(server), "EXIT"),
      (_: GameServer, game: Program) => game.signal("SIGKILL"),
    ];
    for (const end of ends) {
      await using game = new Program(GAME[0] ?? "", GAME.slice(1), { env });
      const server = await cluster.server("by-hand");
      expect(server.metadata.uid).not.toBe(uid);
      uid = server.metadata.uid;
      await eventually(() => expect(program.err.match(/your game listens/g)).toHaveLength(ends.indexOf(end) + 1));
      expect(String(addressOf(server).port)).toBe(env.PORT);
      await end(server, game);
      await eventually(async () => expect((await cluster.server("by-hand", "Scheduled")).metadata.uid).not.toBe(uid));
      game.signal("SIGKILL");
    }
    program.ctrlC();
    expect((await program.ended).code).toBe(0);
    await isGone("by-hand");
  });
});

it("what cannot be is refused, and nothing is left", async () => {
  await using holder = dev("--name", "holder", "--", ...GAME);
  const { port } = addressOf(await cluster.server("holder"));
  const refusals = [
    [["--port", String(port), "--", "true"], 1, `port ${port} belongs to game server holder`],
    [["--name", "holder", "--", "true"], 1, '"holder" already exists'],
    [["--fleet", "nope", "--", "true"], 1, '"nope" not found'],
    [["--", "./nope"], 2, "nope is not there"],
    [["--address", "desk", "--", "true"], 2, "It must be an IP address."],
  ] as const;
  for (const [args, code, message] of refusals)
    expect(await cluster.tryStadion(["dev", ...args])).toMatchObject({ code, err: expect.stringContaining(message) });
  expect((await cluster.gameServers()).map(nameOf)).toEqual(["holder"]);
  holder.ctrlC();
  await holder.ended;
});
