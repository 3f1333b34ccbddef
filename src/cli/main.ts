import { CommanderError } from "commander";
import { TransportError } from "#kube/transport.ts";
import { AnswerLost } from "./connection.ts";
import { CliError, EXIT_CODES, firstOf, messageOf, ProgramEnded } from "./errors.ts";
import { createProgram, type ProgramOptions } from "./program.ts";

/** Ended by Ctrl-C before it was done, as shells say it. */
const INTERRUPTED = 130;

/**
 * Runs one command, `words` being what stands after the program's name. Resolves with the exit code, once what went wrong has been
 * told; never rejects.
 */
export async function runCommand(words: readonly string[], options: ProgramOptions): Promise<number> {
  try {
    const program = await createProgram(options, words);
    await program.parseAsync(words, { from: "user" });
    return 0;
  } catch (thrown) {
    const error = firstOf(thrown);
    // Commander has told it.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : EXIT_CODES.Usage;
    if (error instanceof ProgramEnded) return error.exitCode;
    if (options.interrupted.aborted) return INTERRUPTED;
    // The reader has what it wanted.
    if (options.unread.aborted) return 0;
    const fault = error instanceof TransportError ? unanswered(error) : error;
    if (!(fault instanceof CliError && fault.message === "")) options.terminal.err(`error: ${messageOf(fault)}`);
    return fault instanceof CliError ? EXIT_CODES[fault.code] : EXIT_CODES.Refused;
  }
}

function unanswered(cause: TransportError): CliError {
  const why = cause.cause instanceof Error ? cause.cause.message : cause.message;
  if (cause instanceof AnswerLost)
    return new CliError(
      "AnswerLost",
      `the cluster ended before it answered (${why}): what was asked for may have been done`,
      { cause },
    );
  return new CliError("NotRunning", `the cluster does not answer (${why}): it starts, or has ended`, { cause });
}
