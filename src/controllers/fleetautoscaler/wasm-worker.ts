/** The thread of one Wasm module: an endless loop in it stops nothing else, and ends with the thread. */
import { parentPort, workerData } from "node:worker_threads";
import type { PluginLogLevel } from "./extism-host.ts";
import { loadModule } from "./wasm-module.ts";

export interface WasmWorkerOptions {
  readonly module: Uint8Array<ArrayBuffer>;
  readonly config: Readonly<Record<string, string>>;
}

export interface WasmCall {
  readonly name: string;
  readonly input: Uint8Array;
}

export type WasmReply =
  | { readonly output: Uint8Array }
  | { readonly error: string }
  | { readonly level: PluginLogLevel; readonly text: string };

const { module, config } = workerData as WasmWorkerOptions;
const tell = (reply: WasmReply): void => parentPort?.postMessage(reply);
const loaded = loadModule(module, config, (level, text) => tell({ level, text }));
// Whoever calls is told.
loaded.catch(() => {});

parentPort?.on("message", ({ name, input }: WasmCall) => {
  loaded
    .then((plugin) => tell({ output: plugin.call(name, input) }))
    .catch((error: unknown) => tell({ error: error instanceof Error ? error.message : String(error) }));
});
