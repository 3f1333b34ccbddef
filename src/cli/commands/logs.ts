import type { Command } from "commander";
import { PODS } from "#api/core/resources.ts";
import { pathOf } from "#kube/resource.ts";
import type { Session } from "../session.ts";

interface LogOptions {
  readonly namespace: string;
  readonly container?: string;
  readonly follow?: boolean;
  readonly previous?: boolean;
  readonly tail?: string;
}

/** `logs`: what a game server wrote. */
export function addLogs(program: Command, session: Session): void {
  program
    .command("logs")
    .description("print what a game server wrote")
    .argument("<name>", "of the game server")
    .option("-n, --namespace <name>", "namespace", "default")
    .option("-c, --container <name>", "which container; the game's by default")
    .option("-f, --follow", "go on until the server ends or Ctrl-C")
    .option("-p, --previous", "of the run before")
    .option("--tail <lines>", "only the last lines")
    .action((name: string, options: LogOptions) => logs(session, name, options));
}

async function logs(session: Session, name: string, options: LogOptions): Promise<void> {
  await using connection = session.connect();
  const query = {
    container: options.container,
    follow: options.follow ? "true" : undefined,
    previous: options.previous ? "true" : undefined,
    tailLines: options.tail,
  };
  const path = pathOf(PODS, options.namespace, name, "log");
  const chunks = await connection.transport.text({ method: "GET", path, query, signal: session.signal });
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of chunks) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) session.terminal.out(line);
  }
  if (rest !== "") session.terminal.out(rest);
}
