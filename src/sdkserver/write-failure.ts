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
    case "RequestEntityTooLarge":
      return { type: "refused", dropped: changes };
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

/** The kinds of change that the refusal names; all of them when it names none. */
function namedBy(error: StatusError, changes: readonly Change[]): readonly Change[] {
  const fields = fieldsOf(error);
  const dropped = changes.filter(({ type }) => fields.some((field) => isWithin(field, WRITTEN_AT[type])));
  return dropped.length > 0 ? dropped : changes;
}

const WRITTEN_AT: Readonly<Record<Change["type"], string>> = {
  state: "status",
  label: "metadata.labels",
  annotation: "metadata.annotations",
};

const isWithin = (field: string, path: string): boolean =>
  field === path || field.startsWith(`${path}[`) || field.startsWith(`${path}.`);
