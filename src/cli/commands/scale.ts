import type { Command } from "commander";
import { GAMESERVERS } from "#api/agones/resources.ts";
import { pathOf } from "#kube/resource.ts";
import { references, wholeNumber } from "../arguments.ts";
import { CliError } from "../errors.ts";
import { oneByOne } from "../one-by-one.ts";
import { Resources } from "../resources.ts";
import type { Session } from "../session.ts";

interface ScaleOptions {
  readonly namespace: string;
  readonly replicas: number;
}

/** `scale`: sets numbers of servers. */
export function addScale(program: Command, session: Session): void {
  program
    .command("scale")
    .description("set the number of servers of fleets or sets")
    .argument("<object...>", "KIND NAME… or KIND/NAME…, such as fleet arena")
    .requiredOption("--replicas <number>", "how many", wholeNumber)
    .addOption(session.namespaceOption())
    .addHelpText(
      "after",
      "\nExamples:\n  npx stadion scale fleet arena --replicas 5\n  npx stadion scale fleet/a fleet/b --replicas 0",
    )
    .action((words: readonly string[], options: ScaleOptions) => scale(session, words, options));
}

async function scale(session: Session, words: readonly string[], options: ScaleOptions): Promise<void> {
  const named = references(words);
  if (named.length === 0)
    throw new CliError(
      "Usage",
      `give a kind and a name, such as "fleet ${words[0]}"; found ${JSON.stringify(words[0])} alone`,
    );
  await using connection = session.connect();
  const { transport } = connection;
  const resources = new Resources(transport);
  await oneByOne(session.terminal, named, {
    name: ({ kind, name }) => `${kind}/${name}`,
    act: async ({ kind, name }) => {
      const resource = await resources.named(kind);
      // The definition of GameServers offers a number that means nothing.
      const isOne = resource.group === GAMESERVERS.group && resource.kind === GAMESERVERS.kind;
      if (isOne || !resource.subresources.includes("scale"))
        throw new CliError("Usage", `a ${resource.kind} cannot be scaled; scale a fleet or a gameserverset`);
      await transport.exchange({
        method: "PATCH",
        path: pathOf(resource, options.namespace, name, "scale"),
        body: { spec: { replicas: options.replicas } },
        contentType: "application/merge-patch+json",
      });
      session.terminal.out(`${resource.plural}/${name} scaled to ${options.replicas}`);
    },
  });
}
