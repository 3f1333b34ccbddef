/**
 * `ready`: from a game's call of Ready until the API's watch shows its server Ready, on an idle cluster, over and over: p50.
 *
 * In between stand the SDK server's write, the controller that sees it, and its own write. The game is a real process under a node
 * agent; its call comes over gRPC on a connection that is kept. Before each call it allocates itself and then says nothing for longer
 * than the SDK server waits between two writes.
 *
 * Yardstick: the p50 of two updates of a small ConfigMap through the API's unix socket, one after the other, each answered when it is on
 * the disk. Nobody but the API server has anything to do with them. Both take turns.
 */
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { get } from "node:http";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import type { GameServer } from "#api/agones/gameserver.ts";
import { IMAGE_MAP_NAME, IMAGE_MAP_NAMESPACE, imageMapData } from "#api/stadion/image-map.ts";
import { inFolder, RunningCluster, START, until } from "./cluster.ts";
import { type Benchmark, median } from "./figure.ts";
import { PlayedGame } from "./played-game.ts";

const WARM_UP = 15;
const MEASURED = 60;
const IDLE_MS = 700;
const TARGET = 2;
const SERVERS = "/apis/agones.dev/v1/namespaces/default/gameservers";
const CONFIG_MAPS = "/api/v1/namespaces/default/configmaps";

export const benchmark: Benchmark = (tell) =>
  inFolder(async (folder) => {
    await using cluster = await RunningCluster.start([...START, "--no-quick-start"], join(folder, "data"));
    const game = await startGame(cluster, join(folder, "port"));
    const configMap = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "yardstick" } };
    await cluster.create(CONFIG_MAPS, configMap);
    using states = await WatchedState.open(cluster, "game");
    const write = async (value: number): Promise<void> => {
      const object = JSON.stringify({ ...configMap, data: { value: String(value) } });
      const { code, body } = await cluster.ask("PUT", `${CONFIG_MAPS}/yardstick`, object);
      if (code !== 200) throw new Error(`the write was answered ${code}: ${body}`);
    };
    const times = { ready: [] as number[], writes: [] as number[] };
    for (let round = 0; round < WARM_UP + MEASURED; round++) {
      await game.call("Allocate");
      await states.seen("Allocated");
      await sleep(IDLE_MS);
      times.ready.push(
        await timed(async () => {
          await Promise.all([game.call("Ready"), states.seen("Ready")]);
        }),
      );
      await sleep(IDLE_MS);
      times.writes.push(
        await timed(async () => {
          await write(2 * round);
          await write(2 * round + 1);
        }),
      );
      if (round % WARM_UP === WARM_UP - 1) tell(`${round + 1} of ${WARM_UP + MEASURED}`);
    }
    game.close();
    const p50 = (values: readonly number[]): number => median(values.slice(WARM_UP));
    return [{ name: "ready", value: p50(times.ready), unit: "ms", against: p50(times.writes), target: TARGET }];
  });

/** A process that only says at which port its SDK server is; the benchmark plays it. */
async function startGame(cluster: RunningCluster, portFile: string): Promise<PlayedGame> {
  const program = `echo $AGONES_SDK_GRPC_PORT > ${portFile}.new && mv ${portFile}.new ${portFile} && exec sleep 100000`;
  await cluster.create(`/api/v1/namespaces/${IMAGE_MAP_NAMESPACE}/configmaps`, {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: IMAGE_MAP_NAME },
    data: imageMapData({ quiet: { command: ["/bin/sh", "-c", program] } }),
  });
  await cluster.create(SERVERS, {
    apiVersion: "agones.dev/v1",
    kind: "GameServer",
    metadata: { name: "game" },
    spec: { health: { disabled: true }, template: { spec: { containers: [{ name: "game", image: "quiet" }] } } },
  });
  await until(async () => existsSync(portFile), 30_000);
  return PlayedGame.connect(Number(readFileSync(portFile, "utf8")));
}

async function timed(run: () => Promise<void>): Promise<number> {
  const started = performance.now();
  await run();
  return performance.now() - started;
}

/** The state of one server as a watch of the API tells it. */
class WatchedState implements Disposable {
  readonly #end: () => void;
  #state: string | undefined;
  #told = (): void => {};

  private constructor(lines: AsyncIterable<string>, end: () => void) {
    this.#end = end;
    void this.#follow(lines).catch(() => {});
  }

  static async open(cluster: RunningCluster, name: string): Promise<WatchedState> {
    const path = `${SERVERS}?watch=true&fieldSelector=metadata.name%3D${name}`;
    const request = get({ socketPath: join(cluster.dataDir, "api.sock"), path });
    const [response] = await once(request, "response");
    return new WatchedState(createInterface(response), () => request.destroy());
  }

  /** Resolves once the last version told of has this state. */
  async seen(state: string): Promise<void> {
    while (this.#state !== state)
      await new Promise<void>((resolve) => {
        this.#told = resolve;
      });
  }

  async #follow(lines: AsyncIterable<string>): Promise<void> {
    for await (const line of lines) {
      const { object } = JSON.parse(line) as { readonly object: GameServer };
      this.#state = object.status?.state;
      this.#told();
    }
  }

  [Symbol.dispose](): void {
    this.#end();
  }
}
