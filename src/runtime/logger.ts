import { type DestinationStream, pino } from "pino";
import { describeError } from "./describe-error.ts";
import { logOutput } from "./log-output.ts";

/** Fields first, then a constant message: `log.info({ gsKey }, "GameServer created")`. */
export interface Logger {
  trace(fields: object, message: string): void;
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
  child(fields: object): Logger;
}

export type LogLevel = "trace" | "debug" | "info" | "warn" | "error" | "fatal" | "silent";

/**
 * One JSON object a line: `time` (RFC 3339), `severity`, `message`, `source`, then the fields.
 * `error` fields are written with name, message, cause, and their code or, where they have none, their stack.
 */
export function createLogger(options: { level?: LogLevel; source: string; destination?: DestinationStream }): Logger {
  return pino(
    {
      level: options.level ?? "info",
      base: { source: options.source },
      messageKey: "message",
      errorKey: "error",
      serializers: { error: describeError },
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      formatters: { level: (severity) => ({ severity }) },
    },
    options.destination ?? logOutput(),
  );
}

/** Discards everything; for tests and for callers that asked for quiet. */
export const silentLogger: Logger = {
  trace: () => {},
  debug: () => {},
  info: () => {},
  warn: () => {},
  error: () => {},
  child: () => silentLogger,
};
