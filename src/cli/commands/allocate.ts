import type { Command } from "commander";
import { FLEET_LABEL } from "#api/agones/constants.ts";
import type { GameServerAllocation } from "#api/allocation/gameserverallocation.ts";
import { GAMESERVERALLOCATIONS } from "#api/allocation/resources.ts";
import { CliError } from "../errors.ts";
import { readManifests } from "../manifests.ts";
import { formatted, type OutputFormat, textTable } from "../output.ts";
import type { Session } from "../session.ts";

interface AllocateOptions {
  readonly namespace: string;
  readonly filename?: string;
  readonly output: OutputFormat;
}

/** `allocate`: takes a Ready server. Exit code 4 when there is none. */
export function addAllocate(program: Command, session: Session): void {
  program
    .command("allocate")
    .description("take a Ready server for a match and print where it is")
    .argument("[fleet]", "of which fleet; any by default")
    .option("-f, --filename <file>", "a GameServerAllocation manifest instead; - for standard input")
    .option("-n, --namespace <name>", "namespace", "default")
    .addOption(session.outputOption())
    .action((fleet: string | undefined, options: AllocateOptions) => allocate(session, fleet, options));
}

async function allocate(session: Session, fleet: string | undefined, options: AllocateOptions): Promise<void> {
  if (fleet !== undefined && options.filename !== undefined)
    throw new CliError("Usage", "give a fleet or --filename, not both");
  const request: GameServerAllocation = options.filename
    ? ((await readManifests(options.filename))[0] as GameServerAllocation)
    : {
        apiVersion: "allocation.agones.dev/v1",
        kind: "GameServerAllocation",
        metadata: {},
        spec: fleet ? { selectors: [{ matchLabels: { [FLEET_LABEL]: fleet } }] } : {},
      };
  await using connection = session.connect();
  const namespace = request.metadata.namespace ?? options.namespace;
  const answer = await connection.client.create(GAMESERVERALLOCATIONS, {
    ...request,
    metadata: { ...request.metadata, namespace },
  });
  const { state, gameServerName = "", address = "", ports = [], nodeName = "" } = answer.status ?? {};
  if (options.output === "json" || options.output === "yaml")
    session.terminal.out(await formatted(answer as unknown as Parameters<typeof formatted>[0], options.output));
  else if (state === "Allocated") {
    const shownPorts = ports.map(({ name, port }) => (name ? `${name}:${port}` : String(port))).join(",");
    session.terminal.out(
      textTable(["NAME", "ADDRESS", "PORTS", "NODE"], [[gameServerName, address, shownPorts, nodeName]]),
    );
  }
  if (state !== "Allocated")
    throw new CliError(
      "NotAllocated",
      `${state}: no server ${fleet ? `of fleet ${fleet} ` : ""}could be allocated in namespace ${namespace}`,
    );
}
