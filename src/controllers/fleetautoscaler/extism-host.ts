/**
 * What a plug-in made with one of Extism's development kits imports from `extism:host/env`: memory to pass texts through, its input,
 * output and error, settings, variables that outlive a call, and logging. HTTP requests are refused.
 *
 * Memory is addressed by 64-bit offsets; 0 is nothing. It lives until the next call.
 */
export class ExtismHost {
  readonly #config: ReadonlyMap<string, string>;
  readonly #log: (level: PluginLogLevel, text: string) => void;
  readonly #variables = new Map<string, Uint8Array>();
  #memory = new Uint8Array(64 * 1024);
  #end = FIRST;
  /** Lengths of blocks by their offsets. */
  readonly #blocks = new Map<number, number>();
  #input = { offset: 0, length: 0 };
  #output = { offset: 0, length: 0 };
  #error = 0;

  constructor(config: Readonly<Record<string, string>>, log: (level: PluginLogLevel, text: string) => void) {
    this.#config = new Map(Object.entries(config));
    this.#log = log;
  }

  /** Calls an export with an input and returns its output. Throws `PluginError` when it says so, and what it traps with. */
  call(run: () => unknown, input: Uint8Array): Uint8Array {
    this.#blocks.clear();
    this.#end = FIRST;
    this.#error = 0;
    this.#output = { offset: 0, length: 0 };
    this.#input = { offset: this.#store(input), length: input.byteLength };
    try {
      run();
    } catch (trap) {
      if (this.#error === 0) throw trap;
    }
    if (this.#error !== 0) throw new PluginError(this.#text(this.#error));
    const { offset, length } = this.#output;
    return this.#memory.slice(offset, offset + length);
  }

  /** To be given to a module, under `extism:host/env`. */
  readonly imports = {
    alloc: (length: bigint): bigint => BigInt(this.#allocate(toNumber(length))),
    free: (offset: bigint): void => void this.#blocks.delete(toNumber(offset)),
    length: (offset: bigint): bigint => BigInt(this.#lengthAt(offset)),
    length_unsafe: (offset: bigint): bigint => BigInt(this.#lengthAt(offset)),
    load_u8: (offset: bigint): number => this.#view(offset, 1).getUint8(0),
    load_u64: (offset: bigint): bigint => this.#view(offset, 8).getBigUint64(0, true),
    store_u8: (offset: bigint, value: number): void => this.#view(offset, 1).setUint8(0, value),
    store_u64: (offset: bigint, value: bigint): void => this.#view(offset, 8).setBigUint64(0, value, true),

    input_offset: (): bigint => BigInt(this.#input.offset),
    input_length: (): bigint => BigInt(this.#input.length),
    input_load_u8: (at: bigint): number => this.#inputView(at, 1)?.getUint8(0) ?? 0,
    input_load_u64: (at: bigint): bigint => this.#inputView(at, 8)?.getBigUint64(0, true) ?? 0n,
    output_set: (offset: bigint, length: bigint): void => {
      this.#view(offset, toNumber(length));
      this.#output = { offset: toNumber(offset), length: toNumber(length) };
    },
    error_set: (offset: bigint): void => {
      this.#error = toNumber(offset);
    },
    error_get: (): bigint => BigInt(this.#error),

    config_get: (key: bigint): bigint => {
      const value = this.#config.get(this.#text(toNumber(key)));
      return BigInt(value === undefined ? 0 : this.#store(new TextEncoder().encode(value)));
    },
    var_get: (key: bigint): bigint => {
      const value = this.#variables.get(this.#text(toNumber(key)));
      return BigInt(value === undefined ? 0 : this.#store(value));
    },
    var_set: (key: bigint, value: bigint): void => this.#setVariable(this.#text(toNumber(key)), toNumber(value)),

    http_request: (): bigint => {
      throw new PluginError("HTTP requests are not allowed");
    },
    http_status_code: (): number => 0,
    http_headers: (): bigint => 0n,

    get_log_level: (): number => INFO,
    log_trace: (): void => {},
    log_debug: (): void => {},
    log_info: (offset: bigint): void => this.#log("info", this.#text(toNumber(offset))),
    log_warn: (offset: bigint): void => this.#log("warn", this.#text(toNumber(offset))),
    log_error: (offset: bigint): void => this.#log("error", this.#text(toNumber(offset))),
  };

  /** 0 where there is no room. */
  #allocate(length: number): number {
    const end = this.#end + length;
    if (length === 0 || end > MOST_BYTES) return 0;
    if (end > this.#memory.byteLength) {
      const larger = new Uint8Array(Math.min(MOST_BYTES, Math.max(end, this.#memory.byteLength * 2)));
      larger.set(this.#memory);
      this.#memory = larger;
    }
    const offset = this.#end;
    this.#memory.fill(0, offset, end);
    this.#blocks.set(offset, length);
    this.#end = Math.ceil(end / ALIGNMENT) * ALIGNMENT;
    return offset;
  }

  #store(bytes: Uint8Array): number {
    const offset = this.#allocate(bytes.byteLength);
    if (offset > 0) this.#memory.set(bytes, offset);
    else if (bytes.byteLength > 0) throw new PluginError("the plug-in has used up its memory for texts");
    return offset;
  }

  #text(offset: number): string {
    return new TextDecoder().decode(this.#memory.subarray(offset, offset + (this.#blocks.get(offset) ?? 0)));
  }

  #setVariable(name: string, offset: number): void {
    this.#variables.delete(name);
    if (offset === 0) return;
    const value = this.#memory.slice(offset, offset + (this.#blocks.get(offset) ?? 0));
    const held = [...this.#variables.values()].reduce((sum, { byteLength }) => sum + byteLength, value.byteLength);
    if (held > MOST_VARIABLE_BYTES) throw new PluginError(`variables of more than ${MOST_VARIABLE_BYTES} bytes`);
    this.#variables.set(name, value);
  }

  #lengthAt(offset: bigint): number {
    return this.#blocks.get(toNumber(offset)) ?? 0;
  }

  /** Throws for memory that was not handed out. */
  #view(offset: bigint, length: number): DataView {
    const at = toNumber(offset);
    if (length > 0 && (at < FIRST || at + length > this.#end)) throw new PluginError(`no memory at offset ${at}`);
    return new DataView(this.#memory.buffer, at, length);
  }

  #inputView(at: bigint, length: number): DataView | undefined {
    const place = toNumber(at);
    if (place + length > this.#input.length) return undefined;
    return new DataView(this.#memory.buffer, this.#input.offset + place, length);
  }
}

export type PluginLogLevel = "info" | "warn" | "error";

/** A plug-in failed by its own word, or broke a rule of its host. */
export class PluginError extends Error {
  override readonly name = "PluginError";
  readonly code = "PluginFailed";
}

const FIRST = 8;
const ALIGNMENT = 8;
/** Of memory for one call. */
const MOST_BYTES = 64 * 1024 * 1024;
/** Of all variables together. */
const MOST_VARIABLE_BYTES = 1024 * 1024;
/** The least that is told. */
const INFO = 2;

const toNumber = (value: bigint): number => Number(BigInt.asUintN(64, value));
