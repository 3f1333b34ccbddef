import { resolve } from "node:path";
import { InvalidArgumentError, Option } from "commander";
import { systemClock } from "#runtime/clock.ts";
import type { AgentPort } from "./agent.ts";
import { collected } from "./arguments.ts";
import { agentSocket, type Connection, connect } from "./connection.ts";
import { compileTemplate } from "./json-path-template.ts";
import { OUTPUT_FORMATS, type OutputFormat, type Terminal } from "./output.ts";

export interface SessionOptions {
  readonly terminal: Terminal;
  readonly interrupted: AbortSignal;
  readonly hurried: AbortSignal;
  readonly unread: AbortSignal;
  readonly divertSignals: DivertSignals;
  readonly dataDir: () => string;
  /** The client of a node agent's socket. */
  readonly agentAt: (socketPath: string) => AgentPort;
  readonly path: string;
}

/** Hands what a person presses, and what the system sends, to `handler` alone, until the returned function is called. */
export type DivertSignals = (handler: (signal: NodeJS.Signals) => void) => () => void;

/** What every command works with. */
export class Session {
  readonly terminal: Terminal;
  /** Aborted by Ctrl-C, and once nobody reads what is printed. */
  readonly signal: AbortSignal;
  /** Aborted by Ctrl-C alone, for what has a purpose beyond its output. */
  readonly interrupted: AbortSignal;
  /** Aborted by a second Ctrl-C: about a second is left. */
  readonly hurried: AbortSignal;
  /** Aborted once nobody reads what is printed. */
  readonly unread: AbortSignal;
  /** For a program that has the terminal: a Ctrl-C is for it, and interrupts no command meanwhile. */
  readonly divertSignals: DivertSignals;
  /** The PATH of the person, by which programs are found. */
  readonly path: string;
  readonly #dataDir: () => string;
  readonly #agentAt: (socketPath: string) => AgentPort;

  constructor(options: SessionOptions) {
    this.terminal = options.terminal;
    this.signal = AbortSignal.any([options.interrupted, options.unread]);
    this.interrupted = options.interrupted;
    this.hurried = options.hurried;
    this.unread = options.unread;
    this.divertSignals = options.divertSignals;
    this.path = options.path;
    this.#dataDir = options.dataDir;
    this.#agentAt = options.agentAt;
  }

  get dataDir(): string {
    return this.#dataDir();
  }

  /** Opens the connection to the running cluster; closed at the end of the command by `await using`. */
  connect(): Connection & AsyncDisposable {
    const connection = connect(this.dataDir, systemClock);
    return { ...connection, [Symbol.asyncDispose]: () => connection.close() };
  }

  /** The node agent of the data folder, running or not. */
  get agent(): AgentPort {
    return this.#agentAt(agentSocket(resolve(this.dataDir)));
  }

  outputOption(formats: readonly OutputFormat[] = OUTPUT_FORMATS): Option {
    return new Option("-o, --output <format>", "how to print").choices(formats).default("table");
  }

  /** Every format, and templates. Throws `CliError` for a template that cannot be read. */
  templateOption(): Option {
    const option = this.outputOption([...OUTPUT_FORMATS, "jsonpath=TEMPLATE" as OutputFormat]);
    return option.argParser((text) => {
      if (text.startsWith("jsonpath=")) compileTemplate(text.slice("jsonpath=".length));
      else if (!OUTPUT_FORMATS.some((each) => each === text))
        throw new InvalidArgumentError(`Allowed choices are ${option.argChoices?.join(", ")}.`);
      return text;
    });
  }

  namespaceOption(): Option {
    return new Option("-n, --namespace <name>", "namespace").default("default");
  }

  /** May be given several times. */
  filesOption(what: string): Option {
    return new Option("-f, --filename <file>", `${what}, or a folder of such; - for standard input`).argParser(
      collected,
    );
  }
}
