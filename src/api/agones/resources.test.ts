import { expect, test } from "vitest";
import { isJsonObject, type JsonValue } from "../meta/json.ts";
import { FleetSpec, FleetStatus, GameServerSetSpec, GameServerSetStatus } from "./fleet.ts";
import { GameServerSpec, GameServerStatus } from "./gameserver.ts";
import { FLEETS, GAMESERVERS, GAMESERVERSETS } from "./resources.ts";

/** A value with the number 1 at every place that a schema has, but for the schema of Pods. */
function sample(schema: JsonValue | undefined): JsonValue {
  if (!isJsonObject(schema)) return 1;
  if (isJsonObject(schema.properties))
    return Object.fromEntries(Object.entries(schema.properties).map(([name, each]) => [name, sample(each)]));
  if (schema.additionalProperties !== undefined) return { any: sample(schema.additionalProperties) };
  if (schema.items !== undefined) return [sample(schema.items)];
  return 1;
}

/** The sample as its schema wants it read. */
function decoded(schema: JsonValue | undefined): JsonValue {
  if (!isJsonObject(schema)) return 1;
  if (isJsonObject(schema.properties))
    return Object.fromEntries(Object.entries(schema.properties).map(([name, each]) => [name, decoded(each)]));
  if (schema.additionalProperties !== undefined) return { any: decoded(schema.additionalProperties) };
  if (schema.items !== undefined) return [decoded(schema.items)];
  return schema.format === "int64" ? 1n : 1;
}

test.each([
  { type: GAMESERVERS, schemas: [GameServerSpec, GameServerStatus] },
  { type: GAMESERVERSETS, schemas: [GameServerSetSpec, GameServerSetStatus] },
  { type: FLEETS, schemas: [FleetSpec, FleetStatus] },
])("the members that the schemas of $type.plural call int64, and no others, become bigint", ({ type, schemas }) => {
  const [spec, status] = schemas as unknown as readonly JsonValue[];
  expect(type.decode({ spec: sample(spec), status: sample(status) })).toEqual({
    spec: decoded(spec),
    status: decoded(status),
  });
});

test("counters have two of them", () => {
  const [spec, status] = [GameServerSpec, GameServerStatus] as unknown as readonly JsonValue[];
  const read = GAMESERVERS.decode({ spec: sample(spec), status: sample(status) });
  expect(JSON.stringify(read.spec.counters, (_, value) => (typeof value === "bigint" ? "int64" : value))).toBe(
    '{"any":{"count":"int64","capacity":"int64"}}',
  );
});
