/** What is wrong with the document of local mode, as a cluster's API server would see it. */
import { GameServerSpec, GameServerStatus } from "#api/agones/gameserver.ts";
import { typeFault } from "#api/agones/type-fault.ts";
import { unknownMembers } from "#api/agones/unknown-members.ts";
import { isJsonObject, type JsonObject, type JsonValue, stringifyJson } from "#api/meta/json.ts";
import { nearestWord } from "#runtime/nearest-word.ts";

const text = { type: "string" };
const integer = { type: "integer", format: "int64" };
const time = { type: "string", format: "date-time" };
const texts = { type: "object", additionalProperties: text };

/** Its members that no game sees are of any type. */
const METADATA = {
  ...{ name: text, generateName: text, namespace: text, uid: text, resourceVersion: text, generation: integer },
  ...{ labels: texts, annotations: texts, creationTimestamp: time, deletionTimestamp: time },
  ...{ deletionGracePeriodSeconds: {}, finalizers: {}, ownerReferences: {}, managedFields: {}, selfLink: {} },
};

const GAMESERVER = withoutRequired({
  type: "object",
  properties: {
    metadata: { type: "object", properties: METADATA },
    spec: GameServerSpec as unknown as JsonObject,
    status: GameServerStatus as unknown as JsonObject,
  },
});

/** The first member that is of another type than its own, with its rule and its value. What is absent is no fault. */
export function wrongMember(document: JsonObject): string | undefined {
  return typeFault(GAMESERVER as JsonObject, document, "", stringifyJson);
}

/** A part of a manifest will do. */
function withoutRequired(schema: JsonValue | undefined): JsonValue | undefined {
  if (Array.isArray(schema)) return schema.map((each) => withoutRequired(each) ?? null);
  if (!isJsonObject(schema)) return schema;
  return Object.fromEntries(
    Object.entries(schema).flatMap(([name, member]) =>
      name === "required" && Array.isArray(member) ? [] : [[name, withoutRequired(member)]],
    ),
  );
}

const MEMBERS: Readonly<Record<string, readonly string[]>> = {
  "": ["apiVersion", "kind", "metadata", "spec", "status"],
  metadata: Object.keys(METADATA),
  spec: Object.keys(GameServerSpec.properties),
  status: Object.keys(GameServerStatus.properties),
};

/** A sentence for each member that no GameServer has, with the likely word. */
export function unknownFields(document: JsonValue): readonly string[] {
  if (!isJsonObject(document)) return [];
  const { metadata, spec, status } = document;
  const others = (value: JsonValue | undefined, of: string, path = of && `${of}.`): readonly string[] =>
    isJsonObject(value) ? Object.keys(value).flatMap((name) => (MEMBERS[of]?.includes(name) ? [] : [path + name])) : [];
  const paths = [
    ...others(document, ""),
    ...others(metadata, "metadata"),
    ...unknownMembers(GameServerSpec as unknown as JsonObject, spec, "spec"),
    ...unknownMembers(GameServerStatus as unknown as JsonObject, status, "status"),
  ];
  return paths.map((path) => {
    const at = path.lastIndexOf(".");
    const near = nearestWord(path.slice(at + 1), MEMBERS[path.slice(0, Math.max(0, at))] ?? []);
    return `${path} is no field of a GameServer, and is passed over${near === undefined ? "" : `: did you mean ${near}?`}`;
  });
}
