import { stringifyJson } from "#api/meta/json.ts";
import type { Clock } from "./clock.ts";
import { describeError } from "./describe-error.ts";
import type { Logger } from "./logger.ts";

interface Options {
  readonly source: string;
  readonly clock: Clock;
  /** Default: standard output. */
  readonly write?: (line: string) => void;
}

/** The lines of `createLogger`, of every severity, without the library behind it: for a program that runs beside each game. */
export function createLineLogger({ source, clock, write = (line) => process.stdout.write(line) }: Options): Logger {
  const child = (own: object): Logger => {
    const say = (severity: string) => (fields: object, message: string) => {
      const time = new Date(clock.now()).toISOString();
      const { error, ...others } = fields as { readonly error?: unknown };
      const told = { ...others, ...(error !== undefined && { error: describeError(error) }) };
      write(`${stringifyJson({ severity, time, ...own, ...told, message })}\n`);
    };
    return {
      trace: say("trace"),
      debug: say("debug"),
      info: say("info"),
      warn: say("warn"),
      error: say("error"),
      child: (fields) => child({ ...own, ...fields }),
    };
  };
  return child({ source });
}
