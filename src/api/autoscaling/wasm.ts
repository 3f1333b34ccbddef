/** A Wasm module and the hash that its policy names. */
import { createHash } from "node:crypto";
import type { WasmPolicy } from "./policy.ts";

/** The module is another than the policy says. */
export class WasmHashError extends Error {
  override readonly name = "WasmHashError";
  readonly code = "WasmHashMismatch";
}

/** SHA-256 of a module, in lower-case hexadecimal. */
export const wasmHash = (module: Uint8Array): string => createHash("sha256").update(module).digest("hex");

/** Throws `WasmHashError` unless the module has the policy's hash, in capital or small letters; without one any module does. */
export function checkWasmHash({ hash }: Pick<WasmPolicy, "hash">, module: Uint8Array): void {
  if (!hash) return;
  const found = wasmHash(module);
  if (found !== hash.toLowerCase()) {
    throw new WasmHashError(`hash mismatch for module 'main': expected ${hash.toLowerCase()}, found ${found}`);
  }
}
