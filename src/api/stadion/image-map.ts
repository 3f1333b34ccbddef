/**
 * Which command an image name stands for on a process node. Kept in a ConfigMap, so that the command line and every node agent
 * see the same through the API alone.
 */
import { isJsonObject, type JsonObject, parseJson, stringifyJson } from "../meta/json.ts";
import type { KubeObject } from "../meta/object.ts";

export const IMAGE_MAP_NAMESPACE = "kube-system";
export const IMAGE_MAP_NAME = "stadion-images";
/** The member of the ConfigMap's data that holds the map. */
const MEMBER = "images.json";

export interface ImageCommand {
  /** Program and arguments; `$(NAME)` is replaced from the container's environment. A pod's own `command` or `args` come after it. */
  readonly command: readonly string[];
  /** Working directory. */
  readonly cwd?: string;
}

export type ImageMap = Readonly<Record<string, ImageCommand>>;

/** Reads the map; entries that are not commands are left out. */
export function readImageMap(configMap: KubeObject | undefined): ImageMap {
  const data = (configMap as { data?: JsonObject } | undefined)?.data?.[MEMBER];
  if (typeof data !== "string") return {};
  let parsed: unknown;
  try {
    parsed = parseJson(data);
  } catch {
    return {};
  }
  const entries = isJsonObject(parsed) ? Object.entries(parsed) : [];
  return Object.fromEntries(
    entries.filter((entry): entry is [string, ImageCommand & JsonObject] => isImageCommand(entry[1])),
  );
}

function isImageCommand(value: unknown): value is ImageCommand {
  if (!isJsonObject(value) || !Array.isArray(value.command) || value.command.length === 0) return false;
  return (
    value.command.every((each) => typeof each === "string") &&
    (value.cwd === undefined || typeof value.cwd === "string")
  );
}

/** The ConfigMap's `data` for a map. */
export function imageMapData(map: ImageMap): Readonly<Record<string, string>> {
  return { [MEMBER]: stringifyJson(map, 2) };
}
