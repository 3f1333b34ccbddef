/** Whether the bundles in `dist/` are those of the sources as they stand. Plain JavaScript: it runs at every start. */
import { readFileSync, statSync } from "node:fs";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("..", import.meta.url));

let known = false;

/** True when no file that went into the bundles has changed since, as far as sizes and times tell; in one run, that is found out once. */
export function isBundled() {
  known ||= isUpToDate();
  return known;
}

function isUpToDate() {
  try {
    const sources = JSON.parse(readFileSync(`${root}dist/sources.json`, "utf8"));
    return Object.entries(sources).every(([path, [size, mtimeMs]]) => {
      const file = statSync(root + path);
      return file.size === size && file.mtimeMs === mtimeMs;
    });
  } catch {
    return false;
  }
}
