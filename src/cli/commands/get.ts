import type { Command } from "commander";
import { isJsonObject, type JsonObject, type JsonValue } from "#api/meta/json.ts";
import { type Status, StatusError } from "#api/meta/status.ts";
import { pathOf } from "#kube/resource.ts";
import { references } from "../arguments.ts";
import { CliError } from "../errors.ts";
import { type Column, columnWriter, formatted, type OutputFormat, serverTable, TABLE } from "../output.ts";
import { type AnyResource, Resources } from "../resources.ts";
import type { Session } from "../session.ts";

interface GetOptions {
  readonly namespace: string;
  readonly allNamespaces?: boolean;
  readonly selector?: string;
  readonly output: OutputFormat;
}

/** `get` and `watch`: show objects of any kind, in the API server's own columns or as JSON or YAML. */
export function addGet(program: Command, session: Session): void {
  for (const verb of ["get", "watch"] as const) {
    program
      .command(verb)
      .description(verb === "get" ? "show objects" : "show objects, then every change until Ctrl-C")
      .argument("<kind>", "such as fleets, gs or pods, or KIND/NAME")
      .argument("[name]", "one object; all by default")
      .addOption(session.namespaceOption())
      .option("-A, --all-namespaces", "in all namespaces")
      .option("-l, --selector <labels>", "only objects with these labels, such as agones.dev/fleet=arena")
      .addOption(session.outputOption())
      .addHelpText(
        "after",
        `
Examples:
  stadion ${verb} gameservers
  stadion ${verb} gs -l agones.dev/fleet=arena -o wide
  stadion ${verb} fleet arena -o yaml
  stadion ${verb} events`,
      )
      .action((kind: string, name: string | undefined, options: GetOptions) =>
        show(session, { words: name === undefined ? [kind] : [kind, name], options, watching: verb === "watch" }),
      );
  }
}

interface Request {
  readonly words: readonly string[];
  readonly options: GetOptions;
  readonly watching: boolean;
}

async function show(session: Session, { words, options, watching }: Request): Promise<void> {
  const [{ kind, name } = { kind: words[0] ?? "", name: undefined }] = references(words);
  if (name !== undefined && options.allNamespaces)
    throw new CliError("Usage", "a name needs one namespace: leave out --all-namespaces");
  if (name !== undefined && options.selector !== undefined)
    throw new CliError("Usage", "a name and --selector cannot both be given");
  await using connection = session.connect();
  const { transport } = connection;
  const resource = await new Resources(transport).named(kind);
  const asTable = options.output === "table" || options.output === "wide";
  const accept = asTable ? TABLE : "application/json";
  const namespace = options.allNamespaces ? undefined : options.namespace;

  const single = name !== undefined && !watching;
  const path = pathOf(resource, namespace, single ? name : undefined);
  const query = {
    ...(options.selector !== undefined && { labelSelector: options.selector }),
    ...(name !== undefined && !single && { fieldSelector: `metadata.name=${name}` }),
  };
  const answer = await transport.exchange({ method: "GET", path, query, accept });
  const print =
    options.output === "table" || options.output === "wide"
      ? rowPrinter(options)
      : textPrinter(options.output, resource);
  const text = await print(answer);
  if (text !== undefined) session.terminal.out(text);
  else {
    const where = resource.namespaced && namespace ? ` in namespace ${namespace}` : "";
    session.terminal.err(`No ${resource.plural} found${where}.`);
  }
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
    for (const { type, object } of batch) {
      if (type === "ERROR") throw new StatusError(object as unknown as Status);
      const text = await print(object);
      if (text !== undefined) session.terminal.out(text);
    }
  }
}

/** An answer as text; `undefined` when it holds nothing. */
type Printer = (answer: JsonValue) => Promise<string | undefined>;

/** The head stands above the first rows alone. */
function rowPrinter(options: GetOptions): Printer {
  const style = { wide: options.output === "wide", namespaces: options.allNamespaces === true };
  const write = columnWriter();
  let headed = false;
  let known: readonly Column[] = [];
  return async (answer) => {
    const { head, rows, columns } = serverTable(answer, { ...style, known });
    known = columns;
    if (rows.length === 0) return undefined;
    const text = write(headed ? rows : [head, ...rows]);
    headed = true;
    return text;
  };
}

function textPrinter(format: "json" | "yaml" | "name", resource: AnyResource): Printer {
  return async (answer) => {
    if (format !== "name") return formatted(answer, format);
    const object = isJsonObject(answer) ? answer : {};
    const items = Array.isArray(object.items) ? object.items.filter(isJsonObject) : [object];
    if (items.length === 0) return undefined;
    return items.map(({ metadata }) => `${resource.plural}/${(metadata as JsonObject | undefined)?.name}`).join("\n");
  };
}
