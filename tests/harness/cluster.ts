/** A cluster on a data folder of its own, started and used as a person does. */
import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, inject } from "vitest";
import type { Fleet } from "#api/agones/fleet.ts";
import type { GameServer } from "#api/agones/gameserver.ts";
import { type ApiAnswer, type ApiRequest, askSocket, type Kubeconfig, readKubeconfig } from "./api.ts";
import { eventually } from "./eventually.ts";
import { kubectl } from "./kubectl.ts";
import { killAll, processesOf, type RunningProcess } from "./processes.ts";
import { Program, type Ran, type RunOptions, run } from "./program.ts";

export const ROOT = join(import.meta.dirname, "..", "..");
/** What `npx stadion` runs. */
export const STADION = join(ROOT, "tools", "stadion.mjs");

/** What a supervisor tells last when it ends as it should. */
export const ORDERLY_END = /Stopping the game servers and the cluster[\s\S]*Stopped\.\n$/;

/** A process of a pod, as the node agent tells. */
interface ContainerInfo {
  readonly pod: string;
  readonly container: string;
  readonly pid?: number;
  readonly logFile: string;
}

type Part = "control-plane" | "node-agent";

/** A thousand ports of this test process alone: clusters of files that run side by side share the machine's. */
function ownGamePorts(): string {
  const first = 10_000 + 1000 * Number(process.env.VITEST_POOL_ID ?? 0);
  return `${first}-${first + 999}`;
}

export class Cluster {
  /** Holds the data folder and what else a test needs, such as programs. */
  readonly home: string = mkdtempSync(join(inject("runFolder"), "c-"));
  readonly dataDir: string = join(this.home, "d");
  readonly kubeconfig: string = join(this.dataDir, "kubeconfig");
  #supervisor: Program | undefined;

  /** The supervisor that was started last. */
  get supervisor(): Program {
    if (!this.#supervisor) throw new Error("the cluster was not started");
    return this.#supervisor;
  }

  /** Runs `stadion start` in the background, without waiting for anything. */
  launch(...flags: readonly string[]): Program {
    const ports = flags.includes("--game-ports") ? [] : ["--game-ports", ownGamePorts()];
    const args = [STADION, "--data-dir", this.dataDir, "start", "--api-port", "0", ...ports, ...flags];
    this.#supervisor = new Program(process.execPath, args);
    return this.#supervisor;
  }

  /** Starts it and waits until it says so. */
  async start(...flags: readonly string[]): Promise<void> {
    await this.launch(...flags).prints(/Ctrl-C stops it/);
  }

  /** Ctrl-C, and its end. */
  async stop(): Promise<Ran> {
    this.supervisor.ctrlC();
    return this.supervisor.ended;
  }

  /** All of its processes that run, game servers included. */
  processes(): readonly RunningProcess[] {
    return processesOf(this.dataDir);
  }

  /** The process of one part; fails when there is none. */
  part(name: Part): RunningProcess {
    const found = this.processes().find(({ command }) => /([^/]*)\.(ts|mjs)$/.exec(command[1] ?? "")?.[1] === name);
    if (!found) throw new Error(`no ${name} of ${this.dataDir} is running`);
    return found;
  }

  /** Stops it in order when it runs, and ends what is left. Returns the commands of what was left. */
  async end(): Promise<readonly string[]> {
    if (this.#supervisor?.isRunning) await this.stop();
    const left = this.processes();
    killAll(left);
    return left.map(({ command }) => command.join(" "));
  }

  /** kubectl's output; fails when it ends with another code than 0. Words are split at spaces, unless given apart. */
  async kubectl(command: string | readonly string[], options?: RunOptions): Promise<string> {
    return succeeded(`kubectl ${command}`, await this.tryKubectl(command, options));
  }

  tryKubectl(command: string | readonly string[], options?: RunOptions): Promise<Ran> {
    return run(kubectl(), this.kubectlArguments(command), options);
  }

  /** In the background. */
  startKubectl(command: string | readonly string[]): Program {
    return new Program(kubectl(), this.kubectlArguments(command));
  }

  kubectlArguments(command: string | readonly string[]): readonly string[] {
    return ["--kubeconfig", this.kubeconfig, "--cache-dir", join(this.home, "cache"), ...words(command)];
  }

  /** The output of the command line of `stadion`; fails when it ends with another code than 0. */
  async stadion(command: string | readonly string[], options?: RunOptions): Promise<string> {
    return succeeded(`stadion ${command}`, await this.tryStadion(command, options));
  }

  tryStadion(command: string | readonly string[], options?: RunOptions): Promise<Ran> {
    return run(process.execPath, [STADION, "--data-dir", this.dataDir, ...words(command)], options);
  }

  startStadion(command: string | readonly string[]): Program {
    return new Program(process.execPath, [STADION, "--data-dir", this.dataDir, ...words(command)]);
  }

  get access(): Kubeconfig {
    return readKubeconfig(this.kubeconfig);
  }

  /** Over the unix socket. */
  ask(request: ApiRequest): Promise<ApiAnswer> {
    return askSocket(join(this.dataDir, "api.sock"), request);
  }

  /** The body of an answer 200; fails for any other. */
  async get<T>(path: string): Promise<T> {
    const { code, body } = await this.ask({ path });
    if (code !== 200) throw new Error(`GET ${path} answered ${code}: ${JSON.stringify(body)}`);
    return body as T;
  }

  /** Those of a fleet, or of the whole namespace; by name. */
  async gameServers(fleet?: string): Promise<readonly GameServer[]> {
    const query = fleet === undefined ? "" : `?labelSelector=agones.dev%2Ffleet%3D${fleet}`;
    const path = `/apis/agones.dev/v1/namespaces/default/gameservers${query}`;
    return (await this.get<{ readonly items: readonly GameServer[] }>(path)).items;
  }

  fleet(name: string): Promise<Fleet> {
    return this.get(`/apis/agones.dev/v1/namespaces/default/fleets/${name}`);
  }

  /** Waits until a fleet has exactly these many servers, all Ready unless told otherwise, and none that is on its way out. */
  async servers(fleet: string, count: number, states: readonly string[] = ["Ready"]): Promise<readonly GameServer[]> {
    return eventually(async () => {
      const servers = await this.gameServers(fleet);
      const shown = servers.map(stateOf);
      if (servers.length === count && shown.every((state) => states.includes(state))) return servers;
      throw new Error(`fleet ${fleet} should have ${count} servers ${states.join(" or ")}, has: ${shown.join(", ")}`);
    });
  }

  /** Waits until a game server is in a state. */
  async server(name: string, state = "Ready"): Promise<GameServer> {
    return eventually(async () => {
      const server = await this.get<GameServer>(`/apis/agones.dev/v1/namespaces/default/gameservers/${name}`);
      if (stateOf(server) === state) return server;
      throw new Error(`game server ${name} should be ${state}, is ${stateOf(server)}`);
    });
  }

  /** The processes of all pods, by pod; the node agent is asked. */
  async containers(): Promise<ReadonlyMap<string, ContainerInfo>> {
    const { body } = await askSocket(join(this.dataDir, "agent.sock"), { path: "/containers" });
    const all = body as readonly ContainerInfo[];
    return new Map(all.filter(({ pid }) => pid !== undefined).map((container) => [container.pod, container]));
  }

  /** The process of a game server; fails when it has none. */
  async pid(name: string | undefined): Promise<number> {
    const { pid } = (await this.containers()).get(name ?? "") ?? {};
    if (pid === undefined) throw new Error(`game server ${name} has no process`);
    return pid;
  }
}

/** A cluster for all tests of a file or a group. Fails when it cannot be started, and when a process is left after its orderly end. */
export function useCluster(...flags: readonly string[]): Cluster {
  const cluster = new Cluster();
  beforeAll(() => cluster.start(...flags));
  afterAll(async () => {
    const left = await cluster.end();
    if (left.length > 0) throw new Error(`left over: ${left.join("; ")}`);
  });
  return cluster;
}

const stateOf = ({ metadata, status }: GameServer): string =>
  metadata.deletionTimestamp ? "Deleting" : (status?.state ?? "none");

const words = (command: string | readonly string[]): readonly string[] =>
  typeof command === "string" ? command.split(" ") : command;

function succeeded(shown: string, { code, out, err }: Ran): string {
  if (code !== 0) throw new Error(`${shown} ended with ${code}: ${err}${out}`);
  return out;
}
