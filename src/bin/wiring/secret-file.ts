import { readFile } from "node:fs/promises";
import { ConfigError } from "#runtime/config.ts";

/**
 * What a file of a data folder holds that is made when there is none; then `undefined`. Rejects with `ConfigError` when there is
 * something that cannot be read, such as a folder: to try again would not help.
 */
export async function secretFile(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return undefined;
    const why = code === "EISDIR" ? "it is a folder" : message;
    throw new ConfigError([`${file} cannot be read: ${why}. Take it away, and the next start makes it anew`]);
  }
}
