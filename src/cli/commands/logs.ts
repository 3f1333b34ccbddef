import type { Command } from "commander";
import { isDevelopment } from "#api/agones/predicates.ts";
import { GAMESERVERS } from "#api/agones/resources.ts";
import { PODS } from "#api/core/resources.ts";
import { isNotFound, isUnavailable, type StatusError } from "#api/meta/status.ts";
import type { Client } from "#kube/client.ts";
import { pathOf } from "#kube/resource.ts";
import { systemClock } from "#runtime/clock.ts";
import { GAME_SERVER_KINDS, wholeNumber, withoutKind } from "../arguments.ts";
import type { Connection } from "../connection.ts";
import { CliError } from "../errors.ts";
import { oneByOne } from "../one-by-one.ts";
import { Outage } from "../outage.ts";
import type { Session } from "../session.ts";

interface LogOptions {
  readonly namespace: string;
  readonly selector?: string;
  readonly container?: string;
  readonly follow?: boolean;
  readonly previous?: boolean;
  readonly tail?: number;
}

/** `logs`: what a game server wrote. */
export function addLogs(program: Command, session: Session): void {
  program
    .command("logs")
    .summary("print what a game server wrote")
    .description(
      "print what a game server wrote. A log that grew beyond 10 MB is moved aside within seconds, and one such older part is kept; it is read as one with what was written since",
    )
    .argument("[name]", "of the game server, or of a pod")
    .option("-l, --selector <labels>", "of all game servers with these labels, such as agones.dev/fleet=arena")
    .addOption(session.namespaceOption())
    .option("-c, --container <name>", "which container; the game's by default")
    .option("-f, --follow", "go on until the server ends or Ctrl-C")
    .option("-p, --previous", "of the run before")
    .option("--tail <lines>", "only the last lines", wholeNumber)
    .addHelpText(
      "after",
      `
Examples:
  npx stadion logs arena-x7k2p-9qzwm --follow --tail 20
  npx stadion logs -l agones.dev/fleet=arena -f`,
    )
    .action((name: string | undefined, options: LogOptions) => logs(session, name, options));
}

async function logs(session: Session, word: string | undefined, options: LogOptions): Promise<void> {
  const { namespace, selector } = options;
  if ((word === undefined) === (selector === undefined))
    throw new CliError("Usage", "give the name of a game server, or --selector for several");
  await using connection = session.connect();
  const { client } = connection;
  const { terminal, signal } = session;
  const outage = new Outage({ terminal, clock: systemClock, signal });
  const common = { options, signal, outage, tell: terminal.err };
  if (word !== undefined) {
    const name = withoutKind(word, [...GAME_SERVER_KINDS, "pod", "pods", "po"]);
    await copyLog(connection, { ...common, name, print: terminal.out });
    return;
  }
  const { items } = await client.list(GAMESERVERS, { namespace, labelSelector: selector });
  const names = items.map(({ metadata }) => metadata.name ?? "");
  if (names.length === 0) terminal.err(`No gameservers found in namespace ${namespace}.`);
  const copy = (name: string): Promise<void> =>
    copyLog(connection, { ...common, name, print: (line) => terminal.out(`[${name}] ${line}`) });
  // Those that go on are shown together; logs that end, one after another.
  if (options.follow) await Promise.all(names.map(copy));
  else await oneByOne(terminal, names, { name: (name) => name, act: copy });
}

interface LogCopy {
  readonly name: string;
  readonly options: LogOptions;
  readonly signal: AbortSignal;
  readonly outage: Outage;
  readonly tell: (line: string) => void;
  readonly print: (line: string) => void;
}

/**
 * A node agent that does not answer yet is waited for. A log that is followed is opened again when its connection breaks; what was
 * written meanwhile is passed over.
 */
async function copyLog({ transport, client }: Connection, copy: LogCopy): Promise<void> {
  const { name, options, signal, outage, tell, print } = copy;
  const query = {
    container: options.container,
    follow: options.follow ? "true" : undefined,
    previous: options.previous ? "true" : undefined,
  };
  const path = pathOf(PODS, options.namespace, name, "log");
  let tailLines = options.tail === undefined ? undefined : String(options.tail);
  for (let opened = false; ; ) {
    try {
      const chunks = await transport.text({ method: "GET", path, query: { ...query, tailLines }, signal });
      if (opened) tell(`The log of ${name} goes on; what was written meanwhile is not shown.`);
      opened = true;
      outage.over();
      await printLines(chunks, print);
      return;
    } catch (error) {
      if (isNotFound(error)) throw await withoutProcess(client, options.namespace, name, error);
      const broke = opened && options.follow;
      if (!broke && !isUnavailable(error)) throw error;
      await outage.ride(error);
      if (signal.aborted) return;
      if (opened) tailLines = "0";
    }
  }
}

async function printLines(chunks: AsyncIterable<Uint8Array>, print: (line: string) => void): Promise<void> {
  const decoder = new TextDecoder();
  let rest = "";
  try {
    for await (const chunk of chunks) {
      const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) print(line);
    }
  } finally {
    if (rest !== "") print(rest);
  }
}

/** Why there is no log. */
async function withoutProcess(client: Client, namespace: string, name: string, cause: StatusError): Promise<unknown> {
  try {
    const server = await client.get(GAMESERVERS, namespace, name);
    if (isDevelopment(server))
      return new CliError(
        "Refused",
        `the game of ${name} was started by hand, as "npx stadion dev" does: what it writes is in the terminal where it runs`,
        { cause },
      );
    const { status } = server;
    return new CliError(
      "Refused",
      `game server ${name} has no process (state ${status?.state ?? "none yet"}): "npx stadion get events" says why`,
      { cause },
    );
  } catch (error) {
    if (!isNotFound(error)) return error;
    return new CliError(
      "Refused",
      `there is no game server ${name} in namespace ${namespace}, and its log went with it: "npx stadion get gameservers" lists those that are there`,
      { cause },
    );
  }
}
