import { FeatureGateError } from "#api/agones/feature-gates.ts";
import { AccessError } from "#kube/cluster-access.ts";
import { PortRangeError } from "#ports/port-range.ts";
import { type Config, ConfigError, type Options, readConfig } from "#runtime/config.ts";
import { answerOf, type Program } from "#runtime/program.ts";
import { version } from "./version.ts";

/**
 * Runs a program to its end: exit code 0, or, after a failure, a last line on standard error and exit code 1: in words when a person
 * reads it, at a terminal or where `inWords` says so, else as JSON for whoever collects logs. `failed` sees the failure first and may
 * set another `process.exitCode`. `--help` and `--version` are answered instead. It goes on when nobody reads its output any more.
 */
export function runProgram<T extends Options>(
  program: Program<T>,
  main: (config: Config<T>) => Promise<void>,
  failed: (error: unknown) => void = () => {},
  inWords: (argv: readonly string[]) => boolean = () => false,
): void {
  const answer = answerOf(program, process.argv.slice(2), version);
  if (answer !== undefined) {
    console.log(answer);
    return;
  }
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});
  const running = async (): Promise<void> => main(readConfig(program.options));
  running().then(
    () => process.exit(0),
    (error: unknown) => {
      failed(error);
      const message = messageOf(error);
      const words = process.stderr.isTTY || inWords(process.argv.slice(2));
      console.error(words ? `error: ${message}` : JSON.stringify({ severity: "fatal", message }));
      process.exitCode ??= 1;
      process.exit();
    },
  );
}

/** Whether a setting is wrong: the person's to mend, and neither by another try nor by knowing where in the code it was found. */
export function isSettingFault(error: unknown): error is Error {
  return [ConfigError, FeatureGateError, PortRangeError, AccessError].some((kind) => error instanceof kind);
}

/** An error of ours has a code, and its message says all; any other, those of the system included, keeps its stack. */
function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code, errno, message, stack = message } = error as NodeJS.ErrnoException;
  return code !== undefined && errno === undefined ? message : stack;
}
