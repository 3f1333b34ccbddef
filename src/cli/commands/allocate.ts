import type { Command } from "commander";
import { FLEET_LABEL } from "#api/agones/constants.ts";
import { FLEETS } from "#api/agones/resources.ts";
import type { GameServerAllocation } from "#api/allocation/gameserverallocation.ts";
import { GAMESERVERALLOCATIONS } from "#api/allocation/resources.ts";
import type { JsonObject, JsonValue } from "#api/meta/json.ts";
import { isNotFound } from "#api/meta/status.ts";
import type { Client } from "#kube/client.ts";
import { pathOf } from "#kube/resource.ts";
import { CliError } from "../errors.ts";
import { readManifests } from "../manifests.ts";
import { formatted, type OutputFormat, type Terminal, textTable } from "../output.ts";
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
    .addOption(session.namespaceOption())
    .addOption(session.outputOption(["table", "json", "yaml", "name"]))
    .addHelpText(
      "after",
      `
Exit code 4 says that there was none. Examples:
  npx stadion allocate arena
  npx stadion allocate arena -o json
  npx stadion allocate -f allocation.yaml`,
    )
    .action((fleet: string | undefined, options: AllocateOptions) => allocate(session, fleet, options));
}

async function allocate(session: Session, fleet: string | undefined, options: AllocateOptions): Promise<void> {
  if (fleet !== undefined && options.filename !== undefined)
    throw new CliError("Usage", "give a fleet or --filename, not both");
  const request = options.filename === undefined ? allocationOf(fleet) : await readAllocation(options.filename);
  await using connection = session.connect();
  const namespace = request.metadata.namespace ?? options.namespace;
  const sent = await connection.transport.exchange({
    method: "POST",
    path: pathOf(GAMESERVERALLOCATIONS, namespace),
    // A misspelt selector would take a server of any fleet.
    query: { fieldValidation: "Strict" },
    body: { ...request, metadata: { ...request.metadata, namespace } } as unknown as JsonObject,
  });
  const state = await tellAllocation(session.terminal, sent as JsonObject, options.output);
  if (state === "Allocated") return;
  const missing = fleet !== undefined && !(await exists(connection.client, namespace, fleet));
  throw missing
    ? new CliError("NotAllocated", `${state}: there is no fleet ${fleet} in namespace ${namespace}`)
    : notAllocated(state, fleet === undefined ? "no server" : `no server of fleet ${fleet}`, namespace);
}

/** Prints what became of an allocation, and returns its state. An allocation that found nothing has no place to print. */
export async function tellAllocation(terminal: Terminal, sent: JsonObject, output: OutputFormat): Promise<string> {
  const answer = GAMESERVERALLOCATIONS.decode(sent);
  const { state = "", gameServerName = "", address = "", ports = [], nodeName = "" } = answer.status ?? {};
  if (output === "json" || output === "yaml") terminal.out(await formatted(answer as unknown as JsonValue, output));
  else if (state === "Allocated") {
    const shownPorts = ports.map(({ name, port }) => (name ? `${name}:${port}` : String(port))).join(",");
    terminal.out(
      output === "name"
        ? `gameservers/${gameServerName}`
        : textTable(["NAME", "ADDRESS", "PORTS", "NODE"], [[gameServerName, address, shownPorts, nodeName]]),
    );
  }
  return state;
}

export const notAllocated = (state: string, what: string, namespace: string): CliError =>
  new CliError("NotAllocated", `${state}: ${what} could be allocated in namespace ${namespace}`);

const allocationOf = (fleet: string | undefined): GameServerAllocation => ({
  apiVersion: "allocation.agones.dev/v1",
  kind: "GameServerAllocation",
  metadata: {},
  spec: fleet === undefined ? {} : { selectors: [{ matchLabels: { [FLEET_LABEL]: fleet } }] },
});

async function readAllocation(file: string): Promise<GameServerAllocation> {
  const [manifest, ...more] = await readManifests(file);
  const { apiVersion, kind } = allocationOf(undefined);
  if (!manifest || more.length > 0 || manifest.kind !== kind || manifest.apiVersion !== apiVersion)
    throw new CliError("Usage", `${file} must hold one ${kind} of ${apiVersion}`);
  return manifest as GameServerAllocation;
}

async function exists(client: Client, namespace: string, fleet: string): Promise<boolean> {
  try {
    await client.get(FLEETS, namespace, fleet);
    return true;
  } catch (error) {
    if (isNotFound(error)) return false;
    throw error;
  }
}
