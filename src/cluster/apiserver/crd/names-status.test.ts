import { expect, test } from "vitest";
import type { JsonObject } from "#api/meta/json.ts";
import { isEstablished } from "./crd-strategy.ts";
import { withNamesStatus } from "./names-status.ts";

const first = "2030-01-01T00:00:00Z";
const later = "2030-01-02T00:00:00Z";

function definition(plural: string, kind: string, shortNames: readonly string[] = []): JsonObject {
  const names = { plural, singular: kind.toLowerCase(), kind, listKind: `${kind}List`, shortNames };
  const metadata = { name: `${plural}.example.com` };
  return { metadata, spec: { group: "example.com", names, versions: [{ name: "v1", served: true, storage: true }] } };
}

const things = withNamesStatus(definition("things", "Thing", ["th"]), [], first);
const conditions = (of: JsonObject) =>
  ((of.status as JsonObject).conditions as JsonObject[]).map(
    ({ type, status, reason, message, lastTransitionTime }) =>
      `${type} ${status} ${reason} ${lastTransitionTime}: ${message}`,
  );

test("free names are accepted, and the definition is established", () => {
  expect(things.status).toMatchObject({
    acceptedNames: { plural: "things", singular: "thing", kind: "Thing", listKind: "ThingList", shortNames: ["th"] },
    storedVersions: ["v1"],
  });
  expect(conditions(things)).toEqual([
    `NamesAccepted True NoConflicts ${first}: no conflicts found`,
    `Established True InitialNamesAccepted ${first}: the initial names have been accepted`,
  ]);
  expect(isEstablished(things)).toBe(true);
});

test("a status that says it already is left alone", () => {
  expect(withNamesStatus(things, [things], later)).toBe(things);
});

test("a name that another definition of the group holds is not accepted", () => {
  const clash = withNamesStatus(definition("others", "Thing", ["th", "o"]), [things], first);
  expect(conditions(clash)).toEqual([
    `NamesAccepted False ListKindConflict ${first}: "ThingList" is already in use`,
    `Established False NotAccepted ${first}: not all names are accepted`,
  ]);
  expect((clash.status as JsonObject).acceptedNames).toEqual({ plural: "others" });
  const free = withNamesStatus(clash, [], later);
  expect(isEstablished(free)).toBe(true);
  expect(conditions(free)[0]).toBe(`NamesAccepted True NoConflicts ${later}: no conflicts found`);
});

test("what is established stays so, with the names it had", () => {
  const { spec } = definition("things", "Thing", ["o"]);
  const other = withNamesStatus(definition("others", "Other", ["o"]), [], first);
  const renamed = withNamesStatus({ ...things, spec }, [other], later);
  expect((renamed.status as JsonObject).acceptedNames).toMatchObject({ shortNames: ["th"] });
  expect(conditions(renamed)).toEqual([
    `NamesAccepted False ShortNamesConflict ${later}: "o" is already in use`,
    `Established True InitialNamesAccepted ${first}: the initial names have been accepted`,
  ]);
});

test("a new storage version joins the stored ones", () => {
  const versions = [{ name: "v1" }, { name: "v2", storage: true }];
  const { storedVersions } = withNamesStatus(
    { ...things, spec: { ...(things.spec as JsonObject), versions } },
    [],
    later,
  ).status as JsonObject;
  expect(storedVersions).toEqual(["v1", "v2"]);
});
