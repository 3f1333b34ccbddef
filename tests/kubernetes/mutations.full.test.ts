/** Manifests with random damage: whatever is wrong with one, both servers find the same wrong with it. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { isJsonObject, type JsonObject, type JsonValue, stringifyJson } from "#api/meta/json.ts";
import { inNamespaceOfBoth } from "./agreement/agree.ts";
import { type Answer, type ApiServer, objectPath } from "./agreement/api-server.ts";
import { manifests } from "./agreement/objects.ts";
import { answersOf, RANDOM } from "./agreement/random.ts";

const stored = manifests.map(({ object }) => object).filter(({ kind }) => kind !== "GameServerAllocation");

/** What may stand anywhere instead of what does. */
const odd: fc.Arbitrary<JsonValue | undefined> = fc.constantFrom<JsonValue | undefined>(
  undefined,
  null,
  -1,
  0,
  1,
  70000,
  1.5,
  2147483648,
  9007199254740993n,
  "",
  "x",
  "Not A Name",
  "25%",
  "a".repeat(64),
  true,
  [],
  ["x"],
  ["x", "x"],
  [null],
  {},
  { x: 1 },
);

interface Damage {
  /** Which member, of all below spec: this one, counted round and round. */
  readonly where: number;
  readonly value: JsonValue | undefined;
}

const damage: fc.Arbitrary<Damage> = fc.record({ where: fc.nat(1_000_000), value: odd });

type Path = readonly (string | number)[];

function pathsOf(value: JsonValue | undefined, path: Path = []): Path[] {
  const below = Array.isArray(value)
    ? value.flatMap((item, position) => pathsOf(item, [...path, position]))
    : isJsonObject(value)
      ? Object.entries(value).flatMap(([name, member]) => pathsOf(member, [...path, name]))
      : [];
  return [path, ...below];
}

function withValue(target: JsonValue | undefined, [step, ...rest]: Path, value: JsonValue | undefined): JsonValue {
  if (step === undefined) return value ?? null;
  if (Array.isArray(target)) {
    const inner = rest.length === 0 ? value : withValue(target[Number(step)], rest, value);
    return inner === undefined ? target.toSpliced(Number(step), 1) : target.with(Number(step), inner);
  }
  const object = (target ?? {}) as JsonObject;
  const inner = rest.length === 0 ? value : withValue(object[step], rest, value);
  const { [step]: _, ...others } = object;
  return inner === undefined ? others : { ...others, [step]: inner };
}

function damaged(object: JsonObject, damages: readonly Damage[]): JsonObject {
  return damages.reduce<JsonObject>((result, { where, value }) => {
    const paths = pathsOf(result.spec, ["spec"]).toSorted((a, b) => (String(a) < String(b) ? -1 : 1));
    const path = paths[where % paths.length] ?? ["spec"];
    return withValue(result, path, value) as JsonObject;
  }, object);
}

/** Arrays pass for texts that have a format on Kubernetes; see the topic in `docs/differences.md`. */
const isDocumented = (embedded: JsonValue | undefined): boolean =>
  /must be of type \S+: \\"array\\"/.test(stringifyJson(embedded ?? null));

const damages = fc.array(damage, { minLength: 1, maxLength: 2 });

async function expectAgreement(
  both: readonly ApiServer[],
  ask: (server: ApiServer) => Promise<Answer>,
  applied: readonly Damage[],
): Promise<void> {
  const { embedded, found } = await answersOf(both, ask);
  if (isDocumented(embedded)) return;
  expect(found, stringifyJson(applied as unknown as JsonValue)).toEqual([]);
}

test("a new object with random damage is answered alike", { timeout: 600_000 }, async () => {
  const { both, namespace } = await inNamespaceOfBoth();
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...stored), damages, async (object, applied) => {
      const path = `${objectPath(object, namespace)}?dryRun=All`;
      await expectAgreement(both, (server) => server.call("POST", path, damaged(object, applied)), applied);
    }),
    RANDOM,
  );
});

test("an update with random damage is answered alike", { timeout: 600_000 }, async () => {
  const { both, namespace } = await inNamespaceOfBoth();
  const named = stored.filter(({ metadata }) => (metadata as JsonObject).name !== undefined);
  for (const object of named)
    for (const server of both) await server.call("POST", objectPath(object, namespace), object);
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...named), damages, async (object, applied) => {
      const path = `${objectPath(object, namespace)}/${(object.metadata as JsonObject).name}`;
      const replace = async (server: ApiServer): Promise<Answer> => {
        const current = (await server.call("GET", path)).body as JsonObject;
        return server.call("PUT", `${path}?dryRun=All`, damaged(current, applied));
      };
      await expectAgreement(both, replace, applied);
    }),
    RANDOM,
  );
});
