import type { FleetAutoscaleResponse, FleetAutoscaleReview } from "#api/autoscaling/review.ts";

/** Answers how large a fleet should be: a studio's webhook, or its Wasm module. */
export interface Reviewer {
  /** Rejects when there is no answer, when it is none, and when aborted. One review at a time. */
  review(review: FleetAutoscaleReview, signal: AbortSignal): Promise<FleetAutoscaleResponse>;
  /** Gives back what it holds: connections, a thread. A review under way fails. */
  close(): void;
}
