/** Changes that wait, on a file for the next life of the same sidecar. */
import { readFile } from "node:fs/promises";
import { isJsonObject, type JsonObject, parseJson, stringifyJson } from "#api/meta/json.ts";
import type { Logger } from "#runtime/logger.ts";
import { writePrivateFile } from "#runtime/private-file.ts";
import { beginLife } from "./begin-life.ts";
import { firstLife, type KeptChanges, keptAsJson } from "./kept-changes.ts";

export interface SidecarState {
  /** There was an earlier life. */
  readonly resumed: boolean;
  readonly kept: KeptChanges;
  /** Does nothing where there is no file: then a call that is not written soon is answered all the same. */
  readonly keep: (content: KeptChanges) => Promise<void>;
}

/**
 * Takes up what an earlier life left in `file`, and puts this life's first word there before anything is written; an empty path keeps
 * nothing. What cannot be read is lost, a disk that refuses is told of: the server goes on.
 */
export async function openSidecarState(file: string, log: Logger): Promise<SidecarState> {
  if (!file) return { resumed: false, kept: firstLife(), keep: async () => {} };
  const saved = await readSaved(file, log);
  const kept = beginLife(saved, log);
  const keep = (content: KeptChanges): Promise<void> => writePrivateFile(file, stringifyJson(keptAsJson(content)));
  await keep(kept).catch((error: unknown) => log.error({ error, file }, "the SDK server cannot keep changes"));
  return { resumed: saved !== undefined, kept, keep };
}

async function readSaved(file: string, log: Logger): Promise<JsonObject | undefined> {
  try {
    const saved = parseJson(await readFile(file, "utf8"));
    return isJsonObject(saved) ? saved : {};
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    log.error({ error, file }, "changes that an earlier SDK server kept cannot be read and are lost");
    return {};
  }
}
