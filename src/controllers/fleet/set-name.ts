import { createHash } from "node:crypto";
import type { Fleet } from "#api/agones/fleet.ts";
import { stringifyJson } from "#api/meta/json.ts";
import { generatedName, randomSuffix } from "#api/meta/names.ts";

/**
 * The name of a fleet's set for its present template: `FLEET-xxxxx`, the same whenever it is asked for.
 * `collision` counts names found taken by something else, such as a set of the same template that is still being deleted.
 */
export function setName(fleet: Fleet, collision: number): string {
  const digest = createHash("sha256")
    .update(`${fleet.metadata.uid}\n${collision}\n${stringifyJson(fleet.spec.template)}`)
    .digest();
  let position = 0;
  return generatedName(
    `${fleet.metadata.name}-`,
    randomSuffix(() => (digest[position++] ?? 0) / 256),
  );
}
