import { formatDuration, parseDuration } from "#api/meta/duration.ts";
import { parseQuantity, type Quantity, quantityToString } from "#api/meta/quantity.ts";
import { nearestWord } from "./nearest-word.ts";

/**
 * Settings of a program: an explicit flag wins over the environment, the environment over the default. The variable of a flag is its
 * name in capitals with `_` for `-`: `--num-workers` is `NUM_WORKERS`. An empty variable counts as absent.
 */
export interface Option<V> {
  readonly default: V;
  /** The default as a person reads it; absent when there is none. */
  readonly defaultText?: string;
  readonly help: string;
  /** What a value must be, with its article: `an integer`. */
  readonly kind: string;
  /** Throws, or answers `undefined`, for a text that is no such value. */
  readonly parse: (text: string) => V | undefined;
  /** A flag that means `true` when it stands alone, or when anything but `true` or `false` follows it. */
  readonly isSwitch?: boolean;
  /** An empty variable is a value. */
  readonly mayBeEmpty?: boolean;
  /** The flag's short form: `f` for `-f`. */
  readonly letter?: string;
}

export interface About<D> {
  readonly default: D;
  readonly help: string;
}

export const text = <D extends string | undefined>(
  about: About<D> & Pick<Option<D>, "mayBeEmpty" | "letter">,
): Option<string | D> => ({
  ...withDefaultText(about, String),
  kind: "a text",
  parse: (value) => value,
  ...(about.mayBeEmpty && { mayBeEmpty: true }),
  ...(about.letter !== undefined && { letter: about.letter }),
});

/** One of a closed set of words, in lower case; written in any. */
export const oneOf = <const V extends string>(values: readonly V[], about: About<NoInfer<V>>): Option<V> => ({
  ...withDefaultText(about, String),
  kind: `one of ${values.join(", ")}`,
  parse: (value) => values.find((each) => each === value.toLowerCase()),
});

/** A whole number in decimal digits, between `min` and `max` inclusive. */
export const integer = <D extends number | undefined>(
  about: About<D> & { readonly min?: number; readonly max?: number },
): Option<number | D> => {
  const { min = Number.MIN_SAFE_INTEGER, max = Number.MAX_SAFE_INTEGER } = about;
  const lower = about.min === undefined ? "" : ` of at least ${min}`;
  return {
    ...withDefaultText(about, String),
    kind: about.max === undefined ? `an integer${lower}` : `an integer from ${min} to ${max}`,
    parse: (value) => {
      const number = /^[-+]?\d+$/.test(value) ? Number(value) : Number.NaN;
      return Number.isSafeInteger(number) && number >= min && number <= max ? number : undefined;
    },
  };
};

/** A number in decimal digits, such as `20` or `0.5`. */
export const number = (about: About<number>): Option<number> => ({
  ...withDefaultText(about, String),
  kind: "a number",
  parse: (value) => (/^[-+]?(\d+\.?\d*|\.\d+)$/.test(value) ? Number(value) : undefined),
});

/** A port to listen on; 0 lets the system choose one. */
export const port = <D extends number | undefined>(about: About<D>): Option<number | D> => ({
  ...integer({ ...about, min: 0, max: 65535 }),
  kind: "a port from 0 to 65535",
});

/** As Go reads them: `true`, `t`, `1` and `false`, `f`, `0`, in small or capital letters. A flag alone is `true`. */
export const boolean = (about: About<boolean>): Option<boolean> => ({
  ...withDefaultText(about, String),
  kind: "true or false",
  isSwitch: true,
  parse: (value) => {
    if (/^(1|t|T|true|TRUE|True)$/.test(value)) return true;
    return /^(0|f|F|false|FALSE|False)$/.test(value) ? false : undefined;
  },
});

/** A duration such as `500ms` or `1m30s`, not negative; in milliseconds. */
export const duration = <D extends number | undefined>(about: About<D>): Option<number | D> => ({
  ...withDefaultText(about, formatDuration),
  kind: "a duration such as 500ms or 1m30s",
  parse: (value) => {
    const milliseconds = parseDuration(value);
    return milliseconds >= 0 ? milliseconds : undefined;
  },
});

/** A Kubernetes quantity such as `500m` or `64Mi`. */
export const quantity = <D extends Quantity | undefined>(about: About<D>): Option<Quantity | D> => ({
  ...withDefaultText(about, quantityToString),
  kind: "a quantity such as 500m or 64Mi",
  parse: (value) => parseQuantity(value),
});

/** An empty text says nothing to a person. */
function withDefaultText<V, D extends V | undefined>(about: About<D>, write: (value: V) => string) {
  const { default: value, help } = about;
  return { default: value, help, ...(value !== undefined && value !== "" && { defaultText: write(value as V) }) };
}

/** Options by flag name, without the dashes in front. */
export type Options = Readonly<Record<string, Option<unknown>>>;

type CamelCase<S extends string> = S extends `${infer Head}-${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : S;

/** The values of options: `num-workers` becomes `numWorkers`. */
export type Config<T extends Options> = {
  readonly [K in keyof T & string as CamelCase<K>]: T[K] extends Option<infer V> ? V : never;
};

/** Says of every wrong setting which flag or variable it is, the rule it breaks, and its value. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
  readonly code = "InvalidConfig";
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(problems.join("\n"));
    this.problems = problems;
  }
}

/** Where settings come from; by default this process's arguments and environment. */
export interface ConfigSource {
  readonly argv?: readonly string[];
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** Reads all settings. Throws one `ConfigError` that names every problem. */
export function readConfig<T extends Options>(
  options: T,
  { argv = process.argv.slice(2), env = process.env }: ConfigSource = {},
): Config<T> {
  const { flags, problems } = readFlags(options, argv);
  const config: Record<string, unknown> = {};
  for (const [name, option] of Object.entries(options)) {
    const variable = variableOf(name);
    const value = flags.get(name) ?? (option.mayBeEmpty ? env[variable] : env[variable] || undefined);
    const parsed = value === undefined ? option.default : attempt(option, value);
    if (value !== undefined && parsed === undefined) {
      const where = flags.has(name) ? `--${name}` : variable;
      problems.push(`${where} must be ${option.kind}, but is ${JSON.stringify(value)}`);
    }
    config[camelCase(name)] = parsed;
  }
  if (problems.length > 0) throw new ConfigError(problems);
  return config as Config<T>;
}

/** The environment variable of a flag. */
export function variableOf(flag: string): string {
  return flag.toUpperCase().replaceAll("-", "_");
}

/** `--name=value`, `--name value`, and `--name` alone for switches, all with `-n` for `--name` too; the last of several counts. */
function readFlags(options: Options, argv: readonly string[]) {
  const flags = new Map<string, string>();
  const problems: string[] = [];
  const left = [...argv];
  for (let argument = left.shift(); argument !== undefined; argument = left.shift()) {
    const [, name = "", given] = /^--([^=]+)(?:=(.*))?$/s.exec(longForm(options, argument)) ?? [];
    const option = Object.hasOwn(options, name) ? options[name] : undefined;
    if (!option) {
      problems.push(noSuchFlag(options, argument));
      // What follows it was meant as its value.
      if (/^--[^=]+$/.test(argument) && left[0]?.startsWith("-") === false) left.shift();
      continue;
    }
    const isAlone = option.isSwitch && !/^(true|false)$/.test(left[0] ?? "");
    const value = given ?? (isAlone ? "true" : left.shift());
    if (value === undefined) problems.push(`--${name} must be ${option.kind}, but has no value`);
    else flags.set(name, value);
  }
  return { flags, problems };
}

function longForm(options: Options, argument: string): string {
  const [, letter, rest = ""] = /^-(\w)(=.*)?$/s.exec(argument) ?? [];
  const [name] = Object.entries(options).find(([, option]) => letter && option.letter === letter) ?? [];
  return name === undefined ? argument : `--${name}${rest}`;
}

function noSuchFlag(options: Options, argument: string): string {
  if (!argument.startsWith("-")) return `unexpected argument ${JSON.stringify(argument)}`;
  const [flag = ""] = argument.split("=", 1);
  const near = nearestWord(flag.replace(/^-+/, ""), [...Object.keys(options), "help", "version"]);
  return `there is no flag ${flag}${near === undefined ? "" : `: did you mean --${near}?`}`;
}

function attempt(option: Option<unknown>, value: string): unknown {
  try {
    return option.parse(value);
  } catch {
    return undefined;
  }
}

const camelCase = (name: string): string => name.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());
