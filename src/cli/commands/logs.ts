import type { Command } from "commander";
import { GAMESERVERS } from "#api/agones/resources.ts";
import { PODS } from "#api/core/resources.ts";
import { isNotFound, type StatusError } from "#api/meta/status.ts";
import type { Client } from "#kube/client.ts";
import { pathOf } from "#kube/resource.ts";
import { wholeNumber } from "../arguments.ts";
import { CliError } from "../errors.ts";
import type { Session } from "../session.ts";

interface LogOptions {
  readonly namespace: string;
  readonly container?: string;
  readonly follow?: boolean;
  readonly previous?: boolean;
  readonly tail?: number;
}

/** `logs`: what a game server wrote. */
export function addLogs(program: Command, session: Session): void {
  program
    .command("logs")
    .description("print what a game server wrote")
    .argument("<name>", "of the game server, or of a pod")
    .addOption(session.namespaceOption())
    .option("-c, --container <name>", "which container; the game's by default")
    .option("-f, --follow", "go on until the server ends or Ctrl-C")
    .option("-p, --previous", "of the run before")
    .option("--tail <lines>", "only the last lines", wholeNumber)
    .addHelpText("after", "\nExample:\n  stadion logs arena-x7k2p-9qzwm --follow --tail 20")
    .action((name: string, options: LogOptions) => logs(session, name, options));
}

async function logs(session: Session, word: string, options: LogOptions): Promise<void> {
  const name = word.replace(/^(gameservers?|gs|pods?|po)\//, "");
  await using connection = session.connect();
  const query = {
    container: options.container,
    follow: options.follow ? "true" : undefined,
    previous: options.previous ? "true" : undefined,
    tailLines: options.tail === undefined ? undefined : String(options.tail),
  };
  const path = pathOf(PODS, options.namespace, name, "log");
  let chunks: AsyncIterable<Uint8Array>;
  try {
    chunks = await connection.transport.text({ method: "GET", path, query, signal: session.signal });
  } catch (error) {
    throw isNotFound(error) ? await withoutProcess(connection.client, options.namespace, name, error) : error;
  }
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of chunks) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) session.terminal.out(line);
  }
  if (rest !== "") session.terminal.out(rest);
}

/** Why there is no log. */
async function withoutProcess(client: Client, namespace: string, name: string, cause: StatusError): Promise<unknown> {
  try {
    const { status } = await client.get(GAMESERVERS, namespace, name);
    return new CliError(
      "Refused",
      `game server ${name} has no process (state ${status?.state ?? "none yet"}): "stadion get events" says why`,
      { cause },
    );
  } catch (error) {
    if (!isNotFound(error)) return error;
    return new CliError(
      "Refused",
      `there is no game server ${name} in namespace ${namespace}, and its log went with it: "stadion get gameservers" lists those that are there`,
      { cause },
    );
  }
}
