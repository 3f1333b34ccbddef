import type { Command } from "commander";
import { CliError } from "../errors.ts";

/** `sdk-server`: its words in the help. Where it is the first word, `tools/stadion.mjs` runs the program of that name in this one's place. */
export function addSdkServer(program: Command): void {
  program
    .command("sdk-server")
    .description("serve the SDK to a game without a cluster")
    .argument("[flags...]", "its own: npx stadion sdk-server --help lists them")
    .allowUnknownOption()
    .addHelpText(
      "after",
      "\nExamples:\n  npx stadion sdk-server --local\n  npx stadion sdk-server --local --file gameserver.yaml",
    )
    .action(() => {
      throw new CliError(
        "Usage",
        "sdk-server must be the first word, such as npx stadion sdk-server --local: no cluster's options are for it",
      );
    });
}
