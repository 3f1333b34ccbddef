import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { isJsonObject, type JsonValue, parseJson } from "#api/meta/json.ts";
import type { KubeObject } from "#api/meta/object.ts";
import { CliError, messageOf } from "./errors.ts";

/**
 * The objects of a YAML or JSON file, `-` for standard input; a List counts as its items. YAML is read as kubectl reads it: `on` and
 * `yes` are true, dates and `12:30` are texts. Throws `CliError` naming file and fault: `Refused` for what it holds, `Usage` when it cannot be read.
 */
export async function readManifests(file: string): Promise<readonly KubeObject[]> {
  const objects = await objectsIn(file);
  if (objects.length === 0) throw new CliError("Refused", `${file} holds no manifest`);
  return objects;
}

async function objectsIn(file: string): Promise<readonly KubeObject[]> {
  const content = await contentOf(file);
  const objects: KubeObject[] = [];
  for (const value of (file.endsWith(".json") && jsonOf(content)) || (await readYaml(file, content))) {
    if (value === null || value === undefined) continue;
    if (!isJsonObject(value)) throw new CliError("Refused", `${file}: a manifest must be an object`);
    const items = Array.isArray(value.items) && String(value.kind).endsWith("List") ? value.items : [value];
    objects.push(...items.map((item) => checked(file, item)));
  }
  return objects;
}

export interface AllManifests {
  /** At least one, unless no file was given. */
  readonly manifests: readonly KubeObject[];
  /** Of each file that holds something else: of such a file there is no manifest. */
  readonly faults: readonly CliError[];
}

/**
 * All of all files, before anything is sent. A folder stands for the manifests right in it, in the order of their names; a file without
 * any is passed over, and one with a fault does not hinder the others, as for kubectl. Throws `CliError` when a file is not there, or
 * no manifest is found at all.
 */
export async function readAllManifests(given: readonly string[]): Promise<AllManifests> {
  const files = (await Promise.all(given.map(filesAt))).flat();
  const manifests: KubeObject[] = [];
  const faults: CliError[] = [];
  for (const file of files) {
    try {
      manifests.push(...(await objectsIn(file)));
    } catch (error) {
      if (!(error instanceof CliError && error.code === "Refused")) throw error;
      faults.push(error);
    }
  }
  if (manifests.length > 0 || files.length === 0) return { manifests, faults };
  const told = faults.map(({ message }) => message).join("\nerror: ");
  const nothing = `${given.join(", ")} ${given.length === 1 ? "holds" : "hold"} no manifest`;
  throw new CliError("Refused", told || nothing, { cause: faults[0] });
}

async function filesAt(given: string): Promise<readonly string[]> {
  const isFolder = given !== "-" && (await stat(given).catch(() => undefined))?.isDirectory();
  if (!isFolder) return [given];
  const names = (await readdir(given)).filter((name) => /\.(ya?ml|json)$/.test(name)).sort();
  if (names.length === 0) throw new CliError("Usage", `${given} is a folder without a manifest: .yaml, .yml or .json`);
  return names.map((name) => join(given, name));
}

/** `undefined` when it is not JSON: the reader of YAML says better why. */
function jsonOf(content: string): readonly unknown[] | undefined {
  try {
    return [parseJson(content)];
  } catch {
    return undefined;
  }
}

/** The value of each document. */
async function readYaml(file: string, content: string): Promise<readonly unknown[]> {
  const { parseAllDocuments } = await import("yaml");
  const documents = parseAllDocuments(content, {
    version: "1.1",
    intAsBigInt: true,
    customTags: (tags) => tags.filter((tag) => typeof tag === "string" || !isTime(tag)),
  });
  return (Array.isArray(documents) ? documents : []).map((document) => {
    try {
      if (document.errors[0]) throw document.errors[0];
      return plain(document.toJS());
    } catch (cause) {
      throw new CliError("Refused", `${file}: ${messageOf(cause).trimEnd()}`, { cause });
    }
  });
}

/** Dates and numbers to the base of sixty, which YAML 1.1 has and kubectl does not know. */
const isTime = ({ tag, format }: { readonly tag: string; readonly format?: string }): boolean =>
  tag.endsWith(":timestamp") || format === "TIME";

async function contentOf(file: string): Promise<string> {
  if (file === "-") return text(process.stdin);
  try {
    return await readFile(file, "utf8");
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    const why = code === "ENOENT" ? "there is no such file" : code === "EISDIR" ? "it is a folder" : message;
    throw new CliError("Usage", `cannot read ${file}: ${why}`, { cause });
  }
}

function checked(file: string, item: JsonValue): KubeObject {
  if (!isJsonObject(item)) throw new CliError("Refused", `${file}: a manifest must be an object`);
  for (const member of ["apiVersion", "kind"] as const)
    if (typeof item[member] !== "string" || item[member] === "")
      throw new CliError("Refused", `${file}: ${member} is required`);
  const { metadata = {} } = item;
  if (!isJsonObject(metadata)) throw new CliError("Refused", `${file}: metadata must be an object`);
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
