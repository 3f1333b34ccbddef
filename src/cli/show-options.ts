import type { Command } from "commander";
import type { Output } from "./output.ts";
import type { Session } from "./session.ts";

/** Which objects are shown, and how. */
export interface ShowOptions {
  readonly namespace: string;
  readonly allNamespaces?: boolean;
  readonly selector?: string;
  readonly output: Output;
}

export function addShowOptions(command: Command, session: Session): Command {
  return command
    .addOption(session.namespaceOption())
    .option("-A, --all-namespaces", "in all namespaces")
    .option("-l, --selector <labels>", "only objects with these labels, such as agones.dev/fleet=arena")
    .addOption(session.templateOption());
}
