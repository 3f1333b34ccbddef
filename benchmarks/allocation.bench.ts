/**
 * One allocation on an idle cluster, asked for over HTTP, one after the other, until its answer is read: p50.
 *
 * The request goes through the API's unix socket on a connection that is kept; the answer comes when the server's new state is on the
 * disk. The servers are development servers (annotation `agones.dev/dev-address`): they are Ready without a process.
 *
 * Yardstick: the p50 of one durable commit of a row as large as such a game server (node:sqlite, write-ahead log, synchronous=FULL,
 * same disk) plus the p50 of one round trip to a bare node:http server in a process of its own, with a request and an answer as large
 * as the allocation's, over a unix socket as well. All three take turns.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { Agent } from "node:http";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { ask, inFolder, RunningCluster, START, until } from "./cluster.ts";
import { type Benchmark, median } from "./figure.ts";

const WARM_UP = 100;
const MEASURED = 400;
const TARGET = 3;
const SERVERS = "/apis/agones.dev/v1/namespaces/default/gameservers";
const ALLOCATIONS = "/apis/allocation.agones.dev/v1/namespaces/default/gameserverallocations";
const LABELS = { purpose: "benchmark" };

export const benchmark: Benchmark = (tell) =>
  inFolder(async (folder) => {
    await using cluster = await RunningCluster.start([...START, "--no-quick-start"], join(folder, "data"));
    const count = WARM_UP + MEASURED;
    for (let number = 0; number < count; number++) await cluster.create(SERVERS, developmentServer(number));
    const states = async () => (await cluster.get<{ items: readonly Server[] }>(SERVERS)).items;
    await until(async () => (await states()).every(({ status }) => status?.state === "Ready"), 60_000);
    const row = JSON.stringify((await states())[0]);
    tell(`${count} servers are Ready`);

    const allocation = JSON.stringify({
      apiVersion: "allocation.agones.dev/v1",
      kind: "GameServerAllocation",
      spec: { selectors: [{ matchLabels: LABELS }] },
    });
    let answer = "";
    const allocate = async (): Promise<void> => {
      const { code, body } = await cluster.ask("POST", ALLOCATIONS, allocation);
      answer = body;
      if (code >= 300 || JSON.parse(body).status?.state !== "Allocated")
        throw new Error(`the allocation was answered ${code}: ${body}`);
    };
    await allocate();
    using database = openDatabase(join(folder, "yardstick.db"));
    await using echo = await EchoServer.start(join(folder, "echo.sock"), answer);

    const times = { allocation: [] as number[], commit: [] as number[], roundTrip: [] as number[] };
    for (let number = 1; number < count; number++) {
      times.allocation.push(await timed(allocate));
      times.commit.push(await timed(() => database.put(`key-${number}`, row)));
      times.roundTrip.push(await timed(() => echo.ask(allocation)));
    }
    const p50 = (values: readonly number[]): number => median(values.slice(WARM_UP - 1));
    tell(`commit ${p50(times.commit).toFixed(3)} ms, round trip ${p50(times.roundTrip).toFixed(3)} ms`);
    return [
      {
        name: "allocation",
        value: p50(times.allocation),
        unit: "ms",
        against: p50(times.commit) + p50(times.roundTrip),
        target: TARGET,
      },
    ];
  });

interface Server {
  readonly status?: { readonly state?: string };
}

const developmentServer = (number: number): object => ({
  apiVersion: "agones.dev/v1",
  kind: "GameServer",
  metadata: { name: `server-${number}`, labels: LABELS, annotations: { "agones.dev/dev-address": "127.0.0.1" } },
  spec: {
    ports: [{ name: "game", portPolicy: "Static", hostPort: 20_000 + number, containerPort: 7654 }],
    template: { spec: { containers: [{ name: "game", image: "game:1" }] } },
  },
});

async function timed(run: () => unknown): Promise<number> {
  const started = performance.now();
  await run();
  return performance.now() - started;
}

function openDatabase(file: string): Disposable & { put(key: string, value: string): void } {
  const database = new DatabaseSync(file);
  database.exec(
    "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; CREATE TABLE rows (key TEXT PRIMARY KEY, value)",
  );
  const insert = database.prepare("INSERT OR REPLACE INTO rows VALUES (?, ?)");
  return {
    put: (key, value) => void insert.run(key, Buffer.from(value)),
    [Symbol.dispose]: () => database.close(),
  };
}

/** A bare HTTP server in a process of its own that reads each request and answers the same text. */
class EchoServer implements AsyncDisposable {
  readonly #agent = new Agent({ keepAlive: true });
  readonly #process: ReturnType<typeof spawn>;
  readonly #socketPath: string;

  private constructor(socketPath: string, process: ReturnType<typeof spawn>) {
    this.#socketPath = socketPath;
    this.#process = process;
  }

  static async start(socketPath: string, answer: string): Promise<EchoServer> {
    const program = `
      require("node:http").createServer((request, response) => {
        request.resume().on("end", () => response.setHeader("content-type", "application/json").end(process.env.ANSWER));
      }).listen(process.env.SOCKET, () => console.log("listening"));`;
    const env = { ANSWER: answer, SOCKET: socketPath };
    const child = spawn(process.execPath, ["-e", program], { env, stdio: ["ignore", "pipe", "inherit"] });
    await once(child.stdout, "data");
    return new EchoServer(socketPath, child);
  }

  async ask(body: string): Promise<void> {
    await ask(this.#socketPath, this.#agent, "POST", "/", body);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#agent.destroy();
    const ended = once(this.#process, "exit");
    this.#process.kill("SIGKILL");
    await ended;
  }
}
