/** An error with a code is one that somebody foresaw: where it was thrown tells nothing. Any other keeps its stack. */
export function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const { name, message, stack, cause, code } = error as Error & { code?: unknown };
  return {
    name,
    message,
    ...(code === undefined ? { stack } : { code }),
    ...(cause !== undefined && { cause: describeError(cause) }),
  };
}
