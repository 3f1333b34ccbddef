/** Reads what only the Go sources of Kubernetes say: JSON names, which fields are pointers, and the values of enums. */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";

export interface GoField {
  readonly name: string;
  /** For instance `*int32`, `[]Container`, `map[string]string`. */
  readonly type: string;
  /** Absent for embedded structures and for wrappers with their own encoding. */
  readonly json?: string;
  readonly inline: boolean;
  readonly omitEmpty: boolean;
  /** Number on the protobuf wire. */
  readonly number?: number;
}

interface GoPackage {
  readonly structs: ReadonlyMap<string, readonly GoField[]>;
  /** Named types of strings that are marked as enums, with their values, sorted. */
  readonly enums: ReadonlyMap<string, readonly string[]>;
}

/** Where each package of the generated tables lies: its short name is what the tables use. */
const PLACES: readonly [prefix: string, module: string, folder: string][] = [
  ["k8s.io.api.", "api", ""],
  ["k8s.io.apimachinery.pkg.", "apimachinery", "pkg"],
  ["k8s.io.apiextensions_apiserver.pkg.apis.", "apiextensions-apiserver", "pkg/apis"],
  ["k8s.io.kube_aggregator.pkg.apis.", "kube-aggregator", "pkg/apis"],
];

export class GoSources {
  readonly #moduleFolder: (module: string) => string;
  readonly #packages = new Map<string, GoPackage>();

  /** `moduleFolder` tells the folder of a module such as `api` or `apimachinery`. */
  constructor(moduleFolder: (module: string) => string) {
    this.#moduleFolder = moduleFolder;
  }

  /** The folder of a protobuf package such as `k8s.io.api.core.v1`. */
  folder(protoPackage: string): string {
    const place = PLACES.find(([prefix]) => protoPackage.startsWith(prefix));
    if (!place) throw new Error(`no Go module is known for ${protoPackage}`);
    const [prefix, module, folder] = place;
    return join(this.#moduleFolder(module), folder, ...protoPackage.slice(prefix.length).split("."));
  }

  package(protoPackage: string): GoPackage {
    let known = this.#packages.get(protoPackage);
    if (!known) {
      known = readPackage(this.folder(protoPackage));
      this.#packages.set(protoPackage, known);
    }
    return known;
  }
}

function readPackage(folder: string): GoPackage {
  const files = globSync("*.go", { cwd: folder }).filter((file) => !/_test\.go$|generated/.test(file));
  if (files.length === 0) throw new Error(`${folder} holds no Go sources`);
  const text = files
    .sort()
    .map((file) => readFileSync(join(folder, file), "utf8"))
    .join("\n");
  const structs = new Map<string, readonly GoField[]>();
  for (const [, name = "", body = ""] of text.matchAll(/^type (\w+) struct \{\n(.*?)^\}/gms))
    structs.set(name, body.split("\n").flatMap(readField));
  return { structs, enums: readEnums(text) };
}

function readField(line: string): readonly GoField[] {
  const field = /^\s+(?:(\w+)\s+)?([\w.*[\]]+)\s+`(.*)`/.exec(line);
  if (!field) return [];
  const [, name, type = "", tags = ""] = field;
  const [json, ...options] = (/json:"([^"]*)"/.exec(tags)?.[1] ?? "").split(",");
  const number = /protobuf:"[^"]*?,(\d+),/.exec(tags)?.[1];
  return [
    {
      name: name ?? (type.split(".").at(-1) as string),
      type,
      ...(json && json !== "-" && { json }),
      inline: options.includes("inline") || (name === undefined && json === ""),
      omitEmpty: options.includes("omitempty"),
      ...(number && { number: Number(number) }),
    },
  ];
}

function readEnums(text: string): ReadonlyMap<string, readonly string[]> {
  const enums = new Map<string, string[]>();
  for (const [, name = ""] of text.matchAll(/^\/\/ \+enum\n(?:\/\/.*\n)*type (\w+) string$/gm)) enums.set(name, []);
  for (const [, type = "", value = ""] of text.matchAll(/^\s*(?:const )?\w+\s+(\w+)\s*=\s*"([^"]*)"/gm))
    enums.get(type)?.push(value);
  return new Map([...enums].map(([name, values]) => [name, [...new Set(values)].sort()]));
}
