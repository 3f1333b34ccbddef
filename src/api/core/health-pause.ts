/** A pause of health checks, for whoever holds a game at a breakpoint: an annotation on its GameServer and on its Pod. */
import type { KubeObject } from "#api/meta/object.ts";

/** RFC 3339. */
export const HEALTH_PAUSED_UNTIL_ANNOTATION = "stadion.dev/health-paused-until";

/** Whether missed health of an object does not count at `now`, in milliseconds since 1970. A time that cannot be read is no pause. */
export function isHealthPaused({ metadata }: Pick<KubeObject, "metadata">, now: number): boolean {
  const until = metadata.annotations?.[HEALTH_PAUSED_UNTIL_ANNOTATION];
  return until !== undefined && now < Date.parse(until);
}
