/** Times of the wire: RFC 3339, as `metav1.Time` reads and prints them. */

const pattern = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2})(?:[.,]\d+)?(?:Z|([+-])(\d{2}):(\d{2}))$/;

/** A time of RFC 3339 with its offset. The empty text is none. */
export const isTime = (text: string): boolean => secondOf(text) !== undefined;

/**
 * The same instant in UTC and whole seconds (`2030-05-01T08:00:00Z`), a fraction cut off; undefined for text that is no time,
 * or whose year in UTC has other than four digits.
 */
export function canonicalTime(text: string): string | undefined {
  const second = secondOf(text);
  const canonical = second === undefined ? "" : timeText(second);
  return pattern.test(canonical) ? canonical : undefined;
}

/** Milliseconds since 1970, without a fraction of a second. Offsets reach to a whole day, as Go reads them. */
function secondOf(text: string): number | undefined {
  const [, local, sign, hours = "0", minutes = "0"] = pattern.exec(text) ?? [];
  if (local === undefined || Number(hours) > 24 || Number(minutes) > 60) return undefined;
  const second = Date.parse(`${local}Z`);
  // JavaScript makes a day in March of the 30th of February, and tomorrow of 24 o'clock.
  if (Number.isNaN(second) || !new Date(second).toISOString().startsWith(local)) return undefined;
  return second - (sign === "-" ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000;
}

/** Milliseconds since 1970 as text, in UTC and whole seconds. */
export function timeText(milliseconds: number): string {
  return `${new Date(milliseconds).toISOString().slice(0, -5)}Z`;
}
