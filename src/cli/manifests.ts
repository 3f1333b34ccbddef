import { readFile } from "node:fs/promises";
import { text } from "node:stream/consumers";
import { isJsonObject, type JsonObject } from "#api/meta/json.ts";
import type { KubeObject } from "#api/meta/object.ts";
import { CliError } from "./errors.ts";

/** The objects of a YAML or JSON file, `-` for standard input; a List counts as its items. Throws `CliError` naming file and fault. */
export async function readManifests(file: string): Promise<readonly KubeObject[]> {
  const { parseAllDocuments } = await import("yaml");
  let content: string;
  try {
    content = file === "-" ? await text(process.stdin) : await readFile(file, "utf8");
  } catch (cause) {
    throw new CliError("Usage", `cannot read ${file}: ${cause instanceof Error ? cause.message : cause}`, { cause });
  }
  const documents = parseAllDocuments(content, { version: "1.1", intAsBigInt: true });
  const objects: KubeObject[] = [];
  for (const document of Array.isArray(documents) ? documents : []) {
    const fault = document.errors[0];
    if (fault) throw new CliError("Usage", `${file}: ${fault.message}`);
    const value = plain(document.toJS());
    if (value === null || value === undefined) continue;
    if (!isJsonObject(value)) throw new CliError("Usage", `${file}: a manifest must be an object`);
    const items = value.kind === "List" && Array.isArray(value.items) ? value.items.filter(isJsonObject) : [value];
    objects.push(...items.map((item) => checked(file, item)));
  }
  if (objects.length === 0) throw new CliError("Usage", `${file} holds no manifest`);
  return objects;
}

function checked(file: string, item: JsonObject): KubeObject {
  for (const member of ["apiVersion", "kind"] as const)
    if (typeof item[member] !== "string") throw new CliError("Usage", `${file}: ${member} is required`);
  const metadata = isJsonObject(item.metadata) ? item.metadata : {};
  return { ...item, metadata } as unknown as KubeObject;
}

/** Whole numbers that a double carries become numbers again: only larger ones stay `bigint`. */
function plain(value: unknown): unknown {
  if (typeof value === "bigint")
    return value >= BigInt(Number.MIN_SAFE_INTEGER) && value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(value) : value;
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, plain(member)]));
}
