/** `resourceVersion` and `resourceVersionMatch` of reads. */
import { type FieldError, forbidden, invalid, notSupported } from "#api/meta/field.ts";
import { badRequest, invalidObject, statusError } from "#api/meta/status.ts";

export type VersionMatch = "Exact" | "NotOlderThan";

export interface WantedVersion {
  /** 0: any version will do. */
  readonly revision: number;
  readonly match?: VersionMatch;
}

/** `undefined`: the newest. Throws BadRequest on a version that is no number, Invalid on a combination without sense. */
export function wantedVersion(query: URLSearchParams): WantedVersion | undefined {
  const text = query.get("resourceVersion") ?? "";
  const match = query.get("resourceVersionMatch") ?? "";
  const refuse = (fault: FieldError) => invalidObject("meta.k8s.io", "ListOptions", "", [fault]);
  if (match !== "" && match !== "Exact" && match !== "NotOlderThan")
    throw refuse(notSupported("resourceVersionMatch", match, ["Exact", "NotOlderThan", ""]));
  if (match !== "" && text === "" && query.get("sendInitialEvents") === null)
    throw refuse(
      forbidden("resourceVersionMatch", "resourceVersionMatch is forbidden unless resourceVersion is provided"),
    );
  if (match === "Exact" && text === "0")
    throw refuse(
      forbidden("resourceVersionMatch", 'resourceVersionMatch "exact" is forbidden for resourceVersion "0"'),
    );
  if (match !== "" && query.get("continue"))
    throw refuse(forbidden("resourceVersionMatch", "resourceVersionMatch is forbidden when continue is provided"));
  if (text === "") return undefined;
  if (!/^\d{1,15}$/.test(text)) {
    if (/^\d+$/.test(text)) throw refuse(invalid("resourceVersion", text, "is larger than any version"));
    const why = `strconv.ParseUint: parsing ${JSON.stringify(text)}: invalid syntax`;
    throw badRequest(`invalid resource version: resourceVersion: Invalid value: ${JSON.stringify(text)}: ${why}`);
  }
  return { revision: Number(text), match: match === "" ? undefined : match };
}

/** Refuses a version that does not exist yet, so that the client tries again. */
export function checkNotAhead(wanted: number, current: number): void {
  if (wanted <= current) return;
  throw statusError("Timeout", `Too large resource version: ${wanted}, current: ${current}`, {
    causes: [{ reason: "ResourceVersionTooLarge", message: "Too large resource version" }],
    retryAfterSeconds: 1,
  });
}

export const expired = (message: string) => statusError("Expired", message);
