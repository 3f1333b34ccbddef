import type { Clock } from "#runtime/clock.ts";
import type { Logger } from "#runtime/logger.ts";
import type { ReviewerPorts } from "./policy-state.ts";
import { openWasmPlugin } from "./wasm-plugin.ts";
import { openWebhook } from "./webhook.ts";

/** Over HTTP, and in threads of this process. */
export const openReviewers = (around: { readonly clock: Clock; readonly log: Logger }): ReviewerPorts => ({
  webhook: (configuration) => openWebhook(configuration, around.clock),
  wasm: (policy) => openWasmPlugin(policy, around),
});
