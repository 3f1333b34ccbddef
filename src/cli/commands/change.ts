import type { Command } from "commander";
import { isJsonObject, type JsonObject } from "#api/meta/json.ts";
import type { KubeObject } from "#api/meta/object.ts";
import { isNotFound } from "#api/meta/status.ts";
import { pathOf } from "#kube/resource.ts";
import type { Transport } from "#kube/transport.ts";
import { applyManifest } from "../apply.ts";
import { references, wholeNumber } from "../arguments.ts";
import { CliError } from "../errors.ts";
import { readManifests } from "../manifests.ts";
import { formatted, type OutputFormat } from "../output.ts";
import { type AnyResource, Resources } from "../resources.ts";
import type { Session } from "../session.ts";

interface NamespaceOption {
  readonly namespace: string;
}

interface ApplyOptions extends NamespaceOption {
  readonly filename: readonly string[];
  readonly output: OutputFormat;
}

interface DeleteOptions extends NamespaceOption {
  readonly filename?: readonly string[];
  readonly ignoreNotFound?: boolean;
}

interface ScaleOptions extends NamespaceOption {
  readonly replicas: number;
}

/** `apply`, `delete` and `scale`. */
export function addChange(program: Command, session: Session): void {
  program
    .command("apply")
    .description("make the cluster hold what manifests say")
    .addOption(session.filesOption("YAML or JSON").makeOptionMandatory())
    .addOption(session.namespaceOption())
    .addOption(session.outputOption(["table", "json", "yaml", "name"]))
    .addHelpText(
      "after",
      `
Examples:
  stadion apply -f fleet.yaml
  generate-fleet | stadion apply -f -`,
    )
    .action((options: ApplyOptions) => apply(session, options));

  program
    .command("delete")
    .description("delete objects, or everything that manifests name")
    .argument("[object...]", "KIND NAME… or KIND/NAME…")
    .addOption(session.filesOption("YAML or JSON"))
    .option("--ignore-not-found", "what is not there is no fault")
    .addOption(session.namespaceOption())
    .addHelpText(
      "after",
      `
Examples:
  stadion delete fleet arena
  stadion delete gameserver/arena-x7k2p-9qzwm
  stadion delete -f fleet.yaml --ignore-not-found`,
    )
    .action((words: readonly string[], options: DeleteOptions) => remove(session, words, options));

  program
    .command("scale")
    .description("set the number of servers of a fleet or a set")
    .argument("<kind>", "fleet or gameserverset, or KIND/NAME")
    .argument("[name]", "its name")
    .requiredOption("--replicas <number>", "how many", wholeNumber)
    .addOption(session.namespaceOption())
    .addHelpText("after", "\nExample:\n  stadion scale fleet arena --replicas 5")
    .action((kind: string, name: string | undefined, options: ScaleOptions) =>
      scale(session, name === undefined ? [kind] : [kind, name], options),
    );
}

async function apply(session: Session, { filename, namespace, output }: ApplyOptions): Promise<void> {
  const manifests = await manifestsOf(filename);
  await using connection = session.connect();
  const { transport } = connection;
  const resources = new Resources(transport);
  for (const manifest of manifests) {
    const { object, outcome, resource } = await applyManifest(transport, manifest, namespace, resources);
    const name = `${resource.plural}/${(object.metadata as JsonObject | undefined)?.name}`;
    if (output === "json" || output === "yaml") session.terminal.out(await formatted(object, output));
    else session.terminal.out(output === "name" ? name : `${name} ${outcome}`);
  }
}

/** All of all files, before anything is sent: a fault in one of them changes nothing. */
async function manifestsOf(files: readonly string[]): Promise<readonly KubeObject[]> {
  const manifests: KubeObject[] = [];
  for (const file of files) manifests.push(...(await readManifests(file)));
  return manifests;
}

interface Target {
  readonly resource: AnyResource;
  readonly namespace: string;
  readonly name: string;
}

async function remove(session: Session, words: readonly string[], options: DeleteOptions): Promise<void> {
  if (words.length > 0 === (options.filename !== undefined))
    throw new CliError("Usage", "give either objects (KIND NAME… or KIND/NAME…) or --filename");
  const named = references(words);
  if (words.length > 0 && named.length === 0)
    throw new CliError("Usage", `say which ${words[0]} to delete by its name`);
  const manifests = await manifestsOf(options.filename ?? []);

  await using connection = session.connect();
  const resources = new Resources(connection.transport);
  const targets: Target[] = [];
  for (const { kind, name } of named)
    targets.push({ resource: await resources.named(kind), namespace: options.namespace, name });
  for (const manifest of manifests) {
    const { namespace = options.namespace, name } = manifest.metadata;
    // Without a name the path would be the whole collection's.
    if (!name) throw new CliError("Usage", `a ${manifest.kind} without metadata.name names nothing to delete`);
    targets.push({ resource: await resources.of(manifest), namespace, name });
  }
  await removeAll(session, connection.transport, targets, options.ignoreNotFound === true);
}

/** What is not there is told after all others are deleted, as the first fault. */
async function removeAll(
  { terminal }: Session,
  transport: Transport,
  targets: readonly Target[],
  ignoreNotFound: boolean,
): Promise<void> {
  let missing: unknown;
  for (const { resource, namespace, name } of targets) {
    try {
      const answer = await transport.exchange({ method: "DELETE", path: pathOf(resource, namespace, name) });
      const waits = isJsonObject(answer) && isJsonObject(answer.metadata) && answer.metadata.deletionTimestamp;
      terminal.out(`${resource.plural}/${name} ${waits ? "is being deleted" : "deleted"}`);
    } catch (error) {
      if (!isNotFound(error)) throw error;
      missing ??= error;
    }
  }
  if (missing && !ignoreNotFound) throw missing;
}

async function scale(session: Session, words: readonly string[], options: ScaleOptions): Promise<void> {
  const [reference] = references(words);
  if (!reference) throw new CliError("Usage", `say which ${words[0]} to scale by its name`);
  const { kind, name } = reference;
  await using connection = session.connect();
  const { transport } = connection;
  const resource = await new Resources(transport).named(kind);
  if (!resource.subresources.includes("scale"))
    throw new CliError("Usage", `${resource.plural} have no number of servers; scale a fleet or a gameserverset`);
  await transport.exchange({
    method: "PATCH",
    path: pathOf(resource, options.namespace, name, "scale"),
    body: { spec: { replicas: options.replicas } },
    contentType: "application/merge-patch+json",
  });
  session.terminal.out(`${resource.plural}/${name} scaled to ${options.replicas}`);
}
