import type { JsonObject } from "#api/meta/json.ts";
import type { Logger } from "#runtime/logger.ts";
import { firstLife, type KeptChanges, nextLife } from "./kept-changes.ts";

/** What cannot be read of an earlier life's changes is lost; the server goes on. */
export function beginLife(saved: JsonObject | undefined, log: Logger): KeptChanges {
  try {
    return nextLife(saved);
  } catch (error) {
    log.error({ error }, "changes that an earlier SDK server kept are damaged and lost");
    return firstLife();
  }
}
