import type { Command } from "commander";
import { isJsonObject, type JsonObject, type JsonValue } from "#api/meta/json.ts";
import { pathOf } from "#kube/resource.ts";
import type { Transport } from "#kube/transport.ts";
import { references } from "../arguments.ts";
import { CliError } from "../errors.ts";
import { oneByOne } from "../one-by-one.ts";
import { isTable, type Output, TABLE } from "../output.ts";
import { hasOwnColumns } from "../own-columns.ts";
import { printerFor } from "../printers.ts";
import { type AnyResource, Resources } from "../resources.ts";
import type { Session } from "../session.ts";
import { addShowOptions, type ShowOptions } from "../show-options.ts";

/** `get`: shows objects of any kind, in the API server's own columns, as JSON or YAML, or by a template. */
export function addGet(program: Command, session: Session): void {
  const command = program
    .command("get")
    .description("show objects")
    .argument("<kind>", "such as gs, fleets,pods, or KIND/NAME")
    .argument("[name...]", "single objects; all by default");
  addShowOptions(command, session)
    .addHelpText(
      "after",
      `
Examples:
  npx stadion get fleets,gameservers
  npx stadion get all
  npx stadion get gs -l agones.dev/fleet=arena -o wide
  npx stadion get fleet arena -o yaml
  npx stadion get gs -o 'jsonpath={.items[*].status.address}'
  npx stadion get events`,
    )
    .action((kind: string, names: readonly string[], options: ShowOptions) => get(session, [kind, ...names], options));
}

/** What `all` stands for: what people make, and what becomes of it. */
const ALL = ["fleets", "fleetautoscalers", "gameserversets", "gameservers", "pods"];

interface Target {
  readonly resource: AnyResource;
  readonly name?: string;
}

async function get(session: Session, words: readonly string[], options: ShowOptions): Promise<void> {
  const named = references(words);
  if (named.length > 0) refuseChoosing(options);
  await using connection = session.connect();
  const { transport } = connection;
  const resources = new Resources(transport);
  const targets: Target[] = [];
  for (const { kind, name } of named) targets.push({ resource: await resources.named(kind), name });
  const everything = words[0] === "all" && named.length === 0;
  if (named.length === 0)
    for (const kind of everything ? ALL : (words[0] ?? "").split(","))
      targets.push({ resource: await resources.named(kind) });

  const found: { readonly resource: AnyResource; readonly answer: JsonValue }[] = [];
  const asked = oneByOne(session.terminal, targets, {
    name: ({ resource, name = "" }) => `${resource.plural}/${name}`,
    act: async ({ resource, name }) => {
      found.push({ resource, answer: await ask(transport, { resource, name }, options) });
    },
  });
  // What was found is shown before the refusal of the rest ends the command.
  const refusal = await asked.then(
    () => undefined,
    (error: unknown) => ({ error }),
  );
  let [gap, printed] = ["", false];
  for (const { resource, answer } of shown(found, options.output)) {
    const text = await printerFor(options, resource)(answer);
    if (text !== undefined) session.terminal.out(gap + text);
    else if (!everything) session.terminal.err(nothing(resource, options));
    printed ||= text !== undefined;
    if (text !== undefined && isTable(options.output)) gap = "\n";
  }
  if (everything && !printed) session.terminal.err(nothing(undefined, options));
  if (refusal) throw refusal.error;
}

/** Names choose by themselves. Throws `CliError`. */
export function refuseChoosing({ allNamespaces, selector }: ShowOptions): void {
  if (allNamespaces) throw new CliError("Usage", "a name needs one namespace: leave out --all-namespaces");
  if (selector !== undefined) throw new CliError("Usage", "a name and --selector cannot both be given");
}

export function nothing(resource: AnyResource | undefined, { allNamespaces, namespace }: ShowOptions): string {
  const where = resource?.namespaced && !allNamespaces ? ` in namespace ${namespace}` : "";
  return `No ${resource?.plural ?? "objects"} found${where}.`;
}

function ask(transport: Transport, { resource, name }: Target, options: ShowOptions): Promise<JsonValue> {
  const { allNamespaces, namespace, selector, output } = options;
  return transport.exchange({
    method: "GET",
    path: pathOf(resource, allNamespaces ? undefined : namespace, name),
    query: { ...tableQuery(resource, output), ...(selector !== undefined && { labelSelector: selector }) },
    accept: acceptOf(output),
  });
}

export const acceptOf = (output: Output): string => (isTable(output) ? TABLE : "application/json");

/** Our own columns are made from whole objects. */
export const tableQuery = (resource: AnyResource, output: Output): Readonly<Record<string, string>> =>
  isTable(output) && hasOwnColumns(resource) ? { includeObject: "Object" } : {};

type Found = { readonly resource: AnyResource; readonly answer: JsonValue };

/** Answers in the pieces that are printed: tables and names by kind, anything else as one. */
function shown(
  found: readonly Found[],
  output: Output,
): readonly (Found | { answer: JsonValue; resource: undefined })[] {
  if (isTable(output)) return tables(found);
  return output === "name" || found.length <= 1 ? found : [{ answer: asList(found), resource: undefined }];
}

/** The tables of a kind as one. */
function tables(found: readonly Found[]): readonly Found[] {
  const byResource = Map.groupBy(found, ({ resource }) => resource);
  return [...byResource].map(([resource, its]) => {
    const [first] = its;
    const rows = its.flatMap(({ answer }) => (isJsonObject(answer) && Array.isArray(answer.rows) ? answer.rows : []));
    return {
      resource,
      answer: its.length === 1 ? (first as Found).answer : { ...(first?.answer as JsonObject), rows },
    };
  });
}

function asList(found: readonly Found[]): JsonValue {
  const items = found.flatMap(({ answer }) => {
    const object = isJsonObject(answer) ? answer : {};
    if (!Array.isArray(object.items)) return [object];
    // The items of a list leave out what its own kind says.
    const type = { apiVersion: object.apiVersion, kind: String(object.kind).replace(/List$/, "") };
    return object.items.filter(isJsonObject).map((item) => ({ ...type, ...item }));
  });
  return { apiVersion: "v1", kind: "List", metadata: { resourceVersion: "" }, items };
}
