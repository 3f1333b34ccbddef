import { isIP } from "node:net";
import { type Command, Option } from "commander";
import { labelName, port, readableBy } from "../arguments.ts";
import type { DevOptions } from "../dev/dev.ts";
import type { Session } from "../session.ts";
import type { Installation } from "../start/installation.ts";

/** `dev`: a game that a person starts by hand, as a game server of the cluster. */
export function addDev(program: Command, session: Session, installation: Installation): void {
  program
    .command("dev")
    .description("make a game that you start by hand, such as under a debugger, a game server of the cluster")
    .argument("[command...]", "program and arguments; without them, it prints what to start your game with")
    .option("--name <name>", "of the game server; made from the program's name by default", readableBy(labelName))
    .addOption(session.namespaceOption())
    .option("--fleet <name>", "be found as a server of this fleet: with its labels, counters, lists and ports")
    .option("--port <port>", "where your game listens; a free one by default, passed as PORT and $(PORT)", port)
    .addOption(
      new Option("--protocol <protocol>", "of the game's port").choices(["UDP", "TCP", "TCPUDP"]).default("UDP"),
    )
    .option("--address <address>", "the IP address for players; the node's by default", readableBy(ipAddress))
    .addHelpText(
      "after",
      `
Write -- before the command, and quote $(PORT) so that the shell leaves it alone:
  npx stadion dev -- ./MyServer --port '$(PORT)'
  npx stadion dev --fleet arena -- gdb --args ./MyServer --port '$(PORT)'
  npx stadion dev --port 9000 > game.env

The game has this terminal, its environment, and the variables that servers of a fleet find their ports and their SDK server by. Its GameServer is Ready when it calls Ready of the Agones SDK, can be allocated, and is not
ended for missed health, so it may stand at a breakpoint. It is removed when the game ends, by Ctrl-C as well; three times Ctrl-C end a game
that does not end by itself. Without a command, one GameServer follows another until Ctrl-C: start your game as often as you like. A game has
ended there when it calls Shutdown, when nobody listens at its port any more, or, where it never did, when its gRPC connection is gone for ten
seconds. With --fleet, servers of the fleet itself are taken too; scale it to 0, and every match comes to you.`,
    )
    .action(async (command: string[], options: DevOptions) => {
      const { dev } = await import("../dev/dev.ts");
      await dev(session, installation, command, options);
    });
}

/** Throws unless the text is an IP address. */
function ipAddress(text: string): void {
  if (isIP(text) === 0) throw new Error("It must be an IP address.");
}
