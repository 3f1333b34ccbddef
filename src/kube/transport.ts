import type { Method } from "#api/meta/exchange.ts";
import type { JsonValue } from "#api/meta/json.ts";
import type { WatchEvent } from "#api/meta/object.ts";

export interface TransportRequest {
  readonly method: Method;
  /** Percent-encoded path, without the query. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | undefined>>;
  readonly contentType?: string;
  /** What the answer should be when not plain JSON, such as a Table. */
  readonly accept?: string;
  readonly body?: JsonValue;
  readonly signal?: AbortSignal;
  /** Told the code of an answer that is no refusal, and what the server warns of, where the way has both. */
  readonly answered?: (code: number, warnings: readonly string[]) => void;
}

/**
 * How requests reach an API server. Three adapters: in process (a handler that `bin/` hands in), HTTP on a unix socket
 * or loopback port, and HTTPS with credentials. Nothing above knows which.
 *
 * A refusal rejects with `StatusError`; a broken connection with `TransportError`.
 */
export interface Transport {
  /** One request, one JSON answer. */
  exchange(request: TransportRequest): Promise<JsonValue>;
  /** Opens a watch: events in order until the server or the signal ends it. Rejects on open, or throws on iteration. */
  watch(request: TransportRequest): Promise<AsyncIterable<readonly WatchEvent[]>>;
  /** A text stream, such as a pod's log. */
  text(request: TransportRequest): Promise<AsyncIterable<Uint8Array>>;
}

/** The API server could not be reached, or the connection broke: nobody knows whether a write took effect. */
export class TransportError extends Error {
  override readonly name = "TransportError";
  readonly code = "TransportFailed";
}
