import type { Clock } from "#runtime/clock.ts";
import { TokenBucket } from "#runtime/token-bucket.ts";
import type { Transport, TransportRequest } from "./transport.ts";

/** Requests in a second over a longer time, and how many may come at once before that. */
export interface RequestRate {
  readonly perSecond: number;
  readonly burst: number;
}

/**
 * The transport with every request, watches among them, waiting for its turn, so that one program cannot take the API server's time
 * from others. A request whose signal aborts meanwhile rejects with the signal's reason.
 */
export function throttledTransport(transport: Transport, { perSecond, burst }: RequestRate, clock: Clock): Transport {
  const bucket = new TokenBucket({ burst, refillMs: 1000 / perSecond }, clock);
  const turn = async ({ signal }: TransportRequest): Promise<void> => {
    const wait = bucket.reserve();
    if (wait > 0) await clock.sleep(wait, signal);
  };
  return {
    exchange: async (request) => {
      await turn(request);
      return transport.exchange(request);
    },
    watch: async (request) => {
      await turn(request);
      return transport.watch(request);
    },
    text: async (request) => {
      await turn(request);
      return transport.text(request);
    },
  };
}
