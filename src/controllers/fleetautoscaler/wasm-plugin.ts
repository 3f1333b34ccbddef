import { extname } from "node:path";
import { Worker } from "node:worker_threads";
import type { WasmPolicy } from "#api/autoscaling/policy.ts";
import { checkWasmHash } from "#api/autoscaling/wasm.ts";
import { stringifyJson } from "#api/meta/json.ts";
import type { Clock } from "#runtime/clock.ts";
import type { Logger } from "#runtime/logger.ts";
import { PluginError } from "./extism-host.ts";
import { PolicyServer } from "./policy-server.ts";
import type { Reviewer } from "./reviewer.ts";
import type { WasmCall, WasmReply, WasmWorkerOptions } from "./wasm-worker.ts";
import { readResponse } from "./webhook.ts";

const MAX_MODULE_BYTES = 64 * 1024 * 1024;
/** Longest time of one call; a module that takes longer is ended, and begins anew at the next. */
const CALL_TIMEOUT_MS = 15_000;

/**
 * Asks a Wasm module: a plug-in for Extism's host interface, got by HTTP at its first question and kept, in a thread of its own. Its
 * input is the review, its output a review with the response. Without hosts or files that it may reach.
 */
export function openWasmPlugin(
  policy: WasmPolicy,
  { clock, log }: { readonly clock: Clock; readonly log: Logger },
): Reviewer {
  const server = new PolicyServer(policy.from.url ?? {}, clock);
  let module: Uint8Array<ArrayBuffer> | undefined;
  let thread: Worker | undefined;

  const end = (): void => {
    void thread?.terminate();
    thread = undefined;
  };
  const fetchModule = async (signal: AbortSignal): Promise<Uint8Array<ArrayBuffer>> => {
    const bytes = new Uint8Array(await server.request({ method: "GET", maxBytes: MAX_MODULE_BYTES, signal }));
    checkWasmHash(policy, bytes);
    return bytes;
  };

  return {
    review: async (review, signal) => {
      module ??= await fetchModule(signal);
      thread ??= startThread({ module, config: policy.config ?? {} });
      const call: WasmCall = {
        name: policy.function || "scale",
        input: new TextEncoder().encode(stringifyJson(review)),
      };
      const late = new AbortController();
      const cancel = clock.after(CALL_TIMEOUT_MS, () =>
        late.abort(new PluginError(`the module gave no answer within ${CALL_TIMEOUT_MS / 1000} s`)),
      );
      try {
        return readResponse(await answerOf(thread, call, AbortSignal.any([signal, late.signal]), log));
      } catch (error) {
        if (late.signal.aborted || signal.aborted || error instanceof ThreadEnded) end();
        throw error;
      } finally {
        cancel();
      }
    },
    close: () => {
      server.close();
      end();
    },
  };
}

/** Node marks its WASI as experimental; nobody can act on the warning. */
function startThread(workerData: WasmWorkerOptions): Worker {
  const program = new URL(`./wasm-worker${extname(import.meta.url)}`, import.meta.url);
  const thread = new Worker(program, { workerData, execArgv: ["--disable-warning=ExperimentalWarning"] });
  thread.unref();
  return thread;
}

/** The thread of a module is gone, such as for want of memory. */
class ThreadEnded extends PluginError {}

function answerOf(thread: Worker, call: WasmCall, signal: AbortSignal, log: Logger): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const settle = (settled: () => void): void => {
      thread.off("message", onReply).off("error", onError).off("exit", onExit);
      signal.removeEventListener("abort", onAbort);
      settled();
    };
    const onReply = (reply: WasmReply): void => {
      if ("level" in reply) log[reply.level]({ text: reply.text.slice(0, 1000) }, "a Wasm module says");
      else if ("error" in reply) settle(() => reject(new PluginError(reply.error)));
      else settle(() => resolve(reply.output));
    };
    const onError = (error: unknown): void =>
      settle(() => reject(new ThreadEnded("the module's thread failed", { cause: error })));
    const onExit = (): void => settle(() => reject(new ThreadEnded("the module's thread ended")));
    const onAbort = (): void => settle(() => reject(signal.reason));
    if (signal.aborted) return reject(signal.reason);
    thread.on("message", onReply).on("error", onError).on("exit", onExit);
    signal.addEventListener("abort", onAbort, { once: true });
    thread.postMessage(call);
  });
}
