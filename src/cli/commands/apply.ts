import type { Command } from "commander";
import { GAMESERVERALLOCATIONS } from "#api/allocation/resources.ts";
import type { JsonObject } from "#api/meta/json.ts";
import { applyManifest } from "../apply.ts";
import { readAllManifests } from "../manifests.ts";
import { oneByOne } from "../one-by-one.ts";
import { formatted, type OutputFormat } from "../output.ts";
import { Resources } from "../resources.ts";
import type { Session } from "../session.ts";
import { notAllocated, tellAllocation } from "./allocate.ts";

interface ApplyOptions {
  readonly namespace: string;
  readonly filename: readonly string[];
  readonly output: OutputFormat;
}

/** `apply`: makes the cluster hold what manifests say. */
export function addApply(program: Command, session: Session): void {
  program
    .command("apply")
    .description("make the cluster hold what manifests say")
    .addOption(session.filesOption("YAML or JSON").makeOptionMandatory())
    .addOption(session.namespaceOption())
    .addOption(session.outputOption(["table", "json", "yaml", "name"]))
    .addHelpText(
      "after",
      `
What is refused is told, and the others are applied; of a file that cannot be read as manifests, nothing is. Exit code 4 says that an allocation found no server. Examples:
  npx stadion apply -f fleet.yaml
  generate-fleet | npx stadion apply -f -`,
    )
    .action((options: ApplyOptions) => apply(session, options));
}

async function apply(session: Session, options: ApplyOptions): Promise<void> {
  const { filename, namespace, output } = options;
  const { terminal } = session;
  const { manifests, faults } = await readAllManifests(filename);
  await using connection = session.connect();
  const { transport } = connection;
  const resources = new Resources(transport);
  await oneByOne(terminal, manifests, {
    before: faults,
    name: ({ kind, metadata }) => `${kind}/${metadata.name ?? ""}`,
    act: async (manifest) => {
      const warned = (warning: string) => terminal.err(`Warning: ${warning}`);
      const { object, outcome, resource } = await applyManifest(transport, manifest, namespace, resources, { warned });
      if (resource.group === GAMESERVERALLOCATIONS.group && resource.kind === GAMESERVERALLOCATIONS.kind) {
        // It is no object that stays, but a question and its answer.
        const state = await tellAllocation(terminal, object, output);
        if (state !== "Allocated") throw notAllocated(state, "no server", manifest.metadata.namespace ?? namespace);
        return;
      }
      const name = `${resource.plural}/${(object.metadata as JsonObject | undefined)?.name}`;
      if (output === "json" || output === "yaml") terminal.out(await formatted(object, output));
      else terminal.out(output === "name" ? name : `${name} ${outcome}`);
    },
  });
}
