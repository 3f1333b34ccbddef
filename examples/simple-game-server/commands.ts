/** The text commands that players and tests send to the simple game server. */
import { parseDuration } from "#api/meta/duration.ts";
import { COUNT_COMMANDS } from "./count-commands.ts";
import { PLAYER_COMMANDS } from "./player-commands.ts";
import { acknowledge, type Command, type CommandContext, integer, plain, type Reply, refuse } from "./replies.ts";
import type { SdkClient } from "./sdk-client.ts";

/** A command that does something and acknowledges with its own text. */
const act =
  (action: (context: CommandContext) => unknown): Command =>
  async (_args, text, context) => {
    await action(context);
    return acknowledge(text);
  };

/** Sets one entry: a time stamp without arguments, else key and value. */
const setEntry =
  (name: string, now: () => string, set: (sdk: SdkClient, key: string, value: string) => unknown): Command =>
  async (args, text, { sdk }) => {
    if (args.length !== 0 && args.length !== 2) return refuse(`Invalid ${name} command, must use zero or 2 arguments`);
    const [key = "timestamp", value = now()] = args;
    await set(sdk, key, value);
    return acknowledge(text);
  };

const COMMANDS: Readonly<Record<string, Command>> = {
  UNHEALTHY: act(({ stopPings }) => stopPings()),
  GAMESERVER: async (_args, _text, { sdk }) => plain(`NAME: ${(await sdk.gameServer()).object_meta.name}`),
  READY: act(({ sdk }) => sdk.ready()),
  ALLOCATE: act(({ sdk }) => sdk.allocate()),
  RESERVE: async (args, text, { sdk }) => {
    const [duration] = args;
    if (duration === undefined || args.length !== 1) return refuse("Invalid RESERVE, should have 1 argument");
    let milliseconds: number;
    try {
      milliseconds = parseDuration(duration);
    } catch (error) {
      return refuse(`${(error as Error).message}\n`);
    }
    await sdk.reserve(Math.trunc(milliseconds / 1000));
    return acknowledge(text);
  },
  WATCH: act(({ watch }) => watch()),
  LABEL: setEntry(
    "LABEL",
    () => String(Math.floor(Date.now() / 1000)),
    (sdk, key, value) => sdk.setLabel(key, value),
  ),
  ANNOTATION: setEntry(
    "ANNOTATION",
    () => `${new Date().toISOString().replace("T", " ").replace("Z", "")} +0000 UTC`,
    (sdk, key, value) => sdk.setAnnotation(key, value),
  ),
  CRASH: ([code = ""], _text, { exit }) => exit(exitCode(code)),
  ...COUNT_COMMANDS,
  ...PLAYER_COMMANDS,
};

/** As the system keeps it: its last eight bits. 1 for a text that is no number. */
function exitCode(text: string): number {
  try {
    return Number(BigInt.asUintN(8, integer(text, "Atoi")));
  } catch {
    return 1;
  }
}

/** Runs a command, or echoes what is none. Commands are case-sensitive; words are split at single spaces. */
export async function runCommand(text: string, context: CommandContext): Promise<Reply> {
  const [name = "", ...args] = text.split(" ");
  if (!Object.hasOwn(COMMANDS, name)) return acknowledge(text);
  return (await COMMANDS[name]?.(args, text, context)) ?? acknowledge(text);
}

/** The reply as it goes over the wire. */
export function format(reply: Reply, acknowledgement: string): string {
  const prefix = { acknowledge: `${acknowledgement}: `, plain: "", error: "ERROR: " }[reply.type];
  return `${prefix}${reply.text}\n`;
}
