/** The Kubernetes `Status` answer, and the one error class that carries it through the program. */
import type { FieldError } from "./field.ts";
import { quoted } from "./quote.ts";

export type StatusReason =
  | "BadRequest"
  | "Unauthorized"
  | "Forbidden"
  | "NotFound"
  | "AlreadyExists"
  | "Conflict"
  | "Gone"
  | "Expired"
  | "Invalid"
  | "Timeout"
  | "TooManyRequests"
  | "MethodNotAllowed"
  | "NotAcceptable"
  | "RequestEntityTooLarge"
  | "UnsupportedMediaType"
  | "InternalError"
  | "ServiceUnavailable"
  | "Unknown";

export interface StatusCause {
  readonly reason?: string;
  readonly message?: string;
  readonly field?: string;
}

export interface StatusDetails {
  readonly name?: string;
  readonly group?: string;
  readonly kind?: string;
  readonly uid?: string;
  readonly causes?: readonly StatusCause[];
  readonly retryAfterSeconds?: number;
}

export interface Status {
  readonly kind: "Status";
  readonly apiVersion: "v1";
  readonly metadata: Record<string, never>;
  readonly status: "Success" | "Failure";
  readonly message?: string;
  readonly reason?: StatusReason;
  readonly details?: StatusDetails;
  readonly code: number;
}

const codes: Record<StatusReason, number> = {
  BadRequest: 400,
  Unauthorized: 401,
  Forbidden: 403,
  NotFound: 404,
  AlreadyExists: 409,
  Conflict: 409,
  Gone: 410,
  Expired: 410,
  Invalid: 422,
  Timeout: 504,
  TooManyRequests: 429,
  MethodNotAllowed: 405,
  NotAcceptable: 406,
  RequestEntityTooLarge: 413,
  UnsupportedMediaType: 415,
  InternalError: 500,
  ServiceUnavailable: 503,
  Unknown: 500,
};

/** A refusal by an API server, ours or a real one. `code` is the status reason; `status` is the answer as sent. */
export class StatusError extends Error {
  override readonly name = "StatusError";
  readonly code: StatusReason;
  readonly status: Status;

  constructor(status: Status, options?: ErrorOptions) {
    super(status.message ?? status.reason ?? "unknown error", options);
    this.status = status;
    this.code = status.reason ?? "Unknown";
  }
}

/** Names the resource in a message: `gameservers.agones.dev` or, in the core group, `pods`. */
export function qualify(group: string, name: string): string {
  return group ? `${name}.${group}` : name;
}

export function statusError(
  reason: StatusReason,
  message: string,
  details?: StatusDetails,
  code = codes[reason],
): StatusError {
  return new StatusError({
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message,
    reason,
    ...(details && { details }),
    code,
  });
}

export const notFound = (group: string, resource: string, name: string): StatusError =>
  statusError("NotFound", `${qualify(group, resource)} ${quoted(name)} not found`, {
    name,
    ...(group && { group }),
    kind: resource,
  });

export const alreadyExists = (group: string, resource: string, name: string): StatusError =>
  statusError("AlreadyExists", `${qualify(group, resource)} ${quoted(name)} already exists`, {
    name,
    ...(group && { group }),
    kind: resource,
  });

export const conflict = (group: string, resource: string, name: string, why: string): StatusError =>
  statusError("Conflict", `Operation cannot be fulfilled on ${qualify(group, resource)} ${quoted(name)}: ${why}`, {
    name,
    ...(group && { group }),
    kind: resource,
  });

/** The text of an update that lost the race for the newest version. */
export const staleVersion =
  "the object has been modified; please apply your changes to the latest version and try again";

export const badRequest = (message: string): StatusError => statusError("BadRequest", message);

/** Faults of one object that are told; nobody reads more, and a hostile object would make an answer of many megabytes. */
const MOST_TOLD = 100;

/** 422 with one cause a fault; the message joins them as Kubernetes does (duplicates once). Of very many the first 100 and a count. */
export function invalidObject(group: string, kind: string, name: string, faults: readonly FieldError[]): StatusError {
  const errors = faults.slice(0, MOST_TOLD);
  const texts = [...new Set(errors.map((error) => `${error.field}: ${error.body}`))];
  if (faults.length > MOST_TOLD) texts.push(`and ${faults.length - MOST_TOLD} more`);
  const joined = texts.length === 1 ? texts[0] : `[${texts.join(", ")}]`;
  return statusError("Invalid", `${qualify(group, kind)} ${quoted(name)} is invalid: ${joined}`, {
    ...(name && { name }),
    ...(group && { group }),
    ...(kind && { kind }),
    causes: errors.map(({ field, reason, body }) => ({ reason, message: body, field })),
  });
}

const hasReason =
  (...reasons: StatusReason[]) =>
  (error: unknown): error is StatusError =>
    error instanceof StatusError && reasons.includes(error.code);

export const isNotFound = hasReason("NotFound");
export const isAlreadyExists = hasReason("AlreadyExists");
export const isConflict = hasReason("Conflict");
export const isExpired = hasReason("Gone", "Expired");
export const isInvalid = hasReason("Invalid");
export const isForbidden = hasReason("Forbidden");
export const isUnavailable = hasReason("ServiceUnavailable");

/** A definite no: nothing was written, nor will be. After any other error nobody knows what became of the write. */
export const isRefusal = (error: unknown): error is StatusError =>
  error instanceof StatusError && error.status.code < 500;
