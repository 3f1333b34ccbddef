import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";

/** The file of a program that this machine has on its PATH; undefined when it has none. */
export const onPath = (program: string): string | undefined =>
  (process.env.PATH ?? "")
    .split(delimiter)
    .map((folder) => join(folder, program))
    .find((file) => {
      try {
        accessSync(file, constants.X_OK);
        return true;
      } catch {
        return false;
      }
    });
