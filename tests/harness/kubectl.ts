import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";

/** The kubectl of this machine; undefined when it has none, and then tests that need it are skipped. */
const found = (process.env.PATH ?? "")
  .split(delimiter)
  .map((folder) => join(folder, "kubectl"))
  .find((file) => {
    try {
      accessSync(file, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });

export const hasKubectl: boolean = found !== undefined;

export function kubectl(): string {
  if (found === undefined) throw new Error("kubectl is not installed");
  return found;
}
