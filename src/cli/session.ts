import { Option } from "commander";
import { type Connection, connect } from "./connection.ts";
import { OUTPUT_FORMATS, type Terminal } from "./output.ts";

/** What every command works with. */
export class Session {
  readonly terminal: Terminal;
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal;
  readonly #dataDir: () => string;

  constructor(options: { readonly terminal: Terminal; readonly signal: AbortSignal; readonly dataDir: () => string }) {
    this.terminal = options.terminal;
    this.signal = options.signal;
    this.#dataDir = options.dataDir;
  }

  get dataDir(): string {
    return this.#dataDir();
  }

  /** Opens the connection to the running cluster; closed at the end of the command by `await using`. */
  connect(): Connection & AsyncDisposable {
    const connection = connect(this.dataDir);
    return { ...connection, [Symbol.asyncDispose]: () => connection.close() };
  }

  outputOption(): Option {
    return new Option("-o, --output <format>", "how to print").choices(OUTPUT_FORMATS).default("table");
  }
}
