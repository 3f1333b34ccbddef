/**
 * The SDK server that a node agent runs for all games of its machine, with the flags of the agent (none), over the embedded API server.
 *
 * - `shared-sdk-memory`: what a further game server costs where there are 1,000, each with a connection, a Watch and a Health stream of
 *   its own and a ping every two seconds: private dirty memory with 1,500 of them less that with 500, garbage collected, less V8's
 *   empty young generation. Also against 100 KB.
 * - `shared-sdk-health`: processor time of 1,000 calls of Health with a ping each, 8 at a time over one connection. A ratio of 1.43 is
 *   0.7 times as many calls a second on one core.
 * - `shared-sdk-pings`: the same of 1,000 pings on a Health stream that stays open, as published clients send them: a few milliseconds.
 *
 * Yardstick: `bare-grpc-streams.ts`, one grpc-js server on one port with as many connections and streams, bundled the same way. Medians;
 * both take turns.
 */
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { build } from "esbuild";
import { GAMESERVERS } from "#api/agones/resources.ts";
import { createClient } from "#kube/api-client.ts";
import { kubeconfigAccess } from "#kube/kubeconfig.ts";
import { httpsTransport } from "#kube/transport-https.ts";
import { systemClock as clock } from "#runtime/clock.ts";
import { startEmbedded } from "#tests/kubernetes/rig/embedded.ts";
import { bundling } from "../tools/build/bundle.ts";
import { inFolder } from "./cluster.ts";
import { type Benchmark, median } from "./figure.ts";
import { MeasuredProcess } from "./measured-process.ts";
import { PlayedGame } from "./played-game.ts";

const ROUNDS = 5;
const FEW = 500;
const MANY = 1500;
const MOST_KB = 100;
const PING_ROUNDS = 3;
const PING_EVERY_MS = 2000;
const CALLS = { health: 20_000, pings: 200_000 } as const;
const AT_ONCE = 8;
const TARGETS = { memory: 2, health: 1 / 0.7, pings: null } as const;

interface Measured {
  readonly memory: number;
  readonly health: number;
  readonly pings: number;
}

export const benchmark: Benchmark = (tell) =>
  inFolder(async (folder) => {
    const bundled = (name: string) => join(folder, `${name}.mjs`);
    for (const name of ["shared-sdk-server", "bare-grpc-streams"])
      await build({
        ...bundling(),
        entryPoints: [join(import.meta.dirname, `${name}.ts`)],
        outfile: bundled(name),
      });
    const api = await startEmbedded(folder, "0.0.0");
    try {
      const names = await createGameServers(api.kubeconfig);
      const rounds: { readonly ours: Measured; readonly bare: Measured }[] = [];
      for (let round = 1; round <= ROUNDS; round++) {
        const bare = await measure(bundled("bare-grpc-streams"), [], names);
        const ours = await measure(bundled("shared-sdk-server"), [api.kubeconfig], names);
        rounds.push({ ours, bare });
        tell(
          `round ${round} of ${ROUNDS}: ${ours.memory.toFixed(0)} KB a server, ${bare.memory.toFixed(0)} KB bare; ` +
            `${(1000 / ours.health).toFixed(1)} and ${(1000 / bare.health).toFixed(1)} thousand calls a second; ` +
            `${(1000 / ours.pings).toFixed(1)} and ${(1000 / bare.pings).toFixed(1)} thousand pings`,
        );
      }
      const middle = (of: "ours" | "bare", what: keyof Measured) => median(rounds.map((each) => each[of][what]));
      const memory = { name: "shared-sdk-memory", value: middle("ours", "memory") / 1024, unit: "MB" } as const;
      return [
        { ...memory, against: middle("bare", "memory") / 1024, target: TARGETS.memory },
        { ...memory, name: "shared-sdk-memory-100-kb", against: MOST_KB / 1024, target: 1 },
        ...(["health", "pings"] as const).map((what) => ({
          name: `shared-sdk-${what}`,
          value: middle("ours", what),
          unit: "ms" as const,
          against: middle("bare", what),
          target: TARGETS[what],
        })),
      ];
    } finally {
      await api.stop();
    }
  });

async function createGameServers(kubeconfig: string): Promise<readonly string[]> {
  const transport = httpsTransport(await kubeconfigAccess(kubeconfig, { clock }));
  const client = createClient(transport);
  const names = Array.from({ length: MANY }, (_, number) => `game-${number}`);
  for (const name of names)
    await client.create(GAMESERVERS, {
      apiVersion: "agones.dev/v1",
      kind: "GameServer",
      metadata: { name, namespace: "default" },
      spec: {
        ports: [{ name: "play", portPolicy: "Dynamic", containerPort: 7654 }],
        template: { spec: { containers: [{ name: "game", image: "game:1" }] } },
      },
    });
  await transport.close();
  return names;
}

async function measure(file: string, args: readonly string[], names: readonly string[]): Promise<Measured> {
  await using server = await MeasuredProcess.start(file, args);
  const games: PlayedGame[] = [];
  const play = async (more: readonly string[]): Promise<number> => {
    for (const port of await server.serve(more)) {
      const game = await PlayedGame.connect(port);
      await game.openStreams();
      games.push(game);
    }
    for (let round = 0; round < PING_ROUNDS; round++) {
      await sleep(PING_EVERY_MS);
      await Promise.all(games.map((game) => game.ping()));
    }
    await sleep(PING_EVERY_MS);
    return server.memory();
  };
  const before = await play(names.slice(0, FEW));
  const after = await play(names.slice(FEW));
  const [first] = games;
  if (!first) throw new Error("no game is played");
  const health = await cost(server, first, CALLS.health, () => first.call("Health"));
  const pings = await cost(server, first, CALLS.pings, () => first.ping());
  for (const game of games) game.close();
  return { memory: (after - before) / (MANY - FEW), health, pings };
}

/** Milliseconds of a processor for 1,000 calls, the last of twice as many: code is fast by then. */
async function cost(
  server: MeasuredProcess,
  game: PlayedGame,
  calls: number,
  call: () => Promise<void>,
): Promise<number> {
  const all = async () => {
    const some = async () => {
      for (let count = 0; count < calls / AT_ONCE; count++) await call();
    };
    await Promise.all(Array.from({ length: AT_ONCE }, some));
    // Comes after all that is on its way.
    await game.call("Health");
  };
  await all();
  const before = await server.processorMs();
  await all();
  return (((await server.processorMs()) - before) / calls) * 1000;
}
