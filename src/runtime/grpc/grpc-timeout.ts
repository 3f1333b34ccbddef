/** How long a caller waits, as gRPC spells it: `grpc-timeout: 500m`, through the REST door `Grpc-Timeout`. */

const UNIT_MS: Readonly<Record<string, number>> = { H: 3_600_000, M: 60_000, S: 1000, m: 1, u: 1e-3, n: 1e-6 };

/** Timers of the platform hold 31 bits of milliseconds; beyond that they fire at once. */
const MOST_MS = 2 ** 31 - 1;

/** In milliseconds, 24 days at most; `undefined` for what is no timeout. */
export function timeoutMs(header: string | readonly string[] | undefined): number | undefined {
  const [, amount, unit = ""] = /^(\d{1,8})([HMSmun])$/.exec(typeof header === "string" ? header : "") ?? [];
  return amount === undefined ? undefined : Math.min(Number(amount) * (UNIT_MS[unit] ?? 1), MOST_MS);
}
