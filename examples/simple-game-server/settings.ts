/** Flags (`-x=1`, `--x 1`) and variables of the simple game server; a variable wins over its flag. */

export interface Settings {
  readonly port: number;
  /** Listen on the first port of the game server's status instead. */
  readonly passthrough: boolean;
  /** Call Ready at the start. */
  readonly ready: boolean;
  readonly udp: boolean;
  readonly tcp: boolean;
  /** Seconds after an allocation until the server is ready again or shuts down; 0 for never. */
  readonly shutdownDelay: number;
  readonly readyDelay: number;
  /** How often an allocation ends in Ready instead of Shutdown, plus one. */
  readonly readyIterations: number;
  readonly terminationDelay: number;
}

/** A setting that cannot be taken; the program ends with its message. */
export class SettingsError extends Error {
  override readonly name = "SettingsError";
  readonly code = "InvalidSettings";
}

const BOOLEANS = new Map([
  ...["1", "t", "T", "true", "TRUE", "True"].map((text) => [text, true] as const),
  ...["0", "f", "F", "false", "FALSE", "False"].map((text) => [text, false] as const),
]);

const SWITCHES = new Set(["passthrough", "ready", "udp", "tcp"]);
const NUMBERS = new Set([
  "port",
  "automaticShutdownDelaySec",
  "automaticShutdownDelayMin",
  "readyDelaySec",
  "readyIterations",
  "gracefulTerminationDelaySec",
]);

/** Throws `SettingsError`. */
export function readSettings(args: readonly string[], environment: NodeJS.ProcessEnv): Settings {
  const flags = readFlags(args);
  const number = (flag: string, otherwise: number): number => whole(flag, flags.get(flag) ?? String(otherwise));
  const on = (name: string, otherwise: boolean): boolean => {
    const variable = environment[name.toUpperCase()];
    if (variable) return variable.toLowerCase() === "true";
    const flag = flags.get(name);
    return flag === undefined ? otherwise : truth(name, flag);
  };
  const seconds = number("automaticShutdownDelaySec", 0);
  const minutes = number("automaticShutdownDelayMin", 0);
  if (seconds > 0 && minutes > 0)
    throw new SettingsError("automaticShutdownDelaySec and automaticShutdownDelayMin cannot both be given");
  const shutdownDelay = seconds || minutes * 60;
  const readyIterations = number("readyIterations", 0);
  if (readyIterations > 0 && shutdownDelay <= 0)
    throw new SettingsError("readyIterations needs automaticShutdownDelaySec");
  return {
    port: environment.PORT ? whole("PORT", environment.PORT) : number("port", 7654),
    passthrough: on("passthrough", false),
    ready: on("ready", true),
    udp: on("udp", true),
    tcp: on("tcp", false),
    shutdownDelay,
    readyDelay: number("readyDelaySec", 0),
    readyIterations,
    terminationDelay: number("gracefulTerminationDelaySec", 0),
  };
}

function readFlags(args: readonly string[]): ReadonlyMap<string, string> {
  const flags = new Map<string, string>();
  for (let position = 0; position < args.length; position++) {
    const [, name = "", value] = /^--?([A-Za-z]+)(?:=(.*))?$/s.exec(args[position] ?? "") ?? [];
    if (SWITCHES.has(name)) flags.set(name, value ?? "true");
    else if (NUMBERS.has(name)) flags.set(name, value ?? args[++position] ?? "");
    else throw new SettingsError(`unknown flag ${args[position]}`);
  }
  return flags;
}

function whole(name: string, text: string): number {
  if (!/^-?\d+$/.test(text)) throw new SettingsError(`${name} must be a whole number, not ${JSON.stringify(text)}`);
  return Number(text);
}

function truth(name: string, text: string): boolean {
  const value = BOOLEANS.get(text);
  if (value === undefined) throw new SettingsError(`${name} must be true or false, not ${JSON.stringify(text)}`);
  return value;
}
