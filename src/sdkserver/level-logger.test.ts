import { expect, it } from "vitest";
import { type Logger, silentLogger } from "#runtime/logger.ts";
import { levelLogger } from "./level-logger.ts";

function recorder(): Logger & { readonly said: string[] } {
  const said: string[] = [];
  const log: Logger & { readonly said: string[] } = { ...silentLogger, said, child: () => log };
  for (const level of ["trace", "debug", "info", "warn", "error"] as const)
    log[level] = (_fields, message) => void said.push(`${level} ${message}`);
  return log;
}

it.each([
  ["Error", ["error m"]],
  ["Info", ["info m", "warn m", "error m"]],
  ["DEBUG", ["debug m", "info m", "warn m", "error m"]],
  ["", ["info m", "warn m", "error m"]],
  ["loud", ["warn Invalid LOG_LEVEL value. Defaulting to 'info'.", "info m", "warn m", "error m"]],
])("passes on what level %j asks for", (level, wanted) => {
  const log = recorder();
  const limited = levelLogger(log, level).child({});
  for (const each of ["trace", "debug", "info", "warn", "error"] as const) limited[each]({}, "m");
  expect(log.said).toEqual(wanted);
});
