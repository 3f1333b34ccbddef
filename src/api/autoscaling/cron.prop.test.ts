import fc from "fast-check";
import { expect, test } from "vitest";
import { type Cron, CronError, parseCron } from "./cron.ts";
import { nextOccurrence } from "./cron-next.ts";

const MINUTE = 60_000;
type Calendar = Extract<Cron, { readonly type: "calendar" }>;

/** The rule said plainly, on what the clocks show. */
function matches(cron: Calendar, instant: number, zone: string): boolean {
  const local = Temporal.Instant.fromEpochMilliseconds(instant).toZonedDateTimeISO(zone);
  const [inMonth, inWeek] = [cron.days.has(local.day), cron.weekdays.has(local.dayOfWeek % 7)];
  return (
    local.second === 0 &&
    cron.minutes.has(local.minute) &&
    cron.hours.has(local.hour) &&
    cron.months.has(local.month) &&
    (cron.bothDays ? inMonth && inWeek : inMonth || inWeek)
  );
}

const part = (min: number, max: number) => {
  const value = fc.integer({ min, max });
  const step = fc.option(fc.integer({ min: 1, max: 20 }), { nil: undefined });
  const stepped = (text: string, by: number | undefined) => (by === undefined ? text : `${text}/${by}`);
  return fc.oneof(
    { arbitrary: fc.constantFrom("*", "?"), weight: 3 },
    fc.tuple(fc.constantFrom("*", "?"), step).map(([star, by]) => stepped(star, by)),
    fc.tuple(value, step).map(([low, by]) => stepped(String(low), by)),
    fc.tuple(value, value, step).map(([a, b, by]) => stepped(`${Math.min(a, b)}-${Math.max(a, b)}`, by)),
  );
};
const field = (min: number, max: number) =>
  fc.array(part(min, max), { minLength: 1, maxLength: 3 }).map((parts) => parts.join(","));
const expression = fc
  .tuple(field(0, 59), field(0, 23), field(1, 31), field(1, 12), field(0, 6))
  .map((all) => all.join(" "));

/** Around the changes of clocks, and anywhere. */
const zoned = fc.constantFrom(
  ["Europe/Oslo", "2030-03-31T01:00:00Z"],
  ["Europe/Oslo", "2030-10-27T01:00:00Z"],
  ["America/New_York", "2030-11-03T06:00:00Z"],
  ["Australia/Lord_Howe", "2030-04-06T15:00:00Z"],
  ["America/Sao_Paulo", "2018-11-04T03:00:00Z"],
  ["Asia/Beirut", "2022-03-26T22:00:00Z"],
  ["Pacific/Apia", "2011-12-30T10:00:00Z"],
  ["UTC", "2032-02-29T00:00:00Z"],
) as fc.Arbitrary<[string, string]>;

test("the next occurrence is the first minute after that matches", () => {
  fc.assert(
    fc.property(
      expression,
      zoned,
      fc.integer({ min: -2000, max: 200 }),
      fc.nat(MINUTE),
      (text, [zone, near], by, ms) => {
        const cron = parseCron(text) as Calendar;
        const after = Temporal.Instant.from(near).epochMilliseconds + by * MINUTE + ms;
        const found = nextOccurrence(cron, after, zone);
        const seen = Array.from({ length: 2500 }, (_, at) => (Math.floor(after / MINUTE) + 1 + at) * MINUTE).find(
          (minute) => matches(cron, minute, zone),
        );
        if (seen !== undefined) expect(found).toBe(seen);
        else if (found !== undefined) expect(matches(cron, found, zone) && found > after).toBe(true);
      },
    ),
    { numRuns: 60 },
  );
});

test("occurrences come one after the other, and each is the next one after a moment before it", () => {
  fc.assert(
    fc.property(expression, zoned, (text, [zone, near]) => {
      const cron = parseCron(text);
      let last = Temporal.Instant.from(near).epochMilliseconds;
      for (let each = 0; each < 20; each++) {
        const found = nextOccurrence(cron, last, zone);
        if (found === undefined) return;
        expect(found).toBeGreaterThan(last);
        expect(nextOccurrence(cron, found - 1, zone)).toBe(found);
        last = found;
      }
    }),
  );
});

test("a text is an expression or is refused with a reason", () => {
  const letters = fc.string({ unit: fc.constantFrom(..."*?,-/ 0123456789@LTZjansu".split("")), maxLength: 24 });
  fc.assert(
    fc.property(fc.oneof(letters, fc.string()), (text) => {
      try {
        expect(parseCron(text).type).toMatch(/^(calendar|every)$/);
      } catch (error) {
        expect(error).toBeInstanceOf(CronError);
        expect((error as CronError).message).not.toBe("");
      }
    }),
  );
});
