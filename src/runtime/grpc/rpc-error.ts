/** The status codes of gRPC, and the one error class that carries them through both doors. */

/** Code numbers on the wire (grpc.io, "Status codes and their use in gRPC"), under the names the field uses in texts. */
export const RPC_CODES = {
  OK: 0,
  Canceled: 1,
  Unknown: 2,
  InvalidArgument: 3,
  DeadlineExceeded: 4,
  NotFound: 5,
  AlreadyExists: 6,
  PermissionDenied: 7,
  ResourceExhausted: 8,
  FailedPrecondition: 9,
  Aborted: 10,
  OutOfRange: 11,
  Unimplemented: 12,
  Internal: 13,
  Unavailable: 14,
  DataLoss: 15,
  Unauthenticated: 16,
} as const;

export type RpcCode = Exclude<keyof typeof RPC_CODES, "OK">;

/** HTTP status of each code, as grpc-gateway maps them. */
export const HTTP_STATUS: Readonly<Record<RpcCode, number>> = {
  Canceled: 499,
  Unknown: 500,
  InvalidArgument: 400,
  DeadlineExceeded: 504,
  NotFound: 404,
  AlreadyExists: 409,
  PermissionDenied: 403,
  ResourceExhausted: 429,
  FailedPrecondition: 400,
  Aborted: 409,
  OutOfRange: 400,
  Unimplemented: 501,
  Internal: 500,
  Unavailable: 503,
  DataLoss: 500,
  Unauthenticated: 401,
};

/** The refusal of a call. The message is what the caller reads. */
export class RpcError extends Error {
  override readonly name = "RpcError";
  readonly code: RpcCode;

  constructor(code: RpcCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** The caller went away. */
export const canceled = (): RpcError => new RpcError("Canceled", "context canceled");

/** The caller's time is up. */
export const deadlineExceeded = (): RpcError => new RpcError("DeadlineExceeded", "context deadline exceeded");

/** Any failure as a refusal: what is not an `RpcError` becomes `Unknown` with its message. */
export function toRpcError(error: unknown): RpcError {
  if (error instanceof RpcError) return error;
  return new RpcError("Unknown", error instanceof Error ? error.message : String(error), { cause: error });
}
