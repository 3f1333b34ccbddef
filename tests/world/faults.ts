/** What goes wrong between the controllers and the API: refusals, lost answers, delays, watches that lag and break. */
import { statusError } from "#api/meta/status.ts";
import type { Client } from "#kube/client.ts";
import { type Call, type Fault, withFaults } from "#kube/fault-injection.ts";
import type { FakeClock } from "#runtime/clock.ts";

/** Longest that a call is held back, and that a watch lags behind with one batch. */
export const MOST_DELAY_MS = 400;

export class Faults {
  /** Share of calls that meet a fault; 0 for none. */
  rate: number;
  readonly #random: () => number;

  constructor(rate: number, random: () => number) {
    this.rate = rate;
    this.#random = random;
  }

  client(real: Client, clock: FakeClock): Client {
    const lagging: Client = {
      ...real,
      watch: async (type, options) => this.#lag(await real.watch(type, options), clock, options.signal),
    };
    return withFaults(lagging, (call) => this.#next(call, clock));
  }

  #next({ verb }: Call, clock: FakeClock): Fault | undefined {
    if (this.#random() >= this.rate) return undefined;
    const kind = this.#random();
    if (verb === "watch") return kind < 0.5 ? { type: "refuse" } : { type: "cut", after: Math.floor(kind * 10) };
    if (verb === "get" || verb === "list") return kind < 0.5 ? { type: "refuse" } : this.#delay(clock);
    if (kind < 0.25 && verb.startsWith("update")) return { type: "conflict" };
    if (kind < 0.5) return { type: "lose-answer" };
    if (kind < 0.7) return { type: "refuse" };
    if (kind < 0.8) return { type: "refuse", error: statusError("TooManyRequests", "injected refusal") };
    return this.#delay(clock);
  }

  #delay(clock: FakeClock): Fault {
    return { type: "delay", until: clock.sleep(this.#random() * MOST_DELAY_MS) };
  }

  async *#lag<T>(batches: AsyncIterable<T>, clock: FakeClock, signal: AbortSignal | undefined): AsyncGenerator<T> {
    for await (const batch of batches) {
      if (this.rate > 0 && this.#random() < 0.5)
        await clock.sleep(this.#random() * MOST_DELAY_MS, signal).catch(() => {});
      yield batch;
    }
  }
}
