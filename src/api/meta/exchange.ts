/**
 * One exchange with a Kubernetes API as values, before any socket: what the embedded API server answers
 * and what every transport of `kube` carries.
 */
import type { JsonObject, JsonValue } from "./json.ts";
import type { WatchEvent } from "./object.ts";

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE" | "HEAD" | "OPTIONS";

/** Who asks; groups follow Kubernetes (`system:masters` may do everything). */
export interface UserInfo {
  readonly username: string;
  readonly groups: readonly string[];
  readonly uid?: string;
}

export interface ApiRequest {
  readonly method: Method;
  /** Path alone, percent-encoded as sent, without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /**
   * The decoded body: a JSON value when the caller is in this process, bytes when it came over a socket
   * (then `content-type` says what they are). Absent for none.
   */
  readonly body?: JsonValue | Uint8Array;
  readonly user: UserInfo;
  /** Aborted when the caller went away; ends watches and long reads. */
  readonly signal: AbortSignal;
}

/** A JSON answer. `encoded` may carry the value's compact JSON text, where a store has kept it. */
export interface JsonResponse {
  readonly type: "json";
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly value: JsonObject;
  readonly encoded?: () => Uint8Array;
  /** The same text in parts, for lists too long to be put together at once; a writer may pause between them. */
  readonly parts?: () => Iterable<Uint8Array>;
}

/** A watch: events in order, ending when the caller goes away or the server's time limit passes. */
export interface WatchResponse {
  readonly type: "watch";
  readonly status: 200;
  /** Each batch holds the events that were ready together; a socket writes a batch at once. */
  readonly events: AsyncIterable<readonly WatchFrame[]>;
}

export interface WatchFrame {
  readonly event: WatchEvent;
  /** The event as one line of JSON with its newline; made once, shared by all watchers of the object. */
  readonly encoded: () => Uint8Array;
}

/** Plain bytes: logs, health answers, documents that are kept encoded. */
export interface BytesResponse {
  readonly type: "bytes";
  readonly status: number;
  readonly contentType: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: Uint8Array | AsyncIterable<Uint8Array>;
}

export type ApiResponse = JsonResponse | WatchResponse | BytesResponse;

/** The embedded API server, seen by those who hand it requests. Refusals are answers with a `Status`, never exceptions. */
export type ApiHandler = (request: ApiRequest) => Promise<ApiResponse>;
