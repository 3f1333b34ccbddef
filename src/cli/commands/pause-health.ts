import type { Command } from "commander";
import { GAMESERVERS } from "#api/agones/resources.ts";
import { HEALTH_PAUSED_UNTIL_ANNOTATION, isHealthPaused } from "#api/core/health-pause.ts";
import { PODS } from "#api/core/resources.ts";
import { formatDuration, parseDuration } from "#api/meta/duration.ts";
import { isNotFound } from "#api/meta/status.ts";
import { rfc3339, systemClock } from "#runtime/clock.ts";
import { GAME_SERVER_KINDS, readableBy, withoutKind } from "../arguments.ts";
import { CliError } from "../errors.ts";
import type { Session } from "../session.ts";

interface PauseOptions {
  readonly namespace: string;
  readonly for: string;
  readonly resume?: boolean;
}

/** `pause-health`: a game server may stand at a breakpoint. */
export function addPauseHealth(program: Command, session: Session): void {
  program
    .command("pause-health")
    .description("keep a game server that stands at a breakpoint from becoming Unhealthy")
    .argument("<name>", "of the game server")
    .addOption(session.namespaceOption())
    .option("--for <duration>", "such as 30m or 2h; missed health counts again afterwards", readableBy(positive), "1h")
    .option("--resume", "let missed health count again now")
    .addHelpText(
      "after",
      `
Examples:
  npx stadion pause-health arena-x7k2p-9qzwm --for 30m
  npx stadion pause-health arena-x7k2p-9qzwm --resume

Do it before the debugger stops the game: a server that is Unhealthy stays so. A game that "stadion dev" runs needs no pause.`,
    )
    .action((name: string, options: PauseOptions) => pauseHealth(session, name, options));
}

/** Throws unless the text is a duration of a second or more. */
function positive(text: string): void {
  if (parseDuration(text) < 1000) throw new Error("It must be one second or more.");
}

async function pauseHealth(session: Session, word: string, options: PauseOptions): Promise<void> {
  const { namespace, resume } = options;
  const name = withoutKind(word, GAME_SERVER_KINDS);
  await using connection = session.connect();
  const { client } = connection;
  const now = systemClock.now();
  const ms = parseDuration(options.for);
  const until = resume ? null : rfc3339(now + ms);
  const patch = {
    type: "merge",
    patch: { metadata: { annotations: { [HEALTH_PAUSED_UNTIL_ANNOTATION]: until } } },
  } as const;

  const before = await client.get(GAMESERVERS, namespace, name);
  if (before.status?.state === "Unhealthy" && !resume)
    throw new CliError("Refused", `game server ${name} is Unhealthy already, and stays so`);
  await client.patch(GAMESERVERS, namespace, name, patch);
  // The SDK server reads the one, the node agent the other; a server that a person runs has no Pod.
  await client.patch(PODS, namespace, name, patch).catch((error: unknown) => {
    if (!isNotFound(error)) throw error;
  });
  if (until !== null)
    session.terminal.out(`${name}: missed health does not count until ${until}, for ${formatDuration(ms)}`);
  else if (isHealthPaused(before, now)) session.terminal.out(`${name}: missed health counts again`);
  else session.terminal.out(`${name}: missed health was not paused`);
}
