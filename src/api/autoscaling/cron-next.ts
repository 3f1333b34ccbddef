/** When a cron expression comes true next, on the clocks of a time zone. */
import type { Cron } from "./cron.ts";

type Calendar = Extract<Cron, { readonly type: "calendar" }>;

/** In how many years, after the one begun, something must happen. */
const SEARCH_YEARS = 5;
const SECOND = 1000;
const MINUTE = 60 * SECOND;
const DAY = 24 * 60 * MINUTE;

/**
 * The first instant after `after` at which clocks in `timeZone` (an IANA name) show a matching minute; both in milliseconds
 * since 1970. Where clocks are put forward, times that they leap over do not happen; where they are put back, times that they
 * show twice happen twice. Undefined when nothing matches before the end of the fifth year to come.
 *
 * `@every` knows no clocks: its pause after the second that `after` lies in. Throws `RangeError` for an unknown zone.
 */
export function nextOccurrence(cron: Cron, after: number, timeZone: string): number | undefined {
  if (cron.type === "every") return Math.floor(after / SECOND) * SECOND + cron.milliseconds;
  let from = Temporal.Instant.fromEpochMilliseconds(Math.floor(after) + 1).toZonedDateTimeISO(timeZone);
  const lastYear = from.year + SEARCH_YEARS;
  // Between two changes of a zone's offset its clocks run evenly: there plain arithmetic is right.
  for (;;) {
    const offset = Math.round(from.offsetNanoseconds / 1e6);
    const change = from.getTimeZoneTransition("next");
    const local = nextLocal(cron, from.epochMilliseconds + offset, lastYear);
    const happens = local === undefined ? undefined : local - offset;
    if (!change || (happens !== undefined && happens < change.epochMilliseconds)) return happens;
    if (change.year > lastYear) return undefined;
    from = change;
  }
}

/** The first matching minute at or after `from` on clocks that run evenly, counted as if they showed UTC. */
function nextLocal(cron: Calendar, from: number, lastYear: number): number | undefined {
  const minute = Math.ceil(from / MINUTE) * MINUTE;
  const today = Math.floor(minute / DAY) * DAY;
  const later = matchesDay(cron, today) ? timeOfDay(cron, (minute - today) / MINUTE) : undefined;
  if (later !== undefined) return today + later * MINUTE;
  const first = timeOfDay(cron, 0);
  const next = first === undefined ? undefined : nextDay(cron, today + DAY, lastYear);
  return next === undefined || first === undefined ? undefined : next + first * MINUTE;
}

/** The first matching minute of a day, at or after the given one; minutes are counted from midnight. */
function timeOfDay({ hours, minutes }: Calendar, from: number): number | undefined {
  for (let hour = Math.floor(from / 60); hour < 24; hour++) {
    if (!hours.has(hour)) continue;
    for (let minute = Math.max(0, from - hour * 60); minute < 60; minute++) {
      if (minutes.has(minute)) return hour * 60 + minute;
    }
  }
  return undefined;
}

function nextDay(cron: Calendar, from: number, lastYear: number): number | undefined {
  let day = from;
  for (;;) {
    const date = new Date(day);
    if (date.getUTCFullYear() > lastYear) return undefined;
    if (!cron.months.has(date.getUTCMonth() + 1)) day = Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1);
    else if (matchesDay(cron, day)) return day;
    else day += DAY;
  }
}

function matchesDay({ months, days, weekdays, bothDays }: Calendar, day: number): boolean {
  const date = new Date(day);
  if (!months.has(date.getUTCMonth() + 1)) return false;
  const [inMonth, inWeek] = [days.has(date.getUTCDate()), weekdays.has(date.getUTCDay())];
  return bothDays ? inMonth && inWeek : inMonth || inWeek;
}
