import { stringifyJson } from "#api/meta/json.ts";
import type { Clock } from "#runtime/clock.ts";
import type { Logger } from "#runtime/logger.ts";

type Severity = Exclude<keyof Logger, "child">;

interface Options {
  readonly clock: Clock;
  readonly write: (line: string) => void;
  /** Of every line. */
  readonly fields?: object;
}

/** A line for a person: the time of the day, the severity unless it is `info`, the message, then the fields as `name=value`. */
export function readableLog({ clock, write, fields: own = {} }: Options): Logger {
  const say =
    (severity: Severity) =>
    (fields: object, message: string): void => {
      const time = new Date(clock.now()).toTimeString().slice(0, 8);
      const label = severity === "info" ? [] : [severity.toUpperCase()];
      write([time, ...label, message, ...fieldWords({ ...own, ...fields })].join(" "));
    };
  return {
    trace: say("trace"),
    debug: say("debug"),
    info: say("info"),
    warn: say("warn"),
    error: say("error"),
    child: (fields) => readableLog({ clock, write, fields: { ...own, ...fields } }),
  };
}

/** `name=value` for each; a text stands bare where it is one plain word. */
export function fieldWords(fields: object): readonly string[] {
  return Object.entries(fields).flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${wordOf(value)}`]));
}

function wordOf(value: unknown): string {
  if (value instanceof Error) return JSON.stringify(value.message);
  if (typeof value === "string" && /^[\w./:@+-]+$/.test(value)) return value;
  return stringifyJson(value);
}
