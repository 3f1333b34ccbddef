/** The pages and definitions that are made from the schemas, and what the schemas say of themselves. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { describe, expect, test } from "vitest";
import { defaultFleet, defaultGameServer } from "#api/agones/defaults.ts";
import { featureGates } from "#api/agones/feature-gates.ts";
import type { Fleet } from "#api/agones/fleet.ts";
import type { GameServer } from "#api/agones/gameserver.ts";
import { defaultAllocation } from "#api/allocation/defaults.ts";
import type { GameServerAllocation } from "#api/allocation/gameserverallocation.ts";
import { defaultFleetAutoscaler } from "#api/autoscaling/defaults.ts";
import type { FleetAutoscaler } from "#api/autoscaling/fleetautoscaler.ts";
import { type JsonObject, parseJson, stringifyJson } from "#api/meta/json.ts";
import { compileSchema } from "#cluster/apiserver/schema/compile.ts";
import { ROOT } from "../reference/sources.ts";
import { fieldsOf, statedDefault } from "./fields.ts";
import { DEFINITIONS, generatedFiles, PAGES } from "./files.ts";
import { contractKinds, type Kind } from "./kinds.ts";

const files = [...generatedFiles()].map(([path, text]) => [relative(ROOT, path), path, text] as const);

test.each(files)("%s is up to date", (_, path, text) => {
  expect(existsSync(path) && readFileSync(path, "utf8") === text, "run npm run update:kinds").toBe(true);
});

test("nothing else is beside the generated files", () => {
  const there = [PAGES, DEFINITIONS].flatMap((folder) => readdirSync(folder).map((name) => join(folder, name)));
  expect(there.toSorted()).toEqual(files.map(([, path]) => path).toSorted());
});

const kinds = contractKinds().map((kind) => [kind.kind, kind] as const);
const ofPods = (path: string) =>
  /template\.(spec\.template|metadata)$|^spec\.template$/.test(path) ? "Kubernetes" : undefined;
/** Of a Fleet or set the template's members are looked into as well; of no kind those of Kubernetes. */
const fields = ({ kind, schema }: Kind) =>
  fieldsOf(schema, kind === "GameServer" ? ofPods : (path) => (path === "spec.template" ? undefined : ofPods(path)));

test.each(kinds)("every field of a %s is described in a sentence", (_, kind) => {
  expect(String(kind.schema.description)).toMatch(/^[A-Z].*\.$/);
  const silent = fields(kind).filter(({ meaning }) => !/^[A-Z].*\.$/.test(meaning));
  expect(silent.map(({ path, meaning }) => `${path}: ${meaning}`)).toEqual([]);
});

describe("a default in a description is what an object that says nothing gets", () => {
  const server = {
    ports: [{}],
    counters: { a: {} },
    lists: { a: {} },
    template: { spec: { containers: [{ name: "duel" }] } },
  };
  const gates = featureGates();
  const completed: Readonly<Record<string, (object: never) => object>> = {
    GameServer: (object: GameServer) => defaultGameServer(object, { gates, version: "1" }),
    GameServerSet: (object: object) => object,
    Fleet: (object: Fleet) => defaultFleet(object, "1"),
    FleetAutoscaler: (object: FleetAutoscaler) => defaultFleetAutoscaler(object),
    GameServerAllocationPolicy: (object: object) => object,
    GameServerAllocation: (object: GameServerAllocation) => defaultAllocation(object, gates),
  };
  const said: Readonly<Record<string, JsonObject>> = {
    GameServer: { spec: server },
    GameServerSet: { spec: { priorities: [{}], template: { spec: {} } } },
    Fleet: { spec: { priorities: [{}], template: { spec: {} } } },
    FleetAutoscaler: { spec: { policy: { wasm: {} } }, status: {} },
    GameServerAllocationPolicy: { spec: {} },
    GameServerAllocation: { spec: { priorities: [{}] } },
  };
  /** What is only read so, and never stored: absent, or empty, means the same. */
  const unstored = new Set([
    "GameServer spec.health.disabled false",
    "GameServer spec.players.initialCapacity 0",
    "FleetAutoscaler spec.policy.webhook.service.port 8000",
    "FleetAutoscaler spec.policy.schedule.activePeriod.timezone UTC",
    "GameServerAllocation spec.multiClusterSetting.enabled false",
  ]);
  const isWords = (text: string) => /^the |^spec\./.test(text);

  test.each(kinds)("%s", (name, kind) => {
    const schema = compileSchema(kind.schema, { groupVersionKind: { group: "", version: "", kind: name } });
    const filled = schema.applyDefaults({ metadata: {}, ...said[name] });
    const object = schema.applyDefaults(parseJson(stringifyJson(completed[name]?.(filled as never))) as JsonObject);
    const unlike = fields(kind).flatMap(({ path, default: stated }) => {
      if (stated === undefined || isWords(stated) || unstored.has(`${name} ${path} ${stated}`)) return [];
      const given = shown(at(object, path));
      return given === stated || (given === undefined && isOfOthers(path)) ? [] : [`${path}: ${stated}, not ${given}`];
    });
    expect(unlike).toEqual([]);
  });

  /** Of a template, or of a status that others write: its defaults are the schema's, which another test looks at. */
  const isOfOthers = (path: string) =>
    path.startsWith("spec.template.") || /^status\.|^spec\.(counters|lists)\{\}/.test(path);
  const at = (object: unknown, path: string): unknown =>
    path
      .replaceAll("[]", ".0")
      .replaceAll("{}", ".a")
      .split(".")
      .reduce<unknown>((inner, step) => (inner as Record<string, unknown> | undefined)?.[step], object);
  const shown = (value: unknown) => (typeof value === "string" && value !== "" ? value : JSON.stringify(value));
});

test("a schema's own default is the one that its description states", () => {
  const unlike: string[] = [];
  const visit = (schema: JsonObject, path: string): void => {
    const stated = typeof schema.description === "string" ? statedDefault(schema.description) : undefined;
    const given = typeof schema.default === "string" ? schema.default : JSON.stringify(schema.default);
    if (given && stated !== given) unlike.push(`${path}: ${stated}, not ${given}`);
    for (const [name, member] of Object.entries(schema))
      if (typeof member === "object" && member !== null && !Array.isArray(member))
        visit(member as JsonObject, `${path}.${name}`);
  };
  for (const [name, { schema }] of kinds) visit(schema, name);
  expect(unlike).toEqual([]);
});
