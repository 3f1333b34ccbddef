import { lookup } from "node:dns/promises";
import { isIP } from "node:net";
import type { Command } from "commander";
import { parseFeatureGates } from "#api/agones/feature-gates.ts";
import { systemClock } from "#runtime/clock.ts";
import { aborted } from "#runtime/runnable.ts";
import { amount, hostAddress, port, portRange, readableBy } from "../arguments.ts";
import { CliError } from "../errors.ts";
import type { Session } from "../session.ts";
import { type DataFolder, openDataFolder, writeKubeconfig } from "../start/data-folder.ts";
import type { Installation } from "../start/installation.ts";
import { Supervisor } from "../start/supervisor.ts";
import { welcome } from "../start/welcome.ts";

interface StartOptions {
  readonly apiPort: number;
  readonly nodeAddress?: string;
  readonly nodeCpu?: string;
  readonly nodeMemory?: string;
  readonly gamePorts: string;
  readonly featureGates?: string;
  readonly keepServers?: boolean;
  readonly quickStart: boolean;
}

const DEFAULT_API_PORT = 8643;
const DEFAULT_GAME_PORTS = "7000-8000";

/** `start`: the whole cluster on this machine, in the foreground. */
export function addStart(program: Command, session: Session, installation: Installation): void {
  program
    .command("start")
    .description("run the cluster on this machine until Ctrl-C")
    .option(
      "--api-port <port>",
      "where kubectl reaches the API; 0 chooses one, the same at each start while it is free",
      port,
      DEFAULT_API_PORT,
    )
    .option(
      "--node-address <address>",
      "a LAN or public address of this machine, or its host name, for game traffic; players on this machine alone by default",
      readableBy(hostAddress),
    )
    .option(
      "--node-cpu <quantity>",
      "how much CPU game servers may ask for, such as 3500m; all of the machine's by default",
      readableBy(amount),
    )
    .option(
      "--node-memory <quantity>",
      "how much memory game servers may ask for, such as 8Gi; all of the machine's by default",
      readableBy(amount),
    )
    .option("--game-ports <first-last>", "host ports given to game servers", readableBy(portRange), DEFAULT_GAME_PORTS)
    .option(
      "--feature-gates <query>",
      "such as 'PlayerTracking=true&CountsAndLists=false'",
      readableBy(parseFeatureGates),
    )
    .option("--keep-servers", "leave the game servers running at the end; the next start finds them")
    .option("--no-quick-start", "do not make the quick-start fleet in a new data folder")
    .addHelpText(
      "after",
      `
Examples:
  npx stadion start
  npx stadion start --node-address 192.168.1.20 --game-ports 7000-7200
  npx stadion --data-dir ~/clusters/test start --api-port 0 --no-quick-start`,
    )
    .action((options: StartOptions) => start(session, options, installation));
}

async function start(session: Session, options: StartOptions, installation: Installation): Promise<void> {
  const { terminal, interrupted: signal } = session;
  const { first: minPort, last: maxPort } = portRange(options.gamePorts);
  if (options.nodeAddress !== undefined) await checkIsKnown(options.nodeAddress);

  const folder = await openDataFolder(session.dataDir);
  const flags = (given: Readonly<Record<string, string | number | undefined>>): string[] =>
    Object.entries(given).flatMap(([name, value]) => (value === undefined ? [] : [`--${name}=${value}`]));
  // Made once, whoever makes it: what a person changes or deletes meanwhile stays so.
  let quickStart = options.quickStart && (folder.isNew || folder.lacksFleet) ? installation.quickStart : undefined;
  folder.noteFleet(quickStart !== undefined);
  const supervisor = new Supervisor({
    folder,
    agent: session.agent,
    version: installation.version,
    agentBuild: installation.agentBuild,
    terminal,
    clock: systemClock,
    env: { ...process.env, PATH: session.path, NODE_COMPILE_CACHE: installation.compileCache },
    apiPort: options.apiPort,
    onMade: () => {
      quickStart = undefined;
      folder.noteFleet(false);
    },
    onServesAgain: (address) => {
      writeKubeconfig(folder, address).catch((error: Error) =>
        terminal.err(`Warning: ${folder.kubeconfig} cannot be written again (${error.message})`),
      );
    },
    controlPlane: (apiPort) => {
      folder.restoreToken();
      return [
        installation.controlPlane,
        ...flags({
          "data-dir": folder.path,
          "api-port": apiPort,
          "min-port": minPort,
          "max-port": maxPort,
          "feature-gates": options.featureGates,
          // Told in any case: the control plane would look for a variable.
          "quick-start": quickStart ?? "",
        }),
      ];
    },
    nodeAgent: [
      installation.nodeAgent,
      ...flags({
        "data-dir": folder.path,
        "node-address": options.nodeAddress,
        "node-cpu": options.nodeCpu,
        "node-memory": options.nodeMemory,
        "feature-gates": options.featureGates,
      }),
    ],
  });

  if (folder.lostDatabase !== undefined)
    terminal.err(
      `Warning: the cluster's database, ${folder.lostDatabase}, is gone. The cluster starts empty; game servers that are left of the old one are ended.`,
    );
  terminal.err(`${folder.isNew ? "Starting a new cluster" : "Starting the cluster"} in ${folder.path} …`);
  const address = await supervisor.start(signal).catch((error: unknown) => {
    folder.discard();
    throw error;
  });
  let keep = options.keepServers === true;
  try {
    if (address !== undefined) {
      await writeKubeconfig(folder, address);
      const example = await supervisor.started(signal);
      if (!signal.aborted) await serve(session, folder, welcome(folder, address, example));
    }
    terminal.err(keep ? "Stopping; the game servers go on …" : await stoppingLine(session));
  } catch (error) {
    // Nobody has asked for the end of what ran before.
    keep ||= !folder.isNew;
    if (keep) terminal.err("The start failed; the game servers go on, and the next start finds them.");
    throw error;
  } finally {
    await supervisor.stop(keep, session.hurried);
  }
  terminal.err(
    options.keepServers
      ? "Stopped. The next start finds the game servers that go on; to end them, start without --keep-servers and press Ctrl-C."
      : "Stopped.",
  );
}

async function stoppingLine(session: Session): Promise<string> {
  const { countMatches, stoppingLine } = await import("../start/count-matches.ts");
  return stoppingLine(await countMatches(session, systemClock));
}

/** A name without a dot is one of this network: where even this machine does not know it, no player will. Throws `CliError`. */
async function checkIsKnown(address: string): Promise<void> {
  if (isIP(address) || address.includes(".")) return;
  await lookup(address).catch((cause: Error) => {
    throw new CliError(
      "Usage",
      `--node-address must be an IP address or a host name, and no host is called ${JSON.stringify(address)} (${cause.message})`,
      { cause },
    );
  });
}

/** Until Ctrl-C. */
async function serve(
  { terminal, interrupted, unread }: Session,
  folder: DataFolder,
  firstWords: string,
): Promise<void> {
  terminal.out(firstWords);
  void aborted(unread).then(() => {
    if (!interrupted.aborted)
      terminal.err(
        `Nobody reads what it prints any more; Stadion runs on, with the kubeconfig ${folder.kubeconfig}. Ctrl-C stops it.`,
      );
  });
  await aborted(interrupted);
}
