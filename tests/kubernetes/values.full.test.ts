/** Quantities, times, selectors, shares, names and numbers made up at random: both servers read each of them alike. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { type JsonObject, type JsonValue, stringifyJson } from "#api/meta/json.ts";
import { inNamespaceOfBoth } from "./agreement/agree.ts";
import { objectPath } from "./agreement/api-server.ts";
import { AGONES, fleet, fleetAutoscaler, gameServer } from "./agreement/objects.ts";
import { answersOf, RANDOM } from "./agreement/random.ts";

const text = (...parts: readonly fc.Arbitrary<string>[]): fc.Arbitrary<string> =>
  fc.tuple(...parts).map((all) => all.join(""));
const one = (...words: readonly string[]): fc.Arbitrary<string> => fc.constantFrom(...words);
const digits = fc.string({ unit: one("0", "0", "1", "5", "9"), minLength: 1, maxLength: 22 });

const wholes = one("0", "1", "1024", "9223372036854775807", "9223372036854775808");
const fractions = fc.oneof(one("", "", ".", ".5", ".000"), text(one("."), digits));
const suffixes = one(..." n u m k M G T P E Ki Mi Gi Ti Pi Ei e3 E3 e-3 e K mi".split(" "), " ");
const quantities = text(one("", "", "", "-", "+"), fc.oneof(digits, wholes, one("")), fractions, suffixes);

const clocks = text(one("00", "23", "24", "7"), one(":00", ":59", ":60"), one(":00", ":59", ":60", ":5"));
const offsets = one("Z", "z", "+00:00", "+14:00", "-23:59", "+24:00", "+0100", "", "+23:60", "+25:00");
const times = text(
  one("2028", "2030", "0001", "9999", "12030"),
  one("-01", "-02", "-12", "-13", "-1"),
  one("-01", "-28", "-29", "-30", "-31", "-00"),
  one("T", "T", "T", "t", " "),
  clocks,
  one("", "", ".1", ".123456789012", "."),
  offsets,
);

const keys = one("a", "b", "x/y", "example.com/a", "A", "-a", "a b", "in", "notin", "", "a".repeat(64), "é", "!a");
const values = one("1", "b", "", "B-1", "_", "a b", "-5", "y".repeat(64), "in", "é", "5", "1.5", "9223372036854775808");
const space = one("", "", "", " ", "\t");
const comparison = text(keys, space, one("=", "==", "!=", "=!", "<", ">", "==="), space, values);
const set = fc
  .tuple(
    keys,
    one("in", "notin", "In"),
    one("(", "(", "(", ""),
    fc.array(text(space, values, space), { maxLength: 4 }),
    one(")", ")", ")", ""),
  )
  .map(([key, operator, open, all, close]) => `${key} ${operator} ${open}${all.join(",")}${close}`);
const joined = (terms: fc.Arbitrary<string>, ...between: readonly string[]) =>
  fc.tuple(fc.array(terms, { minLength: 1, maxLength: 3 }), one(...between)).map(([all, by]) => all.join(by));
const labelSelectors = joined(fc.oneof(keys, text(one("!"), space, keys), comparison, set), ",", ", ", " ,", " ");
const fieldTerms = text(
  one("metadata.name", "metadata.namespace", "a", "", "spec.x"),
  one("=", "==", "!=", "", "=!", "<"),
  one("s1", "", "b\\,c", "b\\\\", "x=y", "\\x", "a b", "\\"),
);
const fieldSelectors = joined(fieldTerms, ",", ",,");

const shares: fc.Arbitrary<JsonValue> = fc.oneof(
  fc.constantFrom<JsonValue>(0, 1, -1, 100, 2147483647, 2147483648, 1.5, true, null, [], {}),
  text(
    one("", "+", "-", " "),
    one("5", "05", "1e1", "5.5", "99", "100", "99999999999", "٥", ""),
    one("%", "", "%%", " %"),
  ),
);
/** What shows itself in strange ways, and what does not. */
const strange = fc.string({
  unit: one(...'aB-_./ é😀<&>"\\', "\0", "\t", "\u007f", "\u0085", "\u200b", "\u2028", "\ufeff"),
  maxLength: 8,
});

async function hold<T>(inputs: fc.Arbitrary<T>, requests: (input: T) => readonly JsonObject[]): Promise<void> {
  const { both, namespace } = await inNamespaceOfBoth();
  await fc.assert(
    fc.asyncProperty(inputs, async (input) => {
      for (const body of requests(input)) {
        const { found } = await answersOf(both, (server) =>
          server.call("POST", `${objectPath(body, namespace)}?dryRun=All`, body),
        );
        expect(found, stringifyJson(body)).toEqual([]);
      }
    }),
    RANDOM,
  );
}

const limited = (resources: JsonObject) => ({
  template: { spec: { containers: [{ name: "duel", image: "i", resources }] } },
});
const buffer = { type: "Buffer", buffer: { bufferSize: 1, maxReplicas: 2 } };

test("quantities", { timeout: 600_000 }, () =>
  hold(fc.tuple(quantities, quantities), ([cpu, memory]) => [
    gameServer(limited({ limits: { cpu, memory }, requests: { cpu: memory } })),
    fleet({ template: { spec: limited({ limits: { cpu } }) } }),
  ]),
);

test("times", { timeout: 600_000 }, () =>
  hold(times, (time) => [
    { ...gameServer(), status: { reservedUntil: time } },
    fleetAutoscaler({ type: "Schedule", schedule: { between: { start: time }, policy: buffer } }),
  ]),
);

test("shares", { timeout: 600_000 }, () =>
  hold(fc.tuple(shares, shares), ([share, other]) => [
    fleet({ strategy: { rollingUpdate: { maxSurge: share, maxUnavailable: other } } }),
    fleetAutoscaler({ type: "Buffer", buffer: { bufferSize: share, maxReplicas: 20, minReplicas: 2 } }),
    fleetAutoscaler({ type: "Counter", counter: { key: "rounds", bufferSize: share, maxCapacity: 20 } }),
    gameServer({
      template: { spec: { containers: [{ name: "duel", image: "i", livenessProbe: { httpGet: { port: share } } }] } },
    }),
  ]),
);

test("texts", { timeout: 600_000 }, () =>
  hold(strange, (word) => [
    gameServer({}, { name: word || "duel", labels: { a: word, [word]: "a" }, annotations: { [word]: word } }),
    gameServer({ container: word, ports: [{ container: word, containerPort: 7, portPolicy: word }] }),
    gameServer({
      template: { metadata: { labels: { [word]: word } }, spec: { containers: [{ name: "a" }, { name: "b" }] } },
    }),
    gameServer({ counters: { [word]: { count: -1 } }, lists: { [word]: { values: [word, word] } } }),
    fleet({ scheduling: word, strategy: { type: word } }),
    {
      apiVersion: "allocation.agones.dev/v1",
      kind: "GameServerAllocation",
      metadata: {},
      spec: {
        selectors: [{ gameServerState: word, matchExpressions: [{ key: word, operator: word, values: [word] }] }],
      },
    },
  ]),
);

test("selectors", { timeout: 600_000 }, async () => {
  const { both, namespace } = await inNamespaceOfBoth();
  const path = AGONES.replace("/NS", `/${namespace}`);
  const labels: readonly JsonObject[] = [
    {},
    { a: "1" },
    { a: "", b: "1" },
    { "x/y": "b", in: "1" },
    { a: "5", A: "1" },
    { a: "10" },
  ];
  for (const [position, each] of labels.entries())
    for (const server of both)
      await server.call("POST", `${path}/gameservers`, gameServer({}, { name: `s${position}`, labels: each }));
  const queries = fc.oneof(
    labelSelectors.map((selector) => `labelSelector=${encodeURIComponent(selector)}`),
    fieldSelectors.map((selector) => `fieldSelector=${encodeURIComponent(selector)}`),
  );
  await fc.assert(
    fc.asyncProperty(queries, async (query) => {
      const { found } = await answersOf(both, (server) => server.call("GET", `${path}/gameservers?${query}`));
      expect(found, decodeURIComponent(query)).toEqual([]);
    }),
    RANDOM,
  );
});
