import { type Command, InvalidArgumentError } from "commander";
import type { JsonObject } from "#api/meta/json.ts";
import { isNotFound } from "#api/meta/status.ts";
import { pathOf } from "#kube/resource.ts";
import { applyManifest } from "../apply.ts";
import { CliError } from "../errors.ts";
import { readManifests } from "../manifests.ts";
import { formatted, type OutputFormat } from "../output.ts";
import { findResource, resourceOf } from "../resources.ts";
import type { Session } from "../session.ts";

interface NamespaceOption {
  readonly namespace: string;
}

const namespaceOption = ["-n, --namespace <name>", "namespace", "default"] as const;

/** A whole number of zero or more. */
function wholeNumber(text: string): number {
  if (!/^\d+$/.test(text))
    throw new InvalidArgumentError(`must be a whole number of zero or more, found ${JSON.stringify(text)}`);
  return Number(text);
}

/** `apply`, `delete` and `scale`. */
export function addChange(program: Command, session: Session): void {
  program
    .command("apply")
    .description("make the cluster hold what a manifest says")
    .requiredOption("-f, --filename <file>", "YAML or JSON; - for standard input")
    .option(...namespaceOption)
    .addOption(session.outputOption())
    .action((options: NamespaceOption & { filename: string; output: OutputFormat }) => apply(session, options));

  program
    .command("delete")
    .description("delete an object, or everything a manifest names")
    .argument("[kind]")
    .argument("[name]")
    .option("-f, --filename <file>", "YAML or JSON; - for standard input")
    .option("--ignore-not-found", "what is not there is no fault")
    .option(...namespaceOption)
    .action((kind: string | undefined, name: string | undefined, options: DeleteOptions) =>
      remove(session, kind, name, options),
    );

  program
    .command("scale")
    .description("set the number of servers")
    .argument("<kind>", "fleet or gameserverset")
    .argument("<name>")
    .requiredOption("--replicas <number>", "how many", wholeNumber)
    .option(...namespaceOption)
    .action((kind: string, name: string, options: NamespaceOption & { replicas: number }) =>
      scale(session, kind, name, options),
    );
}

async function apply(
  session: Session,
  options: NamespaceOption & { filename: string; output: OutputFormat },
): Promise<void> {
  const manifests = await readManifests(options.filename);
  await using connection = session.connect();
  for (const manifest of manifests) {
    const { object, outcome, resource } = await applyManifest(connection.transport, manifest, options.namespace);
    if (options.output === "json" || options.output === "yaml")
      session.terminal.out(await formatted(object, options.output));
    else session.terminal.out(`${resource.plural}/${(object.metadata as JsonObject | undefined)?.name} ${outcome}`);
  }
}

interface DeleteOptions extends NamespaceOption {
  readonly filename?: string;
  readonly ignoreNotFound?: boolean;
}

async function remove(
  session: Session,
  kind: string | undefined,
  name: string | undefined,
  options: DeleteOptions,
): Promise<void> {
  await using connection = session.connect();
  const { transport } = connection;
  const one = async (path: string, shown: string): Promise<void> => {
    try {
      await transport.exchange({ method: "DELETE", path });
      session.terminal.out(`${shown} deleted`);
    } catch (error) {
      if (!(options.ignoreNotFound && isNotFound(error))) throw error;
    }
  };
  if (options.filename !== undefined) {
    if (kind !== undefined) throw new CliError("Usage", "give a kind and a name, or --filename, not both");
    for (const manifest of await readManifests(options.filename)) {
      const resource = await resourceOf(transport, manifest);
      const { namespace = options.namespace, name: named = "" } = manifest.metadata;
      await one(pathOf(resource, namespace, named), `${resource.plural}/${named}`);
    }
    return;
  }
  if (kind === undefined || name === undefined) throw new CliError("Usage", "give a kind and a name, or --filename");
  const resource = await findResource(transport, kind);
  await one(pathOf(resource, options.namespace, name), `${resource.plural}/${name}`);
}

async function scale(
  session: Session,
  kind: string,
  name: string,
  options: NamespaceOption & { replicas: number },
): Promise<void> {
  await using connection = session.connect();
  const resource = await findResource(connection.transport, kind);
  const path = pathOf(resource, options.namespace, name, "scale");
  const patch = { spec: { replicas: options.replicas } };
  await connection.transport.exchange({
    method: "PATCH",
    path,
    body: patch,
    contentType: "application/merge-patch+json",
  });
  session.terminal.out(`${resource.plural}/${name} scaled to ${options.replicas}`);
}
