/** What a person reads once the cluster runs. */
import { resolve } from "node:path";
import type { DataFolder } from "./data-folder.ts";
import type { ExampleFleet } from "./example-fleet.ts";

/** Where other commands look without being told. */
const DEFAULT_DATA_DIR = ".stadion";

/** What to do next: nothing is allocated of a fleet that shall have no servers. */
export function nextCommands(stadion: string, fleet: ExampleFleet | undefined): readonly string[] {
  if (!fleet) return [`${stadion} run --replicas 3 -- ./MyServer --port '$(PORT)'`, `${stadion} apply -f FILE`];
  const next = fleet.replicas > 0 ? `allocate ${fleet.name}` : `scale fleet ${fleet.name} --replicas 3`;
  return [`${stadion} get gameservers`, `${stadion} ${next}`];
}

/** Where the cluster is, and what to do next. */
export function welcome(
  { path, kubeconfig }: Pick<DataFolder, "path" | "kubeconfig">,
  address: string,
  fleet: ExampleFleet | undefined,
): string {
  const stadion = path === resolve(DEFAULT_DATA_DIR) ? "npx stadion" : `npx stadion --data-dir ${shellWord(path)}`;
  return `
Stadion is running.
  API         ${address}
  kubeconfig  ${kubeconfig}

Next, in another shell:
  ${nextCommands(stadion, fleet).join("\n  ")}
  kubectl --kubeconfig ${shellWord(kubeconfig)} get fleets,gameservers

Ctrl-C stops it.`;
}

/** Quoted when a shell would read it as anything but one word. */
const shellWord = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
