import { basename } from "node:path";
import { type Command, Option } from "commander";
import type { Fleet } from "#api/agones/fleet.ts";
import { FLEETS } from "#api/agones/resources.ts";
import { isNotFound } from "#api/meta/status.ts";
import type { Client } from "#kube/client.ts";
import { systemClock } from "#runtime/clock.ts";
import { applyManifest } from "../apply.ts";
import { labelName, readableBy, wholeNumber } from "../arguments.ts";
import { CliError } from "../errors.ts";
import { waitForFleet } from "../fleet-progress.ts";
import { changeImages } from "../images.ts";
import { Outage } from "../outage.ts";
import { textTable } from "../output.ts";
import { Resources } from "../resources.ts";
import { forgetRunImages, imagesOf, isRunImage, runImage } from "../run-images.ts";
import type { Session } from "../session.ts";
import { resolveCommand } from "./images.ts";

interface RunOptions {
  readonly replicas?: number;
  readonly name?: string;
  readonly namespace: string;
  readonly protocol: string;
  readonly timeout: number;
}

/** The container port of a manifest; on this machine the server listens on the port it is given instead. */
const CONTAINER_PORT = 7654;

/** `run`: a program of one's own as a fleet, in one command. */
export function addRun(program: Command, session: Session): void {
  program
    .command("run")
    .description("run your own game server as a fleet")
    .argument("<command...>", "program and arguments; $(PORT) is the server's port, also in the environment as PORT")
    .option("--replicas <number>", "how many servers; 1 by default, or as many as the fleet has", wholeNumber)
    .option("--name <name>", "of the fleet; the program's name by default", readableBy(labelName))
    .addOption(session.namespaceOption())
    .addOption(
      new Option("--protocol <protocol>", "of the game's port").choices(["UDP", "TCP", "TCPUDP"]).default("UDP"),
    )
    .option("--timeout <seconds>", "how long to wait for all to be Ready", wholeNumber, 120)
    .addHelpText(
      "after",
      `
Write -- before the command, and quote $(PORT) so that the shell leaves it alone:
  npx stadion run -- ./MyServer --port '$(PORT)'
  npx stadion run --replicas 3 --name arena -- node server.js

Run again with another program, or other arguments, it replaces the fleet's servers one after the other; those in a match stay to its end.
A program without a path is found by your PATH, now. The game starts in this folder with PORT, STADION_PORT_<NAME>, AGONES_SDK_GRPC_PORT
and AGONES_SDK_HTTP_PORT in its environment, and PATH, HOME, USER, LANG, TZ and TMPDIR of the shell that started the cluster. Its port is
called default: STADION_PORT_DEFAULT; one of TCPUDP is two of one number, STADION_PORT_DEFAULT_TCP and STADION_PORT_DEFAULT_UDP. It has to
call Ready of the Agones SDK when it takes players, and Health every few seconds from then on.`,
    )
    .action((command: string[], options: RunOptions) => run(session, command, options));
}

async function run(session: Session, command: readonly string[], options: RunOptions): Promise<void> {
  const resolved = resolveCommand(command, session.path);
  const fleet = options.name ?? programName(resolved[0] ?? "");
  await using connection = session.connect();
  const { client, transport } = connection;

  const cwd = process.cwd();
  const image = runImage(fleet, resolved, cwd);
  /** Asked for twice, it is done once. */
  const place = async (): Promise<void> => {
    const before = await fleetBefore(client, options.namespace, fleet);
    const wanted = manifest(fleet, image, { ...options, replicas: options.replicas ?? before?.spec.replicas ?? 1 });
    const resources = new Resources(transport);
    // What is refused leaves no mapping behind; what is accepted finds its image mapped.
    await applyManifest(transport, wanted, options.namespace, resources, { dryRun: true });
    await changeImages(client, (map) => ({ ...map, [image]: { command: resolved, cwd } }));
    const { outcome } = await applyManifest(transport, wanted, options.namespace, resources);
    await forgetRunImages(client, fleet);
    const anew = before && imagesOf(before).join() !== image ? ", its servers are replaced" : "";
    session.terminal.err(`Fleet ${fleet} ${outcome}${anew}; image ${image} runs ${resolved.join(" ")}`);
  };
  const { terminal, signal } = session;
  const outage = new Outage({ terminal, clock: systemClock, signal });
  for (let isPlaced = false; !isPlaced; ) {
    try {
      await place();
      isPlaced = true;
    } catch (error) {
      await outage.ride(error);
      signal.throwIfAborted();
    }
  }
  const servers = await waitForFleet({
    client,
    namespace: options.namespace,
    fleet,
    isCurrent: ({ spec }) => spec.template.spec?.containers?.some((container) => container.image === image) === true,
    terminal,
    clock: systemClock,
    signal,
    timeoutMs: options.timeout * 1000,
  });

  const containers = await session.agent.containers();
  const rows = servers.map(({ metadata, spec, status }) => {
    const game = containers.find(
      ({ namespace, pod, container }) =>
        namespace === metadata.namespace && pod === metadata.name && container === spec.container,
    );
    const addresses = (status?.ports ?? []).map(({ port }) => `${status?.address}:${port}`);
    return [metadata.name ?? "", addresses.join(","), String(game?.pid ?? ""), game?.logFile ?? ""];
  });
  session.terminal.out(textTable(["NAME", "ADDRESS", "PROCESS", "LOG"], rows));
}

/** The fleet that an earlier run made. Throws `CliError` when one of this name is somebody else's. */
async function fleetBefore(client: Client, namespace: string, name: string): Promise<Fleet | undefined> {
  const fleet = await client.get(FLEETS, namespace, name).catch((error: unknown) => {
    if (isNotFound(error)) return undefined;
    throw error;
  });
  const images = fleet ? imagesOf(fleet) : [];
  if (!images.every((image) => isRunImage(image, name)))
    throw new CliError(
      "Refused",
      `fleet ${name} is there already, and runs ${images.join(", ")}: choose another --name, or delete it first`,
    );
  return fleet;
}

/** A program's file name as a name Kubernetes takes. */
export function programName(program: string): string {
  const name = basename(program)
    .toLowerCase()
    .replace(/\.[a-z0-9]+$/, "")
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "")
    .slice(0, 40);
  return name || "game-server";
}

function manifest(fleet: string, image: string, { replicas, protocol }: Pick<RunOptions, "replicas" | "protocol">) {
  const container = { name: "game-server", image };
  return {
    apiVersion: "agones.dev/v1",
    kind: "Fleet",
    metadata: { name: fleet },
    spec: {
      replicas,
      template: {
        spec: {
          ports: [{ name: "default", portPolicy: "Dynamic", containerPort: CONTAINER_PORT, protocol }],
          template: { spec: { containers: [container] } },
        },
      },
    },
  };
}
