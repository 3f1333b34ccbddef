/** Reads the imports of every source file and says which point upwards in the house. */
import { readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { parseSync } from "oxc-parser";
import { PURE_FILE, PURE_IMPORTS, ROOMS } from "./rooms.ts";

export interface ImportFault {
  readonly file: string;
  readonly imports: string;
  readonly why: string;
}

/** Module specifiers of a file: static, dynamic and re-exported. */
function specifiers(path: string): readonly string[] {
  const text = readFileSync(path, "utf8");
  const { module, errors } = parseSync(path, text);
  if (errors.length > 0) throw new Error(`${path}: ${errors[0]?.message}`);
  return [
    ...module.staticImports.map(({ moduleRequest }) => moduleRequest.value),
    ...module.staticExports.flatMap(({ entries }) =>
      entries.flatMap(({ moduleRequest }) => moduleRequest?.value ?? []),
    ),
    ...module.dynamicImports.map(({ moduleRequest }) =>
      text.slice(moduleRequest.start, moduleRequest.end).replace(/^["'`]|["'`]$/g, ""),
    ),
  ];
}

/** The path below `src/` that a specifier names, or undefined for packages. */
function target(src: string, file: string, specifier: string): string | undefined {
  if (specifier.startsWith("#")) return specifier.slice(1);
  if (specifier.startsWith(".")) return relative(src, join(dirname(file), specifier));
  return undefined;
}

/** The room a path below `src/` belongs to; the longest name wins. */
function roomOf(path: string): string | undefined {
  const names = Object.keys(ROOMS).filter((room) => path.startsWith(`${room}/`));
  return names.sort((a, b) => b.length - a.length)[0];
}

const within = (path: string, rooms: readonly string[]) =>
  rooms.some((room) => room === "*" || path.startsWith(`${room}/`));

/** Tests may also use what stands beside the sources; everything else follows `ROOMS`. */
export function importFaults(src: string, files: readonly string[]): readonly ImportFault[] {
  const faults: ImportFault[] = [];
  for (const file of files) {
    const own = relative(src, file);
    const room = roomOf(own);
    if (!room) {
      faults.push({ file: own, imports: "", why: "is in no room of tools/structure/rooms.ts" });
      continue;
    }
    const allowed = ROOMS[room] ?? [];
    const isTest = /\.test\.ts$/.test(own);
    for (const specifier of specifiers(file)) {
      const path = target(src, file, specifier);
      if (path === undefined) continue;
      if (path.startsWith("..") && !isTest && !path.endsWith("package.json"))
        faults.push({ file: own, imports: specifier, why: "leaves src" });
      else if (PURE_FILE.test(own) && !isTest && !within(path, PURE_IMPORTS) && !PURE_FILE.test(path))
        faults.push({
          file: own,
          imports: specifier,
          why: "a file that decides is pure: api and other decide files only",
        });
      else if (!path.startsWith("..") && !within(path, [room, ...allowed]) && !isTest)
        faults.push({ file: own, imports: specifier, why: `${room} may not import this room` });
    }
  }
  return faults;
}
