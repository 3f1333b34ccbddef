/** What a person reads once the cluster runs. */
import { resolve } from "node:path";
import type { Fleet } from "#api/agones/fleet.ts";
import { FLEETS } from "#api/agones/resources.ts";
import type { Session } from "../session.ts";
import type { DataFolder } from "./data-folder.ts";
import { QUICK_START_FLEET } from "./quick-start.ts";

/** Where other commands look without being told. */
const DEFAULT_DATA_DIR = ".stadion";

/** A fleet that servers can be allocated of, the quick start's before others, else one without servers, or none. */
async function someFleet(session: Session): Promise<Fleet | undefined> {
  await using connection = session.connect();
  const { items } = await connection.client.list(FLEETS, { namespace: "default", signal: session.interrupted });
  const wanted = items.filter(({ spec }) => (spec.replicas ?? 0) > 0);
  return wanted.find(({ metadata }) => metadata.name === QUICK_START_FLEET) ?? wanted[0] ?? items[0];
}

/** What to do next: nothing is allocated of a fleet that shall have no servers. */
export function nextCommands(stadion: string, fleet: Fleet | undefined): readonly string[] {
  const name = fleet?.metadata.name;
  if (!fleet) return [`${stadion} run --replicas 3 -- ./MyServer --port '$(PORT)'`, `${stadion} apply -f FILE`];
  const next = fleet.spec.replicas ? `allocate ${name}` : `scale fleet ${name} --replicas 3`;
  return [`${stadion} get gameservers`, `${stadion} ${next}`];
}

/** Says where the cluster is and what to do next. */
export async function welcome(session: Session, { path, kubeconfig }: DataFolder, address: string): Promise<void> {
  const fleet = await someFleet(session);
  const stadion = path === resolve(DEFAULT_DATA_DIR) ? "npx stadion" : `npx stadion --data-dir ${shellWord(path)}`;
  session.terminal.out(
    `
Stadion is running.
  API         ${address}
  kubeconfig  ${kubeconfig}

Next, in another shell:
  ${nextCommands(stadion, fleet).join("\n  ")}
  kubectl --kubeconfig ${shellWord(kubeconfig)} get fleets,gameservers

Ctrl-C stops it.`,
  );
}

/** Quoted when a shell would read it as anything but one word. */
const shellWord = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
