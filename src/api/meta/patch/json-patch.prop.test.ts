import fc from "fast-check";
import jsonpatch from "fast-json-patch";
import { describe, expect, it } from "vitest";
import { deepEqual } from "../equality.ts";
import { isJsonObject, type JsonValue, parseJson, stringifyJson } from "../json.ts";
import { applyJsonPatch, diffJson, JsonPatchError, type JsonPatchOperation } from "./json-patch.ts";
import { applyMergePatch } from "./merge-patch.ts";

const key = fc.constantFrom("a", "b", "~", "/", "", "0", "long-name");
const scalar = fc.oneof(fc.integer({ min: -3, max: 3 }), fc.boolean(), fc.constant(null), fc.string({ maxLength: 3 }));
const { value: json } = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    scalar,
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(key, tie("value"), { maxKeys: 4, noNullPrototype: true }),
  ),
}));
const exact = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom("a", "b", "__proto__", "constructor"), tie("value"), { maxKeys: 3 }),
  ),
})).value;

const pointer = fc
  .array(fc.constantFrom("a", "b", "~0", "~1", "", "0", "1", "2", "-", "long-name"), { maxLength: 3 })
  .map((tokens) => tokens.map((token) => `/${token}`).join(""));
const operation: fc.Arbitrary<JsonPatchOperation> = fc.oneof(
  fc.record({ op: fc.constantFrom("add", "replace", "test"), path: pointer, value: json }),
  fc.record({ op: fc.constant("remove" as const), path: pointer }),
  fc.record({ op: fc.constantFrom("move", "copy"), from: pointer, path: pointer }),
);

type OraclePatch = Parameters<typeof jsonpatch.applyPatch>[1];
type Move = Extract<JsonPatchOperation, { from: string }>;

function asAddition(document: JsonValue, { op, from, path }: Move): JsonPatchOperation[] {
  // The oracle finds letters in a text by their positions.
  const isInText = typeof parentOf(document, from) === "string";
  const value = isInText ? undefined : (jsonpatch.getValueByPointer(document, from) as JsonValue | undefined);
  if (value === undefined) throw new Error("there is nothing to move or copy");
  return [...(op === "move" ? [{ op: "remove" as const, path: from }] : []), { op: "add", path, value }];
}

const parentOf = (document: JsonValue, path: string): unknown =>
  jsonpatch.getValueByPointer(document, path.replace(/\/[^/]*$/, ""));

/** Kubernetes lets `replace` make a member of an object that is not there. */
function withoutAbsence(document: JsonValue, operation: JsonPatchOperation): JsonPatchOperation {
  if (operation.op !== "replace") return operation;
  return isJsonObject(parentOf(document, operation.path)) ? { ...operation, op: "add" } : operation;
}

describe("diffJson and applyJsonPatch", () => {
  it("apply(a, diff(a, b)) is b", () => {
    fc.assert(fc.property(json, json, (a, b) => deepEqual(applyJsonPatch(a, diffJson(a, b)), b)));
  });

  it("hold for 64-bit integers and prototype names, through the wire", () => {
    fc.assert(
      fc.property(exact, exact, (a, b) => {
        const wire = parseJson(stringifyJson(diffJson(a, b))) as unknown as JsonPatchOperation[];
        return stringifyJson(applyJsonPatch(a, wire)) === stringifyJson(b) || deepEqual(applyJsonPatch(a, wire), b);
      }),
    );
  });

  it("never mutate what they were given", () => {
    fc.assert(
      fc.property(json, fc.array(operation, { maxLength: 4 }), (document, operations) => {
        const before = JSON.stringify([document, operations]);
        try {
          applyJsonPatch(document, operations);
        } catch (error) {
          expect(error).toBeInstanceOf(JsonPatchError);
        }
        expect(JSON.stringify([document, operations])).toBe(before);
      }),
    );
  });

  it("agree with an independent implementation on single operations", () => {
    let applied = 0;
    fc.assert(
      fc.property(json, operation, (document, each) => {
        // The oracle takes scalars and the root otherwise, reads an empty token as index 0 and lets `-` name an item.
        const from = "from" in each ? each.from : "/a";
        fc.pre(typeof document === "object" && document !== null);
        fc.pre(![from, each.path].some((path) => path === "" || /\/(\/|$)/.test(path)));
        fc.pre(!`${from}/`.includes("/-/") && (each.op === "add" || !each.path.includes("-")));
        fc.pre(each.op !== "move" || !`${each.path}/`.startsWith(`${from}/`));
        let ours: JsonValue | undefined;
        let theirs: JsonValue | undefined;
        try {
          ours = applyJsonPatch(document, [each]);
        } catch (error) {
          expect(error).toBeInstanceOf(JsonPatchError);
        }
        try {
          // It checks a move's target before the source is gone, and a copy's not at all; RFC 6902 says (remove, then) add.
          const patch = "from" in each ? asAddition(document, each) : [withoutAbsence(document, each)];
          theirs = jsonpatch.applyPatch(structuredClone(document), structuredClone(patch) as OraclePatch, true)
            .newDocument as JsonValue;
        } catch {
          theirs = undefined;
        }
        expect(ours).toEqual(theirs);
        if (ours !== undefined) applied++;
      }),
      { numRuns: 2000 },
    );
    expect(applied).toBeGreaterThan(50);
  });
});

describe("applyMergePatch", () => {
  it("leaves no null behind and keeps the rest", () => {
    expect(applyMergePatch({ a: "b", c: { d: "e", f: "g" } }, { a: "z", c: { f: null } })).toEqual({
      a: "z",
      c: { d: "e" },
    });
    expect(applyMergePatch({ a: [1] }, { a: { b: null, c: 1 } })).toEqual({ a: { c: 1 } });
    expect(applyMergePatch(null, { a: { b: { c: null } } })).toEqual({ a: { b: {} } });
    expect(applyMergePatch({ a: 1 }, ["c"])).toEqual(["c"]);
  });

  it("returns the very target when nothing changes, and shares what does not", () => {
    const target = { a: { b: 1 }, c: {} };
    expect(applyMergePatch(target, { a: { b: 1, x: null } })).toBe(target);
    expect((applyMergePatch(target, { c: { d: 1 } }) as typeof target).a).toBe(target.a);
  });

  it("treats __proto__ as a plain key", () => {
    const merged = applyMergePatch({}, parseJson('{"__proto__":{"polluted":true}}'));
    expect(Object.keys(merged as object)).toEqual(["__proto__"]);
    expect(Object.getPrototypeOf(merged)).toBe(Object.prototype);
  });

  it("is idempotent", () => {
    fc.assert(
      fc.property(json, json, (target, patch) => {
        const once = applyMergePatch(target, patch);
        expect(applyMergePatch(once, patch)).toEqual(once);
      }),
    );
  });
});
