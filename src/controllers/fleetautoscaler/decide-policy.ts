import type { FeatureGates } from "#api/agones/feature-gates.ts";
import type {
  CapacityPolicy,
  ChainEntry,
  FleetAutoscalerPolicy,
  SimplePolicy,
  UrlConfiguration,
  WasmPolicy,
} from "#api/autoscaling/policy.ts";
import { isActive } from "#api/autoscaling/schedule.ts";
import { type CapacityKind, decideCapacity, type FleetView } from "./decide-capacity.ts";
import { decideBuffer, PolicyError, type Size } from "./decide-size.ts";

/** A policy other than a chain: what stands in a chain, in a schedule, or alone. */
export type LinkPolicy = SimplePolicy | Omit<ChainEntry, "id">;

/** What a policy says: a size, that it does not apply now, or whom to ask. */
export type PolicyDecision =
  | { readonly type: "size"; readonly size: Size }
  | { readonly type: "inactive" }
  | { readonly type: "askWebhook"; readonly webhook: UrlConfiguration }
  | { readonly type: "askWasm"; readonly wasm: WasmPolicy };

/** What policies decide on, besides themselves. */
export interface PolicyContext {
  readonly view: FleetView;
  readonly gates: FeatureGates;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/**
 * Applies a policy that is no chain. Throws `PolicyError`; of a schedule that was never validated also what `isActive` throws.
 */
export function decidePolicy(policy: LinkPolicy, context: PolicyContext): PolicyDecision {
  const { view, gates, now } = context;
  switch (policy.type) {
    case "Buffer": {
      const buffer = member(policy.buffer, "buffer");
      return { type: "size", size: decideBuffer(buffer, view.fleet.status?.allocatedReplicas ?? 0) };
    }
    case "Webhook":
      return { type: "askWebhook", webhook: member(policy.webhook, "webhook") };
    case "Counter":
      return capacity("counter", policy.counter, context);
    case "List":
      return capacity("list", policy.list, context);
    case "Wasm":
      require(gates, "WasmAutoscaler");
      return { type: "askWasm", wasm: member(policy.wasm, "wasm") };
    case "Schedule": {
      require(gates, "ScheduledAutoscaler");
      const schedule = member("schedule" in policy ? policy.schedule : undefined, "schedule");
      return isActive(schedule, now) ? decidePolicy(schedule.policy, context) : { type: "inactive" };
    }
    default:
      throw unknownType();
  }
}

function capacity(
  kind: CapacityKind,
  policy: CapacityPolicy | null | undefined,
  { view, gates }: PolicyContext,
): PolicyDecision {
  require(gates, "CountsAndLists");
  return { type: "size", size: decideCapacity(kind, member(policy, kind), view) };
}

/** The entries of a policy in the order in which they are tried; a policy that is no chain is its own only one. */
export function linksOf(policy: FleetAutoscalerPolicy, gates: FeatureGates): readonly (ChainEntry | LinkPolicy)[] {
  if (policy.type !== "Chain") return [policy as LinkPolicy];
  require(gates, "ScheduledAutoscaler");
  const entries = (policy.chain ?? []).flatMap((entry) => entry ?? []);
  if (entries.length === 0) throw new PolicyError("the chain has no entries");
  return entries;
}

function member<T>(value: T | null | undefined, name: string): T {
  if (value === null || value === undefined) throw new PolicyError(`${name} policy config params are missing`);
  return value;
}

function require(gates: FeatureGates, gate: keyof FeatureGates): void {
  if (!gates[gate]) throw new PolicyError(`feature ${gate} must be enabled`);
}

const unknownType = (): PolicyError =>
  new PolicyError("wrong policy type, should be one of: Buffer, Webhook, Counter, List, Schedule, Chain");
