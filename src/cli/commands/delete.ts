import type { Command } from "commander";
import { FLEETS } from "#api/agones/resources.ts";
import { isJsonObject, type JsonObject } from "#api/meta/json.ts";
import { isNotFound } from "#api/meta/status.ts";
import { pathOf } from "#kube/resource.ts";
import type { Transport } from "#kube/transport.ts";
import { references } from "../arguments.ts";
import { CliError } from "../errors.ts";
import { readAllManifests } from "../manifests.ts";
import { oneByOne } from "../one-by-one.ts";
import { type AnyResource, Resources } from "../resources.ts";
import { forgetRunImages } from "../run-images.ts";
import type { Session } from "../session.ts";

interface DeleteOptions {
  readonly namespace: string;
  readonly filename?: readonly string[];
  readonly selector?: string;
  readonly all?: boolean;
  readonly ignoreNotFound?: boolean;
}

/** `delete`: objects by name, by labels, all of a kind, or those of manifests. */
export function addDelete(program: Command, session: Session): void {
  program
    .command("delete")
    .description("delete objects, or everything that manifests name")
    .argument("[object...]", "KIND NAME… or KIND/NAME…; KIND alone with --selector or --all")
    .addOption(session.filesOption("YAML or JSON"))
    .option("-l, --selector <labels>", "those with these labels, such as agones.dev/fleet=arena")
    .option("--all", "all of the kind in the namespace")
    .option("--ignore-not-found", "what is not there is no fault")
    .addOption(session.namespaceOption())
    .addHelpText(
      "after",
      `
Examples:
  npx stadion delete fleet arena
  npx stadion delete gameserver/arena-x7k2p-9qzwm
  npx stadion delete gameservers -l mode=test
  npx stadion delete -f fleet.yaml --ignore-not-found

What is refused is told, and the others are deleted.`,
    )
    .action((words: readonly string[], options: DeleteOptions) => remove(session, words, options));
}

interface Target {
  /** Of a manifest, the cluster may not know the kind: then what there is to say. */
  readonly resource: AnyResource | CliError;
  /** For the person. */
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

async function remove(session: Session, words: readonly string[], options: DeleteOptions): Promise<void> {
  const { filename, selector, all = false } = options;
  const { terminal } = session;
  if (words.length > 0 === (filename !== undefined))
    throw new CliError("Usage", "give either objects (KIND NAME… or KIND/NAME…) or --filename");
  const named = references(words);
  const several = all || selector !== undefined;
  if (several && (named.length > 0 || filename !== undefined))
    throw new CliError("Usage", "--selector and --all choose by themselves: give a kind alone, without names");
  if (words.length > 0 && named.length === 0 && !several)
    throw new CliError("Usage", `say which ${words[0]} to delete by its name, by --selector, or --all`);
  const { manifests, faults } = await readAllManifests(filename ?? []);

  await using connection = session.connect();
  const { client, transport } = connection;
  const resources = new Resources(transport);
  const targets: Target[] = [];
  for (const { kind, name } of named) targets.push(targetOf(await resources.named(kind), options.namespace, name));
  for (const manifest of manifests) {
    const { namespace = options.namespace, name } = manifest.metadata;
    // Without a name the path would be the whole collection's.
    if (!name) throw new CliError("Usage", `a ${manifest.kind} without metadata.name names nothing to delete`);
    const resource = await resources.of(manifest).catch((error: unknown) => {
      if (error instanceof CliError) return error;
      throw error;
    });
    targets.push(
      resource instanceof CliError
        ? { resource, kind: manifest.kind, namespace, name }
        : targetOf(resource, namespace, name),
    );
  }
  if (several) {
    const resource = await resources.named(words[0] ?? "");
    targets.push(...(await chosen(transport, resource, options)));
    if (targets.length === 0) terminal.err(`No ${resource.plural} found to delete.`);
  }
  await oneByOne(terminal, targets, {
    before: faults,
    name: ({ kind, name }) => `${kind}/${name}`,
    act: async ({ resource, namespace, name }) => {
      const ignoreNotFound = options.ignoreNotFound === true || several;
      if (resource instanceof CliError) {
        if (ignoreNotFound) return;
        throw resource;
      }
      const told = await removeOne(transport, { resource, namespace, name }, ignoreNotFound);
      if (told !== undefined) terminal.out(told);
      const { group, plural } = resource;
      if (group === FLEETS.group && plural === FLEETS.plural) await forgetRunImages(client, name);
    },
  });
}

const targetOf = (resource: AnyResource, namespace: string, name: string): Target => ({
  resource,
  kind: resource.plural,
  namespace,
  name,
});

/** The objects of a kind that a selector finds; without one all, in one namespace where the kind has them. */
async function chosen(
  transport: Transport,
  resource: AnyResource,
  { namespace, selector }: DeleteOptions,
): Promise<readonly Target[]> {
  const query = selector === undefined ? {} : { labelSelector: selector };
  const list = await transport.exchange({ method: "GET", path: pathOf(resource, namespace), query });
  const items = isJsonObject(list) && Array.isArray(list.items) ? list.items.filter(isJsonObject) : [];
  return items.map(({ metadata }) => targetOf(resource, namespace, String((metadata as JsonObject).name)));
}

/** What became of it; `undefined` when it was not there, and that is no fault. */
async function removeOne(
  transport: Transport,
  { resource, namespace, name }: Pick<Target, "namespace" | "name"> & { readonly resource: AnyResource },
  ignoreNotFound: boolean,
): Promise<string | undefined> {
  try {
    const answer = await transport.exchange({ method: "DELETE", path: pathOf(resource, namespace, name) });
    const waits = isJsonObject(answer) && isJsonObject(answer.metadata) && answer.metadata.deletionTimestamp;
    return `${resource.plural}/${name} ${waits ? "is being deleted" : "deleted"}`;
  } catch (error) {
    if (ignoreNotFound && isNotFound(error)) return undefined;
    throw error;
  }
}
