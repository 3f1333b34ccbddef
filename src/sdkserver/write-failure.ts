/** What a failed write of a GameServer means for what waited to be written. */
import { StatusError } from "#api/meta/status.ts";
import type { Change } from "./decide-write.ts";

export type Verdict =
  /** The object does not exist any more. */
  | { readonly type: "gone" }
  /** Another wrote first: nothing was changed. */
  | { readonly type: "lost-race" }
  /** The API will never take these changes. */
  | { readonly type: "refused"; readonly dropped: readonly Change[] }
  /** Nobody knows whether the write took effect. */
  | { readonly type: "unsure" }
  /** It did not take effect, and may later. */
  | { readonly type: "failed" };

export function judgeFailure(error: unknown, changes: readonly Change[]): Verdict {
  if (!(error instanceof StatusError)) return { type: "unsure" };
  switch (error.code) {
    case "NotFound":
    case "Gone":
      return { type: "gone" };
    case "Conflict":
      return { type: "lost-race" };
    // A failed `test` of the patch is Invalid too, without a cause that names a field.
    case "Invalid":
      return fieldsOf(error).length ? { type: "refused", dropped: namedBy(error, changes) } : { type: "lost-race" };
    case "BadRequest":
      return { type: "refused", dropped: changes };
    case "RequestEntityTooLarge":
      return { type: "refused", dropped: orAll(changes.filter(takesRoom), changes) };
    case "Unauthorized":
    case "Forbidden":
    case "TooManyRequests":
      return { type: "failed" };
    default:
      return { type: "unsure" };
  }
}

const fieldsOf = (error: StatusError): readonly string[] =>
  (error.status.details?.causes ?? []).flatMap(({ field }) => (field ? [field] : []));

/** The changes that the refusal names; all of them when it names none. */
function namedBy(error: StatusError, changes: readonly Change[]): readonly Change[] {
  const fields = fieldsOf(error);
  const named = changes.filter((change) =>
    writtenAt(change).some((path) => fields.some((field) => isWithin(field, path))),
  );
  return orAll(named, changes);
}

const orAll = (some: readonly Change[], all: readonly Change[]): readonly Change[] => (some.length > 0 ? some : all);

function writtenAt(change: Change): readonly string[] {
  switch (change.type) {
    case "state":
      return ["status.state", "status.reservedUntil"];
    case "label":
      return ["metadata.labels"];
    case "annotation":
      return ["metadata.annotations"];
    case "counter":
      return [`status.counters.${change.key}`, `status.counters[${change.key}]`];
    case "list":
      return [`status.lists.${change.key}`, `status.lists[${change.key}]`];
    case "players":
      return ["status.players"];
  }
}

const takesRoom = ({ type }: Change): boolean => type !== "state" && type !== "counter";

const isWithin = (field: string, path: string): boolean =>
  field === path || field.startsWith(`${path}[`) || field.startsWith(`${path}.`);
