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
  /** Calls so far, and those that met a fault. */
  calls = 0;
  met = 0;
  /** The process that makes the calls dies at its so-manieth next write; undefined: it lives. */
  killAt: number | undefined;
  /** It has died: nothing it asks for is done any more, until there is a new one. */
  died = false;
  readonly #random: () => number;

  constructor(rate: number, random: () => number) {
    this.rate = rate;
    this.#random = random;
  }

  /** Of a new process. */
  client(real: Client, clock: FakeClock): Client {
    this.died = false;
    this.killAt = undefined;
    const process = { dead: false };
    const lagging: Client = {
      ...real,
      watch: async (type, options) => this.#disturbed(await real.watch(type, options), clock, options.signal),
    };
    return withFaults(lagging, (call) => {
      this.calls++;
      const fault = this.#killed(call, process) ?? this.#next(call, clock);
      if (fault) this.met++;
      return fault;
    });
  }

  #killed({ verb }: Call, process: { dead: boolean }): Fault | undefined {
    if (process.dead) return { type: "refuse" };
    if (this.killAt === undefined || verb === "get" || verb === "list" || verb === "watch") return undefined;
    if (this.killAt-- > 0) return undefined;
    process.dead = true;
    this.died = true;
    return { type: this.#random() < 0.5 ? "refuse" : "lose-answer" };
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

  /** Events come late, twice, or not at all: then the server no longer has the version, and only a list tells what is there. */
  async *#disturbed<T>(
    batches: AsyncIterable<T>,
    clock: FakeClock,
    signal: AbortSignal | undefined,
  ): AsyncGenerator<T> {
    for await (const batch of batches) {
      if (this.rate > 0 && this.#random() < 0.5)
        await clock.sleep(this.#random() * MOST_DELAY_MS, signal).catch(() => {});
      if (this.#random() < this.rate / 10) throw statusError("Expired", "injected gap between events");
      yield batch;
      if (this.#random() < this.rate / 10) yield batch;
    }
  }
}
