/** Times of the wire: RFC 3339, as `metav1.Time` reads and prints them. */

const pattern = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$/;

/** A time of RFC 3339 with its offset. The empty text is none. */
export const isTime = (text: string): boolean => pattern.test(text) && !Number.isNaN(Date.parse(text));

/**
 * The same instant in UTC and whole seconds (`2030-05-01T08:00:00Z`), a fraction cut off; undefined for text that is no time,
 * or whose year in UTC has other than four digits.
 */
export function canonicalTime(text: string): string | undefined {
  const canonical = isTime(text) ? timeText(Date.parse(text)) : "";
  return isTime(canonical) ? canonical : undefined;
}

/** Milliseconds since 1970 as text, in UTC and whole seconds. */
export function timeText(milliseconds: number): string {
  return `${new Date(milliseconds).toISOString().slice(0, -5)}Z`;
}
