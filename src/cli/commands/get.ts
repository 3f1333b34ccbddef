import type { Command } from "commander";
import { isJsonObject, type JsonObject } from "#api/meta/json.ts";
import { pathOf } from "#kube/resource.ts";
import { CliError } from "../errors.ts";
import { formatted, type OutputFormat, serverTable, TABLE } from "../output.ts";
import { type AnyResource, findResource } from "../resources.ts";
import type { Session } from "../session.ts";

interface GetOptions {
  readonly namespace: string;
  readonly allNamespaces?: boolean;
  readonly selector?: string;
  readonly output: OutputFormat;
}

/** `get` and `watch`: show objects of any kind, in the API server's own columns or as JSON or YAML. */
export function addGet(program: Command, session: Session): void {
  for (const watching of [false, true]) {
    program
      .command(watching ? "watch" : "get")
      .description(watching ? "show objects, then every change until Ctrl-C" : "show objects")
      .argument("<kind>", "such as fleets, gs, pods")
      .argument("[name]")
      .option("-n, --namespace <name>", "namespace", "default")
      .option("-A, --all-namespaces", "in all namespaces")
      .option("-l, --selector <labels>", "only objects with these labels, such as agones.dev/fleet=arena")
      .addOption(session.outputOption())
      .action((kind: string, name: string | undefined, options: GetOptions) =>
        show(session, { kind, name, options, watching }),
      );
  }
}

interface Request {
  readonly kind: string;
  readonly name: string | undefined;
  readonly options: GetOptions;
  readonly watching: boolean;
}

async function show(session: Session, { kind, name, options, watching }: Request): Promise<void> {
  await using connection = session.connect();
  const { transport } = connection;
  const resource = await findResource(transport, kind);
  const namespace = options.allNamespaces ? undefined : options.namespace;
  if (name !== undefined && options.allNamespaces)
    throw new CliError("Usage", "a name needs one namespace: leave out --all-namespaces");
  const query = {
    ...(options.selector !== undefined && { labelSelector: options.selector }),
    ...(name !== undefined && { fieldSelector: `metadata.name=${name}` }),
  };
  const asTable = options.output === "table" || options.output === "wide";
  const accept = asTable ? TABLE : "application/json";
  const style = { wide: options.output === "wide", namespaces: options.allNamespaces === true };

  const path = pathOf(resource, namespace, watching ? undefined : name);
  const answer = await transport.exchange({
    method: "GET",
    path,
    query: name !== undefined && !watching ? {} : query,
    accept,
  });
  const shown = asTable ? serverTable(answer, style) : await print(answer as JsonObject, options.output, resource);
  if (asTable && isJsonObject(answer) && Array.isArray(answer.rows) && answer.rows.length === 0)
    session.terminal.err(`No ${resource.plural} found${namespace ? ` in namespace ${namespace}` : ""}.`);
  else if (shown !== "") session.terminal.out(shown);
  if (!watching) return;

  const resourceVersion = String(((answer as JsonObject).metadata as JsonObject | undefined)?.resourceVersion ?? "");
  const watch = await transport.watch({
    method: "GET",
    path,
    query: { ...query, watch: "true", resourceVersion },
    accept,
    signal: session.signal,
  });
  for await (const batch of watch) {
    for (const { object } of batch) {
      const lines = asTable
        ? serverTable(object, style).split("\n").slice(1)
        : [await print(object, options.output, resource)];
      for (const line of lines) session.terminal.out(line);
    }
  }
}

async function print(answer: JsonObject, format: OutputFormat, resource: AnyResource): Promise<string> {
  if (format !== "name") return formatted(answer, format);
  const items = Array.isArray(answer.items) ? answer.items.filter(isJsonObject) : [answer];
  return items.map((item) => `${resource.plural}/${(item.metadata as JsonObject | undefined)?.name}`).join("\n");
}
