import { isJsonObject, type JsonValue } from "#api/meta/json.ts";
import { type Status, StatusError, type StatusReason, statusError } from "#api/meta/status.ts";

const reasons: Readonly<Record<number, StatusReason>> = {
  400: "BadRequest",
  401: "Unauthorized",
  403: "Forbidden",
  404: "NotFound",
  405: "MethodNotAllowed",
  406: "NotAcceptable",
  409: "Conflict",
  410: "Gone",
  413: "RequestEntityTooLarge",
  415: "UnsupportedMediaType",
  422: "Invalid",
  429: "TooManyRequests",
  500: "InternalError",
  503: "ServiceUnavailable",
  504: "Timeout",
};

/** The error of an answer of 400 and above: its `Status` body, or one made from the code where something else answered. */
export function refusal(code: number, body: JsonValue | undefined): StatusError {
  if (isStatus(body)) return new StatusError(body);
  return statusError(reasons[code] ?? "Unknown", `the server answered ${code} without a Status`, undefined, code);
}

function isStatus(value: unknown): value is Status {
  return isJsonObject(value) && value.kind === "Status" && typeof value.code === "number";
}
