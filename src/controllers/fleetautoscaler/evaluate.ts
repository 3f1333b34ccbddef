import type { Fleet } from "#api/agones/fleet.ts";
import type { ChainEntry, FleetAutoscalerPolicy } from "#api/autoscaling/policy.ts";
import { type FleetAutoscaleReview, reviewOf } from "#api/autoscaling/review.ts";
import { decidePolicy, type LinkPolicy, linksOf, type PolicyContext, type PolicyDecision } from "./decide-policy.ts";
import type { Size } from "./decide-size.ts";
import type { Evaluation } from "./decide-status.ts";
import type { Reviewer } from "./reviewer.ts";

/** Whom a policy asks, one for each entry of a chain. */
export interface Reviewers {
  /** The one of an entry, by its place. Throws when it cannot be asked at all. */
  of(place: number, decision: Asking): Reviewer;
}

export type Asking = Extract<PolicyDecision, { readonly type: "askWebhook" | "askWasm" }>;

export interface EvaluateOptions extends PolicyContext {
  readonly reviewers: Reviewers;
  /** For one review. */
  readonly uid: () => string;
  readonly signal: AbortSignal;
}

const INACTIVE = "inactive schedule, policy not applicable";

/**
 * What a policy says of its fleet; of a chain what the first entry says that gives a size. Never rejects: that it gives none
 * is an answer too. Entries after the one that was applied are not asked.
 */
export async function evaluate(policy: FleetAutoscalerPolicy, options: EvaluateOptions): Promise<Evaluation> {
  const inChain = policy.type === "Chain";
  let failure: unknown;
  try {
    let place = 0;
    for (const link of linksOf(policy, options.gates)) {
      try {
        const size = await sizeOf(link, place++, options);
        if (size)
          return { type: "sized", size, policy: link.type, ...(inChain && { chainId: (link as ChainEntry).id ?? "" }) };
      } catch (error) {
        failure = error;
      }
    }
  } catch (error) {
    failure = error;
  }
  if (failure === undefined && !inChain) return { type: "inactive" };
  const message = failure === undefined ? INACTIVE : failure instanceof Error ? failure.message : String(failure);
  return { type: "failed", message, inChain, onlyInactive: failure === undefined, cause: failure };
}

/** Undefined for a policy that does not apply now. */
async function sizeOf(link: LinkPolicy, place: number, options: EvaluateOptions): Promise<Size | undefined> {
  const decision = decidePolicy(link, options);
  if (decision.type === "inactive") return undefined;
  if (decision.type === "size") return decision.size;
  const { fleet } = options.view;
  options.signal.throwIfAborted();
  const review: FleetAutoscaleReview = reviewOf(fleet, options.uid(), options.gates);
  const { scale, replicas } = await options.reviewers.of(place, decision).review(review, options.signal);
  return { replicas: scale ? replicas : presentSize(fleet) };
}

const presentSize = ({ status }: Fleet): number => status?.replicas ?? 0;
