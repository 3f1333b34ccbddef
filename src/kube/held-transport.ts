import type { Clock } from "#runtime/clock.ts";
import { isNobody, socketAnswers } from "#runtime/http/socket-answers.ts";
import { aborted } from "#runtime/runnable.ts";
import { type Transport, TransportError, type TransportRequest } from "./transport.ts";

export interface HeldTransportOptions {
  /** Of the API server that `transport` goes to. */
  readonly socketPath: string;
  readonly clock: Clock;
  /** Once aborted, nothing is held any more: a server that is away fails requests at once. */
  readonly until: AbortSignal;
}

/** How often it is looked whether the server is back: one look for all who wait. Most often it is about to come, and else away for long. */
const FIRST_LOOKS = { count: 100, ms: 10 };
const LOOK_MS = 50;

/**
 * The transport to an API server of this machine, holding requests while nobody is at its socket, and sending them as soon as
 * somebody is: to whoever asks, a server that is away for an hour is a slow one, and no pause between attempts grows meanwhile. A
 * request that reached the server and broke fails as ever. One whose signal aborts while it is held rejects with the signal's reason.
 */
export function heldTransport(transport: Transport, { socketPath, clock, until }: HeldTransportOptions): Transport {
  /** While somebody waits: aborted when there is somebody at the socket. */
  let back: AbortSignal | undefined;

  const look = async (found: AbortController): Promise<void> => {
    for (let looks = 0; ; looks++) {
      await clock.sleep(looks < FIRST_LOOKS.count ? FIRST_LOOKS.ms : LOOK_MS, until).catch(() => {});
      if (until.aborted || (await socketAnswers(socketPath))) break;
    }
    back = undefined;
    found.abort();
  };

  const comesBack = (): AbortSignal => {
    const found = new AbortController();
    void look(found);
    return found.signal;
  };

  const held = async <T>({ signal }: TransportRequest, send: () => Promise<T>): Promise<T> => {
    for (;;) {
      try {
        return await send();
      } catch (error) {
        if (until.aborted || !isUnreached(error)) throw error;
      }
      back ??= comesBack();
      await aborted(signal ? AbortSignal.any([back, signal]) : back);
      signal?.throwIfAborted();
    }
  };

  return {
    exchange: (request) => held(request, () => transport.exchange(request)),
    watch: (request) => held(request, () => transport.watch(request)),
    text: (request) => held(request, () => transport.text(request)),
  };
}

/** Whether nobody was at the other end: nothing of the request has reached anybody, and it may be sent again. */
export const isUnreached = (error: unknown): boolean => error instanceof TransportError && isNobody(error.cause);
