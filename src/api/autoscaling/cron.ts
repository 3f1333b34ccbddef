/**
 * Cron expressions of schedules: minute, hour, day of month, month and day of week, or a descriptor.
 *
 * A field is a list of `*`, `?`, `N`, `N-M`, each with an optional `/STEP`; `N/STEP` goes to the field's end. Months and days
 * of the week have English names of three letters, in any case; days of the week are 0 (Sunday) to 6. Descriptors are
 * `@yearly`, `@annually`, `@monthly`, `@weekly`, `@daily`, `@midnight`, `@hourly` and `@every DURATION`.
 */
import { DurationError, parseDuration } from "../meta/duration.ts";

/** Text that is no such expression; the message says which part is wrong. */
export class CronError extends Error {
  override readonly name = "CronError";
  readonly code = "InvalidCron";
}

/** Wall-clock times, or a fixed pause. */
export type Cron =
  | {
      readonly type: "calendar";
      readonly minutes: ReadonlySet<number>;
      readonly hours: ReadonlySet<number>;
      readonly days: ReadonlySet<number>;
      /** 1 is January. */
      readonly months: ReadonlySet<number>;
      /** 0 is Sunday. */
      readonly weekdays: ReadonlySet<number>;
      /** Day of month and day of week must both match; otherwise either. So it is when one of them is a star. */
      readonly bothDays: boolean;
    }
  | { readonly type: "every"; readonly milliseconds: number };

interface Field {
  readonly min: number;
  readonly max: number;
  readonly names?: readonly string[];
}

const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const WEEKDAYS = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];

const FIELDS: readonly [minute: Field, hour: Field, day: Field, month: Field, weekday: Field] = [
  { min: 0, max: 59 },
  { min: 0, max: 23 },
  { min: 1, max: 31 },
  { min: 1, max: 12, names: MONTHS },
  { min: 0, max: 6, names: WEEKDAYS },
];

const descriptors: ReadonlyMap<string, string> = new Map([
  ["@yearly", "0 0 1 1 *"],
  ["@annually", "0 0 1 1 *"],
  ["@monthly", "0 0 1 * *"],
  ["@weekly", "0 0 * * 0"],
  ["@daily", "0 0 * * *"],
  ["@midnight", "0 0 * * *"],
  ["@hourly", "0 * * * *"],
]);
const EVERY = "@every ";

/** Throws `CronError`. */
export function parseCron(text: string): Cron {
  if (text === "") throw new CronError("empty spec string");
  if (text.startsWith(EVERY)) return { type: "every", milliseconds: pauseOf(text) };
  const expression = descriptors.get(text) ?? text;
  if (expression.startsWith("@")) throw new CronError(`unrecognized descriptor: ${text}`);
  const texts = expression.split(/\s+/).filter(Boolean);
  if (texts.length !== FIELDS.length) {
    throw new CronError(`expected exactly ${FIELDS.length} fields, found ${texts.length}: [${texts.join(" ")}]`);
  }
  const read = FIELDS.map((field, position) => parseField(texts[position] ?? "", field));
  const [minutes, hours, days, months, weekdays] = read as [Values, Values, Values, Values, Values];
  return {
    type: "calendar",
    minutes: minutes.values,
    hours: hours.values,
    days: days.values,
    months: months.values,
    weekdays: weekdays.values,
    bothDays: days.star || weekdays.star,
  };
}

/** At least a second, and whole seconds. */
function pauseOf(text: string): number {
  try {
    const milliseconds = parseDuration(text.slice(EVERY.length));
    return Math.max(1000, Math.trunc(milliseconds / 1000) * 1000);
  } catch (error) {
    if (!(error instanceof DurationError)) throw error;
    throw new CronError(`failed to parse duration ${text}: ${error.message}`, { cause: error });
  }
}

interface Values {
  readonly values: ReadonlySet<number>;
  readonly star: boolean;
}

/** Empty parts of a list mean nothing; a list of them alone never matches. */
function parseField(text: string, field: Field): Values {
  const parts = text.split(",").filter(Boolean);
  const ranges = parts.map((part) => parseRange(part, field));
  return { values: new Set(ranges.flatMap(({ values }) => values)), star: ranges.some(({ star }) => star) };
}

function parseRange(text: string, field: Field): { readonly values: readonly number[]; readonly star: boolean } {
  const [range = "", stepText, ...slashes] = text.split("/");
  const [lowText = "", highText, ...hyphens] = range.split("-");
  if (slashes.length > 0) throw new CronError(`too many slashes: ${text}`);
  const any = lowText === "*" || lowText === "?";
  if (!any && hyphens.length > 0) throw new CronError(`too many hyphens: ${text}`);
  const step = stepText === undefined ? 1 : numberOf(stepText);
  const low = any ? field.min : namedOrNumber(lowText, field);
  const toEnd = any || (highText === undefined && stepText !== undefined);
  const high = toEnd ? field.max : highText === undefined ? low : namedOrNumber(highText, field);
  if (low < field.min) throw new CronError(`beginning of range (${low}) below minimum (${field.min}): ${text}`);
  if (high > field.max) throw new CronError(`end of range (${high}) above maximum (${field.max}): ${text}`);
  if (low > high) throw new CronError(`beginning of range (${low}) beyond end of range (${high}): ${text}`);
  if (step === 0) throw new CronError(`step of range should be a positive number: ${text}`);
  const values = Array.from({ length: Math.floor((high - low) / step) + 1 }, (_, at) => low + at * step);
  // A star with a step chooses some values: it is no longer a star.
  return { values, star: any && step === 1 };
}

function namedOrNumber(text: string, { min, names }: Field): number {
  const named = names?.indexOf(text.toLowerCase()) ?? -1;
  return named >= 0 ? named + min : numberOf(text);
}

function numberOf(text: string): number {
  const number = /^[-+]?\d+$/.test(text) ? Number(text) : Number.NaN;
  if (!Number.isSafeInteger(number)) {
    const rule = Number.isNaN(number) ? "must be a whole number" : "is too large";
    throw new CronError(`failed to parse int from ${text}: ${JSON.stringify(text)} ${rule}`);
  }
  if (number < 0) throw new CronError(`negative number (${number}) not allowed: ${text}`);
  return number;
}
