/** The status of a CustomResourceDefinition: which of its names are accepted, and whether it is served. */
import { isJsonObject, type JsonObject, type JsonValue } from "#api/meta/json.ts";
import { objectAt, objectsAt, textAt } from "../resources/object-fields.ts";
import { withStoredVersion } from "./crd-strategy.ts";
import { groupOf, namesOf, textsOf } from "./definition.ts";

/**
 * The definition with its status brought up to date: `acceptedNames`, the conditions `NamesAccepted` and `Established`, and
 * `storedVersions`. `others` are all other definitions; a name that one of them in the same group holds is not accepted.
 * `now`: an RFC 3339 time, for conditions that change. The same object when the status already says all that.
 */
export function withNamesStatus(definition: JsonObject, others: readonly JsonObject[], now: string): JsonObject {
  const stored = withStoredVersion(definition);
  const status = objectAt(stored, "status");
  const { names, conflict } = acceptNames(stored, others);
  const accepted = conflict === undefined;
  const wasEstablished = objectsAt(status, "conditions").some(
    ({ type, status: state }) => type === "Established" && state === "True",
  );
  const conditions = [
    accepted
      ? condition("NamesAccepted", true, "NoConflicts", "no conflicts found")
      : condition("NamesAccepted", false, conflict.reason, conflict.message),
    // Once established a definition stays so: its objects may be in use.
    accepted || wasEstablished
      ? condition("Established", true, "InitialNamesAccepted", "the initial names have been accepted")
      : condition("Established", false, "NotAccepted", "not all names are accepted"),
  ];
  const merged = mergeConditions(objectsAt(status, "conditions"), conditions, now);
  const next = { ...status, acceptedNames: names, conditions: merged };
  return JSON.stringify(next) === JSON.stringify(status) ? stored : { ...stored, status: next };
}

interface Conflict {
  readonly reason: string;
  readonly message: string;
}

/** Each name is accepted by itself; a name that is taken keeps what was accepted before. The last conflict is told. */
function acceptNames(
  definition: JsonObject,
  others: readonly JsonObject[],
): { readonly names: JsonObject; readonly conflict: Conflict | undefined } {
  const wanted = namesOf(definition);
  const before = objectAt(objectAt(definition, "status"), "acceptedNames");
  const taken = namesTaken(definition, others);
  const names: { [name: string]: JsonValue | undefined } = { ...before };
  let conflict: Conflict | undefined;
  const accept = (name: string, used: ReadonlySet<string>) => {
    const text = textAt(wanted, name);
    if (text === textAt(before, name) || !used.has(text)) names[name] = wanted[name];
    else {
      const reason = `${name.charAt(0).toUpperCase()}${name.slice(1)}Conflict`;
      conflict = { reason, message: `${JSON.stringify(text)} is already in use` };
    }
  };
  accept("plural", taken.resources);
  accept("singular", taken.resources);
  const short = textsOf(wanted.shortNames).filter((name) => taken.resources.has(name));
  const mine = new Set(textsOf(before.shortNames));
  const clashing = short.filter((name) => !mine.has(name));
  if (clashing.length === 0) names.shortNames = wanted.shortNames;
  else {
    const texts = clashing.map((name) => `${JSON.stringify(name)} is already in use`);
    conflict = {
      reason: "ShortNamesConflict",
      message: texts.length === 1 ? (texts[0] ?? "") : `[${texts.join(", ")}]`,
    };
  }
  accept("kind", taken.kinds);
  accept("listKind", taken.kinds);
  names.categories = wanted.categories;
  return { names: Object.fromEntries(Object.entries(names).filter(([, value]) => value !== undefined)), conflict };
}

function namesTaken(definition: JsonObject, others: readonly JsonObject[]) {
  const resources = new Set<string>();
  const kinds = new Set<string>();
  for (const other of others) {
    const sameObject = textAt(other, "metadata", "name") === textAt(definition, "metadata", "name");
    if (sameObject || groupOf(other) !== groupOf(definition)) continue;
    const accepted = objectAt(objectAt(other, "status"), "acceptedNames");
    for (const name of [textAt(accepted, "plural"), textAt(accepted, "singular"), ...textsOf(accepted.shortNames)]) {
      resources.add(name);
    }
    for (const name of ["kind", "listKind"]) kinds.add(textAt(accepted, name));
  }
  return { resources, kinds };
}

const condition = (type: string, holds: boolean, reason: string, message: string): JsonObject => ({
  type,
  status: holds ? "True" : "False",
  reason,
  message,
});

/** Keeps other conditions, and the transition time of those whose status stays. */
function mergeConditions(
  before: readonly JsonObject[],
  own: readonly JsonObject[],
  now: string,
): readonly JsonObject[] {
  const types = new Set(own.map(({ type }) => type));
  const timed = own.map((each) => {
    const old = before.find(({ type, status }) => type === each.type && status === each.status);
    const { type, status, ...why } = each;
    return { type, status, lastTransitionTime: old?.lastTransitionTime ?? now, ...why } as JsonObject;
  });
  return [...timed, ...before.filter((each) => isJsonObject(each) && !types.has(each.type))];
}
