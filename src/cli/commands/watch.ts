import type { Command } from "commander";
import type { JsonObject } from "#api/meta/json.ts";
import { type Status, StatusError } from "#api/meta/status.ts";
import { pathOf } from "#kube/resource.ts";
import { TransportError } from "#kube/transport.ts";
import { systemClock } from "#runtime/clock.ts";
import { references } from "../arguments.ts";
import { CliError } from "../errors.ts";
import { Outage } from "../outage.ts";
import { printerFor } from "../printers.ts";
import { Resources } from "../resources.ts";
import type { Session } from "../session.ts";
import { addShowOptions, type ShowOptions } from "../show-options.ts";
import { acceptOf, nothing, refuseChoosing, tableQuery } from "./get.ts";

/** A server ends a watch of nobody's wish within the hour; what is there would be shown again each time. */
const LONGEST_SECONDS = 24 * 60 * 60;

/** `watch`: shows objects, then every change of them. */
export function addWatch(program: Command, session: Session): void {
  const command = program
    .command("watch")
    .description("show objects, then every change until Ctrl-C")
    .argument("<kind>", "such as fleets, gs or pods, or KIND/NAME")
    .argument("[name]", "one object; all by default");
  addShowOptions(command, session)
    .addHelpText("after", "\nExamples:\n  npx stadion watch gameservers\n  npx stadion watch fleet arena -o wide")
    .action((kind: string, name: string | undefined, options: ShowOptions) =>
      watch(session, name === undefined ? [kind] : [kind, name], options),
    );
}

async function watch(session: Session, words: readonly string[], options: ShowOptions): Promise<void> {
  const [{ kind, name } = { kind: words[0] ?? "", name: undefined }] = references(words);
  if (name !== undefined) refuseChoosing(options);
  if (kind.includes(",")) throw new CliError("Usage", "one kind can be watched at a time");
  await using connection = session.connect();
  const { transport } = connection;
  const resource = await new Resources(transport).named(kind);
  const path = pathOf(resource, options.allNamespaces ? undefined : options.namespace);
  const query = {
    ...tableQuery(resource, options.output),
    ...(options.selector !== undefined && { labelSelector: options.selector }),
    ...(name !== undefined && { fieldSelector: `metadata.name=${name}` }),
  };
  const accept = acceptOf(options.output);
  const print = printerFor(options, resource);
  /** Prints what is there; resolves with its version. */
  const show = async (): Promise<string> => {
    const answer = await transport.exchange({ method: "GET", path, query, accept });
    const text = await print(answer);
    if (text !== undefined) session.terminal.out(text);
    else session.terminal.err(nothing(resource, options));
    return String(((answer as JsonObject).metadata as JsonObject | undefined)?.resourceVersion ?? "");
  };
  /** Prints every change since a version, until the watch ends. */
  const follow = async (resourceVersion: string): Promise<void> => {
    const changes = await transport.watch({
      method: "GET",
      path,
      query: { ...query, watch: "true", resourceVersion, timeoutSeconds: String(LONGEST_SECONDS) },
      accept,
      signal: session.signal,
    });
    for await (const batch of changes)
      for (const { type, object } of batch) {
        if (type === "ERROR") throw new StatusError(object as unknown as Status);
        const text = await print(object);
        if (text !== undefined) session.terminal.out(text);
      }
  };

  const outage = new Outage({ terminal: session.terminal, clock: systemClock, signal: session.signal });
  let shown: string | undefined = await show();
  while (!session.signal.aborted) {
    try {
      shown ??= await show();
      outage.over();
      await follow(shown);
      if (!session.signal.aborted) throw new TransportError("the watch ended");
    } catch (error) {
      await outage.ride(error);
      shown = undefined;
    }
  }
}
