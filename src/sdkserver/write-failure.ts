/** What a failed write of a GameServer means for what waited to be written. */
import { StatusError } from "#api/meta/status.ts";
import { NO_CHANGES, type PendingChanges } from "./decide-write.ts";

export type Verdict =
  /** The object does not exist any more. */
  | { readonly type: "gone" }
  /** Another wrote first: nothing was changed. */
  | { readonly type: "lost-race" }
  /** The API will never take these changes. */
  | { readonly type: "refused"; readonly dropped: PendingChanges }
  /** Nobody knows whether the write took effect. */
  | { readonly type: "unsure" }
  /** It did not take effect, and may later. */
  | { readonly type: "failed" };

export function judgeFailure(error: unknown, changes: PendingChanges): Verdict {
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
function namedBy(error: StatusError, changes: PendingChanges): PendingChanges {
  const fields = fieldsOf(error);
  const names = (path: string): boolean =>
    fields.some((field) => field === path || field.startsWith(`${path}[`) || field.startsWith(`${path}.`));
  const dropped: PendingChanges = {
    ...(names("status") && changes.state && { state: changes.state }),
    labels: names("metadata.labels") ? changes.labels : NO_CHANGES.labels,
    annotations: names("metadata.annotations") ? changes.annotations : NO_CHANGES.annotations,
  };
  const some = dropped.state || Object.keys({ ...dropped.labels, ...dropped.annotations }).length;
  return some ? dropped : changes;
}
