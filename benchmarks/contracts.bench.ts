/**
 * What the contract costs an object on its way in, on a Fleet that uses nearly every field.
 *
 * - `contract-admission`: from bytes to an admitted object: reading, int64 to `bigint`, defaults, validation. Yardstick: `JSON.parse` of the
 *   same bytes.
 * - `contract-schema`: the Fleet held against the schema of its definition, by the schema that the API server compiles. Yardstick: TypeBox'
 *   `Value.Check` of the same object and schema.
 *
 * CPU time of the process, a thousand objects at a time; medians, ours and the yardstick take turns.
 */
import { Value } from "typebox/value";
import { defaultFleet } from "#api/agones/defaults.ts";
import { featureGates } from "#api/agones/feature-gates.ts";
import { FLEETS } from "#api/agones/resources.ts";
import { validateFleet } from "#api/agones/validate-fleet.ts";
import { buildCustomResourceDefinitions } from "#api/definitions/crds.ts";
import { type JsonObject, parseJson } from "#api/meta/json.ts";
import { compileSchema } from "#cluster/apiserver/schema/compile.ts";
import { type Benchmark, type Figure, median } from "./figure.ts";
import { FULL_FLEET } from "./full-fleet.ts";

const ROUNDS = 41;
const OBJECTS = 1000;

export const benchmark: Benchmark = async (tell) => {
  const bytes = new TextEncoder().encode(JSON.stringify(FULL_FLEET));
  const text = new TextDecoder("utf-8", { fatal: true });
  const gates = featureGates();
  const admission = compare("contract-admission", 6, {
    ours: () => {
      const fleet = FLEETS.decode(parseJson(text.decode(bytes)) as JsonObject);
      expectNone(validateFleet(defaultFleet(fleet, "1.0.0"), gates));
    },
    yardstick: () => JSON.parse(text.decode(bytes)),
  });
  tell(`admission is done`);

  const definition = buildCustomResourceDefinitions().find(({ spec }) => spec.names.kind === "Fleet");
  const schema = definition?.spec.versions[0]?.schema?.openAPIV3Schema as JsonObject;
  const compiled = compileSchema(schema, { groupVersionKind: { group: "agones.dev", version: "v1", kind: "Fleet" } });
  const object = JSON.parse(JSON.stringify(FULL_FLEET)) as JsonObject;
  const validation = compare("contract-schema", 0.1, {
    ours: () => expectNone(compiled.validate(object)),
    yardstick: () => {
      if (!Value.Check(schema as never, object)) throw new Error("TypeBox finds a fault in the Fleet");
    },
  });
  return [admission, validation];
};

function expectNone(faults: readonly { readonly field: string; readonly body: string }[]): void {
  if (faults[0]) throw new Error(`${faults[0].field}: ${faults[0].body}`);
}

function compare(
  name: string,
  target: number,
  { ours, yardstick }: { readonly ours: () => unknown; readonly yardstick: () => unknown },
): Figure {
  const times = { ours: [] as number[], yardstick: [] as number[] };
  for (let round = -5; round < ROUNDS; round++) {
    const taken = { ours: cpuMs(ours), yardstick: cpuMs(yardstick) };
    // The first rounds are the compiler's.
    if (round < 0) continue;
    times.ours.push(taken.ours);
    times.yardstick.push(taken.yardstick);
  }
  return { name, value: median(times.ours), unit: "ms", against: median(times.yardstick), target };
}

function cpuMs(work: () => unknown): number {
  const before = process.cpuUsage();
  for (let each = 0; each < OBJECTS; each++) work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
