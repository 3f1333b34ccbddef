import { type Options, variableOf } from "./config.ts";

/** A program as its `--help` and the reference page tell it. */
export interface Program<T extends Options> {
  /** What its executable is called. */
  readonly name: string;
  /** What it is for; whole sentences. */
  readonly about: string;
  readonly options: T;
}

/** The answer to `--help` (`-h`) or `--version` among a program's arguments; `undefined` when neither is asked for. */
export function answerOf(program: Program<Options>, argv: readonly string[], version: string): string | undefined {
  if (argv.some((argument) => argument === "--help" || argument === "-h")) return helpOf(program);
  return argv.includes("--version") ? version : undefined;
}

function helpOf({ name, about, options }: Program<Options>): string {
  const flags = Object.entries(options).map(([flag, { help, kind, defaultText, letter }]) => {
    const fallback = defaultText === undefined ? "" : ` (default ${defaultText})`;
    return `  ${letter === undefined ? "" : `-${letter}, `}--${flag}, ${variableOf(flag)}${fallback}\n      ${help}${kind === "a text" ? "" : `; ${kind}`}`;
  });
  return `${about}

Usage: ${name} [--FLAG=VALUE]…

Flags, each with the environment variable that means the same; a flag wins over its variable:

${flags.join("\n")}
  --help
      say this
  --version
      say which version this is`;
}
