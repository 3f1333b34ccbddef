/** What goes wrong in a command, by who has to act, and the exit code scripts see. */
export const EXIT_CODES = {
  /** The command's words are wrong: also a file they name that cannot be opened. */
  Usage: 2,
  /** No cluster answers. */
  NotRunning: 3,
  /** The API refused, the object is not there, or what a file holds is no manifest. */
  Refused: 1,
  /** An allocation found no server. */
  NotAllocated: 4,
  /** Waiting took too long. */
  TimedOut: 5,
  /** The cluster ended before it answered: what was asked for may have been done. */
  AnswerLost: 6,
} as const;

export type CliErrorCode = keyof typeof EXIT_CODES;

export class CliError extends Error {
  override readonly name = "CliError";
  readonly code: CliErrorCode;

  constructor(code: CliErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }

  /** Of faults that the person has read already: the exit code alone. */
  static told(code: CliErrorCode): CliError {
    return new CliError(code, "");
  }
}

/** A program that a command ran ended so; the command ends the same way, and nothing more is told. */
export class ProgramEnded extends Error {
  override readonly name = "ProgramEnded";
  readonly code = "ProgramEnded";
  readonly exitCode: number;

  constructor(exitCode: number) {
    super(`the program ended with exit code ${exitCode}`);
    this.exitCode = exitCode;
  }
}

/** Of errors that came one upon the other while a command was given up, the one that came first. */
export const firstOf = (error: unknown): unknown =>
  error instanceof SuppressedError ? firstOf(error.suppressed) : error;

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
