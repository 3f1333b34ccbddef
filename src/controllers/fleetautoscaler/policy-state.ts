import type { FleetAutoscaler } from "#api/autoscaling/fleetautoscaler.ts";
import type { UrlConfiguration, WasmPolicy } from "#api/autoscaling/policy.ts";
import type { Evaluation } from "./decide-status.ts";
import type { Asking, Reviewers } from "./evaluate.ts";
import type { Reviewer } from "./reviewer.ts";

/** How those that policies ask are reached. */
export interface ReviewerPorts {
  readonly webhook: (configuration: UrlConfiguration) => Reviewer;
  readonly wasm: (policy: WasmPolicy) => Reviewer;
}

/** An answer that has not been acted on yet. */
export interface Answer {
  readonly evaluation: Evaluation;
  /** Servers that the fleet had when it was asked for. */
  readonly currentReplicas: number;
  /** Until when it may be acted on, in the clock's monotonic milliseconds. */
  readonly freshUntil: number;
  /** When the fleet's size was changed for it, in milliseconds since 1970. */
  readonly scaledAt?: number;
}

/**
 * What a controller holds for one generation of one autoscaler: when to look next, the question under way or its answer, and
 * the connections and modules of its policies, one for each entry of a chain. A later generation begins with another.
 */
export class PolicyState implements Reviewers {
  readonly uid: string;
  readonly generation: number | undefined;
  /** When the policy is asked next, in the clock's monotonic milliseconds; zero is at once. */
  dueAt = 0;
  asking = false;
  answer: Answer | undefined;
  readonly #ports: ReviewerPorts;
  readonly #reviewers = new Map<number, Reviewer>();
  readonly #abort = new AbortController();

  constructor({ metadata }: FleetAutoscaler, ports: ReviewerPorts) {
    this.uid = metadata.uid ?? "";
    this.generation = metadata.generation;
    this.#ports = ports;
  }

  /** Aborts when it is closed. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  isOf({ metadata }: FleetAutoscaler): boolean {
    return metadata.uid === this.uid && metadata.generation === this.generation;
  }

  of(place: number, decision: Asking): Reviewer {
    const known = this.#reviewers.get(place);
    if (known) return known;
    const opened =
      decision.type === "askWebhook" ? this.#ports.webhook(decision.webhook) : this.#ports.wasm(decision.wasm);
    this.#reviewers.set(place, opened);
    return opened;
  }

  close(): void {
    this.#abort.abort(new Error("the autoscaler was changed or deleted"));
    for (const reviewer of this.#reviewers.values()) reviewer.close();
    this.#reviewers.clear();
  }
}
