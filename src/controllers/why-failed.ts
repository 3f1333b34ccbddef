import type { Pod } from "#api/core/pod.ts";
import { failureOf } from "./gameserver/decide-health.ts";

/**
 * Why a Pod failed, in words for people: what its node says of it, else how the first of its containers that failed ended, with the
 * line of its output that says best why. `undefined` for a Pod that has not failed.
 */
export function whyFailed({ status }: Pod): string | undefined {
  if (status?.phase !== "Failed") return undefined;
  if (status.message) return status.message;
  const all = [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])];
  return all.map(failureOf).find((failure) => failure !== undefined);
}
