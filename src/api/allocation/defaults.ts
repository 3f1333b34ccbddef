/** What a request for a server leaves unsaid, and its older form. */
import type { FeatureGates } from "../agones/feature-gates.ts";
import type { GameServerAllocation, GameServerAllocationSpec, GameServerSelector } from "./gameserverallocation.ts";

/** Completes a request, before it is validated. Idempotent. A `status` that was sent along, as in an earlier answer, is dropped. */
export function defaultAllocation(allocation: GameServerAllocation, gates: FeatureGates): GameServerAllocation {
  const { status: _, ...request } = allocation;
  const spec: GameServerAllocationSpec = request.spec ?? {};
  const { selectors, required, preferred, priorities, multiClusterSetting } = spec;
  const complete = (selector: GameServerSelector) => defaultSelector(selector, gates);
  const current = isCurrentForm(spec);
  return {
    ...request,
    spec: {
      ...spec,
      multiClusterSetting: { ...multiClusterSetting, policySelector: multiClusterSetting?.policySelector ?? {} },
      required: current ? (required ?? {}) : complete(required ?? {}),
      ...(preferred && { preferred: current ? preferred : preferred.map(complete) }),
      ...(priorities && { priorities: priorities.map((each) => ({ ...each, order: each.order || "Ascending" })) }),
      ...(selectors && { selectors: selectors.map(complete) }),
      scheduling: spec.scheduling || "Packed",
      metadata: spec.metadata ?? {},
    },
  };
}

/** Turns the older `preferred` and `required` into `selectors`, the preferred ones first; after validation. */
export function convertSelectors(allocation: GameServerAllocation): GameServerAllocation {
  const spec: GameServerAllocationSpec = allocation.spec ?? {};
  if (isCurrentForm(spec)) return allocation;
  return { ...allocation, spec: { ...spec, selectors: [...(spec.preferred ?? []), spec.required ?? {}] } };
}

const isCurrentForm = ({ selectors }: GameServerAllocationSpec): boolean => !!selectors && selectors.length > 0;

/** Absent counters and lists stay absent: no condition either way. */
const defaultSelector = (selector: GameServerSelector, gates: FeatureGates): GameServerSelector => ({
  ...selector,
  gameServerState: selector.gameServerState ?? "Ready",
  ...(gates.PlayerAllocationFilter && { players: selector.players ?? {} }),
});
