import type { PodDisruptionBudget } from "../core/disruption-budget.ts";
import { SAFE_TO_EVICT_LABEL } from "./constants.ts";

/**
 * The budget that lets nobody evict a game server whose `spec.eviction.safe` is `Never`, as Agones' installation makes it for each
 * namespace of game servers.
 */
export const evictionBudget = (namespace: string): PodDisruptionBudget => ({
  apiVersion: "policy/v1",
  kind: "PodDisruptionBudget",
  metadata: { name: "agones-gameserver-safe-to-evict-false", namespace },
  spec: { maxUnavailable: "0%", selector: { matchLabels: { [SAFE_TO_EVICT_LABEL]: "false" } } },
});
