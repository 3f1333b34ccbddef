import { type JsonValue, parseJson, stringifyJson } from "#api/meta/json.ts";
import type { WatchEvent } from "#api/meta/object.ts";
import { type ConnectionPool, openPool, type PoolAnswer, type ServerAddress } from "./connection-pool.ts";
import { refusal } from "./refusal.ts";
import { type Transport, TransportError, type TransportRequest } from "./transport.ts";
import { Turnstile } from "./turnstile.ts";
import { watchLines } from "./watch-lines.ts";

/** A path in the address is put in front of all others. */
export type HttpTransportOptions = ServerAddress & {
  /** Bearer token, or where it is found for each request. */
  readonly token?: string | (() => Promise<string>);
  /** How many requests are under way at once; more wait for their turn. Watches and texts do not count. Default 32. */
  readonly connections?: number;
  /** Longest silence of the server before and inside an answer. Default 30 s. */
  readonly requestTimeoutMs?: number;
  /**
   * Longest silence of a watch that asked for bookmarks, which come about every minute. Default 150 s. Without bookmarks a watch
   * may be silent for as long as it lasts.
   */
  readonly watchTimeoutMs?: number;
};

export interface HttpTransport extends Transport {
  /** Ends watches and idle connections, waits for requests under way, and refuses new ones. */
  close(): Promise<void>;
}

interface Pools {
  readonly requests: ConnectionPool;
  /** Answers that last: watches and texts, one connection each, so that they never hold up a request. */
  readonly streams: ConnectionPool;
}

/**
 * HTTP/1.1 to an API server. 64-bit integers keep their digits. A connection that broke, or on which the server
 * has been silent for too long, is a `TransportError`; its `cause` says how. Aborting a watch or a text ends it quietly.
 */
export function httpTransport(options: HttpTransportOptions): HttpTransport {
  const { token, connections = 32, requestTimeoutMs = 30_000, watchTimeoutMs = 150_000 } = options;
  const headers = {
    accept: "application/json",
    "user-agent": "stadion",
  };
  const prefix = "socketPath" in options ? "" : new URL(options.origin).pathname.replace(/\/+$/, "");
  // A socket refuses who finds more than some hundred others waiting to be accepted.
  const opening = new Turnstile(connections);
  let pools: Promise<Pools> | undefined;
  let closing: Promise<unknown> | undefined;

  const send = async (kind: keyof Pools, request: TransportRequest, bodyTimeoutMs: number): Promise<PoolAnswer> => {
    request.signal?.throwIfAborted();
    if (closing) throw new TransportError("the transport is closed");
    const encoded = request.body === undefined ? undefined : stringifyJson(request.body);
    return failing(request, async () => {
      pools ??= openPools(options, connections);
      const bearer = typeof token === "function" ? await token() : token;
      const response = await (await pools)[kind].request({
        method: request.method,
        path: `${prefix}${request.path}${queryText(request.query)}`,
        headers: {
          ...headers,
          ...(bearer !== undefined && { authorization: `Bearer ${bearer}` }),
          ...(request.accept !== undefined && { accept: request.accept }),
          ...(encoded !== undefined && { "content-type": request.contentType ?? "application/json" }),
        },
        body: encoded,
        signal: request.signal,
        answerTimeoutMs: requestTimeoutMs,
        bodyTimeoutMs,
      });
      if (response.code >= 400) throw refusal(response.code, jsonOr(await response.text()));
      request.answered?.(response.code, response.warnings);
      return response;
    });
  };
  const openStream = (message: TransportRequest, bodyTimeoutMs: number) =>
    opening.pass(() => send("streams", message, bodyTimeoutMs), message.signal);

  return {
    exchange: async (message) => {
      const answer = await send("requests", message, requestTimeoutMs);
      const text = await failing(message, () => answer.text());
      try {
        return parseJson(text);
      } catch (cause) {
        throw new TransportError(`${message.method} ${message.path} was not answered with JSON`, { cause });
      }
    },
    watch: async (message) => {
      const bookmarks = message.query?.allowWatchBookmarks === "true";
      const { body } = await openStream(message, bookmarks ? watchTimeoutMs : 0);
      return untilAborted<readonly WatchEvent[]>(message, watchLines(body));
    },
    text: async (message) => {
      const { body } = await openStream(message, 0);
      return untilAborted<Uint8Array>(message, body);
    },
    close: async () => {
      closing ??= (async () => {
        const open = await pools;
        open?.streams.destroy();
        await open?.requests.close();
      })();
      await closing;
    },
  };
}

async function openPools(address: ServerAddress, connections: number): Promise<Pools> {
  const [requests, streams] = await Promise.all([openPool(address, connections), openPool(address, undefined)]);
  return { requests, streams };
}

/** Runs a step of a request: what breaks is a `TransportError`, unless the caller aborted or the server refused. */
async function failing<T>({ method, path, signal }: TransportRequest, step: () => Promise<T>): Promise<T> {
  try {
    return await step();
  } catch (cause) {
    if (signal?.aborted) throw signal.reason;
    if (cause instanceof Error && cause.name === "StatusError") throw cause;
    throw new TransportError(`${method} ${path} failed: ${cause instanceof Error ? cause.message : cause}`, { cause });
  }
}

async function* untilAborted<T>(request: TransportRequest, items: AsyncIterable<T>): AsyncGenerator<T> {
  try {
    yield* items;
  } catch (error) {
    if (request.signal?.aborted) return;
    if (error instanceof TransportError) throw error;
    throw new TransportError(`${request.method} ${request.path} broke off`, { cause: error });
  }
}

function queryText(query: TransportRequest["query"] = {}): string {
  const given = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return given.length === 0 ? "" : `?${new URLSearchParams(given)}`;
}

function jsonOr(text: string): JsonValue | undefined {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}
