/** A logger of one game server, as quiet as its spec wants it. */
import type { Logger } from "#runtime/logger.ts";

const RANKS: Readonly<Record<string, number>> = {
  trace: 0,
  debug: 1,
  info: 2,
  warn: 3,
  warning: 3,
  error: 4,
  fatal: 5,
  panic: 5,
};

/**
 * Passes on what is at least as grave as `level` (any case). Cannot make `log` itself say more than it does.
 * Another level is warned about and counts as info.
 */
export function levelLogger(log: Logger, level: string): Logger {
  const rank = RANKS[level.toLowerCase() || "info"];
  if (rank === undefined) log.warn({ level }, "Invalid LOG_LEVEL value. Defaulting to 'info'.");
  return filtered(log, rank ?? 2);
}

function filtered(log: Logger, rank: number): Logger {
  const from = (own: number, write: Logger["info"]): Logger["info"] => (own >= rank ? write.bind(log) : () => {});
  return {
    trace: from(0, log.trace),
    debug: from(1, log.debug),
    info: from(2, log.info),
    warn: from(3, log.warn),
    error: from(4, log.error),
    child: (fields) => filtered(log.child(fields), rank),
  };
}
