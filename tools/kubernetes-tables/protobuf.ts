/** Makes protobuf field tables from the published `generated.proto` files and the JSON names of the Go types. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { GoField, GoSources } from "./go-sources.ts";

const META = "k8s.io.apimachinery.pkg.apis.meta.v1";

/** The API groups whose requests may come as protobuf, and the package of their types. */
const GROUPS: Readonly<Record<string, string>> = {
  "": "k8s.io.api.core.v1",
  "admissionregistration.k8s.io": "k8s.io.api.admissionregistration.v1",
  "apiextensions.k8s.io": "k8s.io.apiextensions_apiserver.pkg.apis.apiextensions.v1",
  "apiregistration.k8s.io": "k8s.io.kube_aggregator.pkg.apis.apiregistration.v1",
  apps: "k8s.io.api.apps.v1",
  "authentication.k8s.io": "k8s.io.api.authentication.v1",
  "authorization.k8s.io": "k8s.io.api.authorization.v1",
  autoscaling: "k8s.io.api.autoscaling.v1",
  batch: "k8s.io.api.batch.v1",
  "coordination.k8s.io": "k8s.io.api.coordination.v1",
  "discovery.k8s.io": "k8s.io.api.discovery.v1",
  "events.k8s.io": "k8s.io.api.events.v1",
  "meta.k8s.io": META,
  policy: "k8s.io.api.policy.v1",
  "rbac.authorization.k8s.io": "k8s.io.api.rbac.v1",
  "scheduling.k8s.io": "k8s.io.api.scheduling.v1",
};
const OTHERS = ["k8s.io.apimachinery.pkg.runtime"];

/** Messages that are something else in JSON: the decoder knows them by these words. */
const WRAPPERS: Readonly<Record<string, string>> = {
  "k8s.io.apimachinery.pkg.api.resource.Quantity": "quantity",
  "k8s.io.apimachinery.pkg.util.intstr.IntOrString": "intOrString",
  "k8s.io.apimachinery.pkg.apis.meta.v1.Time": "time",
  "k8s.io.apimachinery.pkg.apis.meta.v1.MicroTime": "microTime",
  "k8s.io.apimachinery.pkg.apis.meta.v1.Duration": "duration",
  "k8s.io.apimachinery.pkg.apis.meta.v1.FieldsV1": "json",
  "k8s.io.apimachinery.pkg.runtime.RawExtension": "json",
  "k8s.io.apiextensions_apiserver.pkg.apis.apiextensions.v1.JSON": "json",
};
/** Messages of which one member is set, and is the JSON value itself. */
const UNIONS = /\.JSONSchemaPropsOr(Array|Bool|StringArray)$/;
const SCALARS = new Set(["string", "bool", "int32", "int64", "double", "bytes"]);

interface ProtoField {
  readonly kind: "one" | "list" | "map";
  readonly type: string;
  readonly name: string;
  readonly number: number;
}

interface ProtoMessage {
  readonly package: string;
  readonly fields: readonly ProtoField[];
}

/**
 * `{groups, messages}`. A group names the package of its kinds. A message is a text of fields joined by `,`, each
 * `NUMBER NAME TYPE`: TYPE is a scalar, a wrapper's word or a message, after `[]` for a list and `{}` for a map with string
 * keys; `^` means its members stand in the parent, `|` that its one member is the value; a `?` at the end, that Go leaves
 * zero out of the JSON.
 */
export function protobufTables(sources: GoSources): object {
  const packages = [...Object.values(GROUPS), ...OTHERS];
  const messages = new Map(packages.flatMap((name) => [...readProto(name, sources)]));
  const table = [...messages]
    .filter(([name, message]) => !WRAPPERS[name] && !isStringList(name, message, sources))
    .map(([name, message]): [string, string] => [shortName(name), fieldsText(name, message, messages, sources)])
    .sort(([a], [b]) => (a < b ? -1 : 1));
  const groups = Object.entries(GROUPS).map(([group, name]): [string, string] => [group, shortName(name)]);
  return { groups: Object.fromEntries(groups), messages: Object.fromEntries(table) };
}

/** `k8s.io.api.core.v1.Pod` is `core.v1.Pod`. */
function shortName(name: string): string {
  return name.replace(/^k8s\.io\.(api|\w+\.pkg\.apis|apimachinery\.pkg)\./, "");
}

function readProto(protoPackage: string, sources: GoSources): readonly (readonly [string, ProtoMessage])[] {
  const text = readFileSync(join(sources.folder(protoPackage), "generated.proto"), "utf8").replace(/\/\/.*$/gm, "");
  return Array.from(text.matchAll(/^message (\w+) \{(.*?)^\}/gms), ([, name, body = ""]) => {
    const fields = Array.from(
      body.matchAll(/(optional|required|repeated|map<string,)\s+([\w.]+)>?\s+(\w+) = (\d+);/g),
      ([, label, type = "", field = "", number]): ProtoField => ({
        kind: label === "repeated" ? "list" : label === "map<string," ? "map" : "one",
        type: SCALARS.has(type) ? type : type.startsWith(".") ? type.slice(1) : `${protoPackage}.${type}`,
        name: field,
        number: Number(number),
      }),
    );
    if (fields.length !== body.split(";").length - 1)
      throw new Error(`${protoPackage}.${name} has an unknown field form`);
    return [`${protoPackage}.${name}`, { package: protoPackage, fields }] as const;
  });
}

/** A named list of strings in Go is a message of its own on the wire. */
function isStringList(name: string, { package: own, fields }: ProtoMessage, sources: GoSources): boolean {
  const [field] = fields;
  const isGoStruct = sources.package(own).structs.has(name.slice(own.length + 1));
  return !isGoStruct && fields.length === 1 && field?.kind === "list" && field.type === "string";
}

function fieldsText(
  name: string,
  message: ProtoMessage,
  messages: ReadonlyMap<string, ProtoMessage>,
  sources: GoSources,
): string {
  const own = name.slice(message.package.length + 1);
  // A type that is another name for one of `meta` has its fields there.
  const go = [message.package, META].map((place) => sources.package(place).structs.get(own)).find((found) => found);
  return message.fields
    .toSorted((a, b) => a.number - b.number)
    .map((field) => {
      const tag = go?.find(({ number }) => number === field.number);
      if (!tag) throw new Error(`${name}.${field.name} (${field.number}) has no Go field`);
      return `${field.number} ${tag.json ?? field.name} ${typeText(field, tag, messages, sources)}`;
    })
    .join(",");
}

function typeText(
  field: ProtoField,
  go: GoField,
  messages: ReadonlyMap<string, ProtoMessage>,
  sources: GoSources,
): string {
  const message = messages.get(field.type);
  const word =
    WRAPPERS[field.type] ??
    (SCALARS.has(field.type) ? field.type : undefined) ??
    (message && isStringList(field.type, message, sources) ? "strings" : undefined) ??
    (message && `${go.inline ? "^" : UNIONS.test(field.type) ? "|" : ""}${shortName(field.type)}`);
  if (!word) throw new Error(`${field.name}: nothing is known of ${field.type}`);
  // Go leaves out no structures, wrappers included; times alone have a zero that is left out.
  const hasZero = SCALARS.has(field.type) || word === "time";
  const leavesZeroOut = field.kind === "one" && go.omitEmpty && !go.type.startsWith("*") && hasZero;
  return `${field.kind === "list" ? "[]" : field.kind === "map" ? "{}" : ""}${word}${leavesZeroOut ? "?" : ""}`;
}
