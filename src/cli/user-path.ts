import { basename, delimiter, sep } from "node:path";

/** npm ends what it puts in front of a PATH with this folder of its own (`@npmcli/run-script`, set-path). */
const LAST_OF_NPM = "node-gyp-bin";
const PACKAGES = `node_modules${sep}.bin`;

/**
 * A PATH as it was before npm put the programs of packages in front of it, among them the Node that Stadion brings along. A person's own
 * game servers are found, and run, with what the person has.
 */
export function userPath(path: string): string {
  const folders = path.split(delimiter);
  const last = folders.findIndex((folder) => !folder.endsWith(PACKAGES));
  const isOfNpm = last > 0 && basename(folders[last] ?? "") === LAST_OF_NPM;
  // One npm may have started another.
  return isOfNpm ? userPath(folders.slice(last + 1).join(delimiter)) : path;
}
