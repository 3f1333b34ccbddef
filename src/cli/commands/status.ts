import type { Command } from "commander";
import type { GameServer } from "#api/agones/gameserver.ts";
import { FLEETS, GAMESERVERS } from "#api/agones/resources.ts";
import { NODES } from "#api/core/resources.ts";
import type { KubeObject } from "#api/meta/object.ts";
import { parseQuantity } from "#api/meta/quantity.ts";
import type { ResourceType } from "#api/meta/resource-type.ts";
import { isNotFound } from "#api/meta/status.ts";
import { TransportError } from "#kube/transport.ts";
import { type AgentIdentity, type AgentPort, isSilent } from "../agent.ts";
import { CliError } from "../errors.ts";
import { leftGames } from "../left-games.ts";
import { formatted, type OutputFormat, textTable } from "../output.ts";
import type { Session } from "../session.ts";

/** `status`: the cluster at a glance. Fails when a part of it is down. */
export function addStatus(program: Command, session: Session): void {
  program
    .command("status")
    .description("show whether the cluster is well, its nodes, fleets and servers")
    .addOption(session.outputOption(["table", "json", "yaml"]))
    .addHelpText(
      "after",
      "\nExit code 1 says that a part is down. Examples:\n  npx stadion status\n  npx stadion status -o json",
    )
    .action(({ output }: { output: OutputFormat }) => status(session, output));
}

async function status(session: Session, output: OutputFormat): Promise<void> {
  try {
    await statusOfCluster(session, output);
  } catch (error) {
    const isDown = error instanceof TransportError || (error instanceof CliError && error.code === "NotRunning");
    if (isDown) await tellLeftServers(session);
    throw error;
  }
}

/** Game servers outlive their cluster when they were kept, and when everything else was killed. */
async function tellLeftServers({ agent, terminal, dataDir }: Session): Promise<void> {
  const { agent: running, hangs } = await asked(agent);
  const pids = running ? (await agent.containers()).flatMap(({ pid }) => pid ?? []) : await leftGames(dataDir);
  if (hangs) terminal.err(`The node agent does not answer; it has ${games(pids)}.`);
  else if (running) terminal.err(`The node agent runs on (process ${running.pid}), and ${games(pids)}.`);
  else if (pids.length > 0) terminal.err(`No node agent runs; nobody looks after ${games(pids)}.`);
  else return;
  // Nobody tells whether the agent was told to end them.
  const unless = running ? "Unless a Ctrl-C is just ending them, the" : "The";
  terminal.err(
    `${unless} next start finds them; to end them, start the cluster without --keep-servers and press Ctrl-C.`,
  );
}

/** Who looks after game servers, if anybody answers. */
async function asked(
  agent: AgentPort,
): Promise<{ readonly agent: AgentIdentity | undefined; readonly hangs: boolean }> {
  try {
    return { agent: await agent.identity(), hangs: false };
  } catch (error) {
    if (!isSilent(error)) throw error;
    return { agent: undefined, hangs: true };
  }
}

function games(pids: readonly number[]): string {
  const processes = pids.length === 0 ? "" : ` (${pids.length === 1 ? "process" : "processes"} ${pids.join(", ")})`;
  return `${pids.length} game ${pids.length === 1 ? "server" : "servers"}${processes}`;
}

async function statusOfCluster(session: Session, output: OutputFormat): Promise<void> {
  await using connection = session.connect();
  const { client, dataDir } = connection;
  const missing: string[] = [];
  const itemsOf = async <T extends KubeObject>(type: ResourceType<T>): Promise<readonly T[]> => {
    try {
      return (await client.list(type)).items;
    } catch (error) {
      if (!isNotFound(error)) throw error;
      missing.push(`${type.plural}.${type.group}`);
      return [];
    }
  };
  const [{ agent, hangs }, nodes, fleets, servers] = await Promise.all([
    asked(session.agent),
    itemsOf(NODES),
    itemsOf(FLEETS),
    itemsOf(GAMESERVERS),
  ]);
  const report = {
    dataDir,
    controlPlane: "running",
    nodeAgent: agent ? { state: "running", pid: agent.pid } : { state: hangs ? "not answering" : "not running" },
    nodes: nodes.map(({ metadata, status }) => ({
      name: metadata.name ?? "",
      ready: status?.conditions?.some(({ type, status }) => type === "Ready" && status === "True") ?? false,
      addresses: status?.addresses?.map(({ address }) => address) ?? [],
      cpu: status?.allocatable?.cpu ?? "",
      memory: status?.allocatable?.memory ?? "",
    })),
    fleets: fleets.map(({ metadata, spec, status }) => ({
      namespace: metadata.namespace ?? "",
      name: metadata.name ?? "",
      desired: spec.replicas ?? 0,
      ready: status?.readyReplicas ?? 0,
      allocated: status?.allocatedReplicas ?? 0,
    })),
    gameServers: countByState(servers),
  };
  if (output === "json" || output === "yaml") session.terminal.out(await formatted(report, output));
  else printReport(session, report);
  if (missing.length > 0)
    throw new CliError(
      "Refused",
      `the cluster does not know ${missing.sort().join(", ")} any more: end it with Ctrl-C and start it again, which defines what is missing anew`,
    );
  if (hangs) throw new CliError("Refused", "the node agent does not answer: no game server is started or watched");
  if (!agent) {
    const left = await leftGames(dataDir);
    const others = left.length === 0 ? "" : `, nor ${games(left)} that ${left.length === 1 ? "runs" : "run"} on`;
    throw new CliError("Refused", `the node agent is not running: no game server is started or watched${others}`);
  }
  const silent = report.nodes.filter(({ ready }) => !ready).map(({ name }) => name);
  if (silent.length > 0) throw new CliError("Refused", `not ready: node ${silent.join(", ")}`);
}

function countByState(servers: readonly GameServer[]): Readonly<Record<string, number>> {
  const counts = new Map<string, number>();
  for (const { status } of servers) counts.set(status?.state ?? "new", (counts.get(status?.state ?? "new") ?? 0) + 1);
  return Object.fromEntries(counts);
}

function printReport({ terminal }: Session, report: Report): void {
  const { nodeAgent, nodes, fleets, gameServers } = report;
  const states = Object.entries(gameServers).map(([state, count]) => `${count} ${state}`);
  terminal.out(`Control plane  ${report.controlPlane}`);
  terminal.out(`Node agent     ${nodeAgent.state}${nodeAgent.pid ? ` (process ${nodeAgent.pid})` : ""}`);
  terminal.out(`Game servers   ${states.join(", ") || "none"}`);
  terminal.out("");
  terminal.out(
    textTable(
      ["NODE", "READY", "ADDRESSES", "CPU", "MEMORY"],
      nodes.map(({ name, ready, addresses, cpu, memory }) => [
        ...[name, String(ready), addresses.join(",")],
        ...[cpu, gibibytes(memory)],
      ]),
    ),
  );
  if (fleets.length === 0) return;
  terminal.out("");
  terminal.out(
    textTable(
      ["NAMESPACE", "FLEET", "DESIRED", "READY", "ALLOCATED"],
      fleets.map(({ namespace, name, ...counts }) => [namespace, name, ...Object.values(counts).map(String)]),
    ),
  );
}

/** A size as people read it. */
function gibibytes(memory: string): string {
  const bytes = memory === "" ? 0 : Number(parseQuantity(memory).nano / 1_000_000_000n);
  return bytes < 2 ** 30 ? memory : `${(bytes / 2 ** 30).toFixed(1)}Gi`;
}

interface Report {
  readonly controlPlane: string;
  readonly nodeAgent: { readonly state: string; readonly pid?: number };
  readonly nodes: readonly {
    readonly name: string;
    readonly ready: boolean;
    readonly addresses: readonly string[];
    readonly cpu: string;
    readonly memory: string;
  }[];
  readonly fleets: readonly {
    readonly namespace: string;
    readonly name: string;
    readonly desired: number;
    readonly ready: number;
    readonly allocated: number;
  }[];
  readonly gameServers: Readonly<Record<string, number>>;
}
