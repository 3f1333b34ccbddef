import { openSync } from "node:fs";
import { devNull } from "node:os";
import { ExtismHost, PluginError, type PluginLogLevel } from "./extism-host.ts";

/** A loaded module. It keeps its memory and its variables between calls. */
export interface LoadedModule {
  /** Throws `PluginError`, and what the module traps with. */
  call(name: string, input: Uint8Array): Uint8Array;
}

/** What is used of the runtime; its types are not among those of Node. */
interface WasmRuntime {
  readonly Memory: new (limits: { readonly initial: number }) => object;
  readonly Module: { imports(module: object): readonly { readonly module: string }[] };
  compile(bytes: Uint8Array<ArrayBuffer>): Promise<object>;
  instantiate(module: object, imports: object): Promise<{ readonly exports: Readonly<Record<string, unknown>> }>;
}

const WASI_MODULE = "wasi_snapshot_preview1";

/**
 * Loads a plug-in for the host interface of Extism. Where it asks for WASI it gets it without arguments, environment, files and
 * network; what it prints is dropped. Throws what `WebAssembly` throws for a module that cannot be loaded.
 */
export async function loadModule(
  bytes: Uint8Array<ArrayBuffer>,
  config: Readonly<Record<string, string>>,
  log: (level: PluginLogLevel, text: string) => void,
): Promise<LoadedModule> {
  const runtime = (globalThis as unknown as { readonly WebAssembly: WasmRuntime }).WebAssembly;
  const host = new ExtismHost(config, log);
  const module = await runtime.compile(bytes);
  const wasi = runtime.Module.imports(module).some((each) => each.module === WASI_MODULE)
    ? await openWasi()
    : undefined;
  const imports = { "extism:host/env": host.imports, ...(wasi && { [WASI_MODULE]: wasi.wasiImport }) };
  const instance = await runtime.instantiate(module, imports);
  const { exports } = instance;
  if (wasi) {
    if (!(exports.memory instanceof runtime.Memory)) throw new PluginError("the module exports no memory");
    wasi.finalizeBindings(instance);
  }
  const initialize = exports._initialize ?? exports.__wasm_call_ctors;
  if (typeof initialize === "function") initialize();
  return {
    call: (name, input) => {
      const run = exports[name];
      if (typeof run !== "function") throw new PluginError(`unknown function: ${name}`);
      return host.call(() => run(), input);
    },
  };
}

async function openWasi() {
  const { WASI } = await import("node:wasi");
  const nowhere = openSync(devNull, "r+");
  return new WASI({
    version: "preview1",
    returnOnExit: true,
    stdin: nowhere,
    stdout: nowhere,
    stderr: nowhere,
  });
}
