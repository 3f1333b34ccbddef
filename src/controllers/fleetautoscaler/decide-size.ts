import type { BufferPolicy } from "#api/autoscaling/policy.ts";

/** How large a fleet should be, and which limit of the policy made it so. */
export interface Size {
  readonly replicas: number;
  readonly limit?: Limit;
}

export type Limit = "minimum" | "maximum";

/** A policy that gives no size; the message says why, for people. */
export class PolicyError extends Error {
  override readonly name = "PolicyError";
  readonly code = "PolicyFailed";
}

/** What a fleet's `replicas` can hold. */
const INT32_MAX = 2n ** 31n - 1n;

/** The size as a fleet can have it. Throws `PolicyError` for one that is beyond all fleets. */
export function replicasOf(size: bigint): number {
  if (size > INT32_MAX) throw new PolicyError(`${size} servers are more than a fleet can have`);
  return size < 0n ? 0 : Number(size);
}

/** The number of a percentage from 1% to 99%. Throws `PolicyError`: the policy inside a schedule is not validated when it is written. */
export function percentOf(text: string): bigint {
  const digits = /^\+?(\d+)%$/.exec(text)?.[1] ?? "";
  const number = Number(digits);
  if (number >= 1 && number <= 99) return BigInt(number);
  throw new PolicyError(`bufferSize should be between 1% and 99%, and is ${JSON.stringify(text)}`);
}

/** The quotient rounded up; `by` is above zero. */
export const ceilDiv = (value: bigint, by: bigint): bigint => value / by + (value % by > 0n ? 1n : 0n);

/**
 * So many servers above the Allocated ones, or so many that they are the given share of all; Reserved ones are not counted as in
 * use. Between the policy's limits: where they contradict one another the maximum holds.
 */
export function decideBuffer(policy: BufferPolicy, allocatedReplicas: number): Size {
  const { bufferSize = 0, minReplicas = 0, maxReplicas } = policy;
  const allocated = BigInt(allocatedReplicas);
  const wanted =
    typeof bufferSize === "string"
      ? ceilDiv(allocated * 100n, 100n - percentOf(bufferSize))
      : allocated + BigInt(bufferSize);
  if (wanted > maxReplicas || minReplicas > maxReplicas) return { replicas: maxReplicas, limit: "maximum" };
  if (wanted < minReplicas) return { replicas: minReplicas, limit: "minimum" };
  return { replicas: replicasOf(wanted) };
}
