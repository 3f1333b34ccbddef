import type { ApiHandler, ApiResponse, UserInfo, WatchResponse } from "#api/meta/exchange.ts";
import { parseJson } from "#api/meta/json.ts";
import type { WatchEvent } from "#api/meta/object.ts";
import { refusal } from "./refusal.ts";
import { type Transport, TransportError, type TransportRequest } from "./transport.ts";
import { wireValue } from "./wire-value.ts";

/**
 * Requests as calls: bodies and answers pass as values, without encoding. `user` is who the API server takes the caller for.
 * Objects in answers are the server's own, shared and read-only.
 *
 * Aborting a request rejects with the signal's reason at once, whatever the handler does; aborting a watch ends it quietly.
 */
export function inProcessTransport(handler: ApiHandler, user: UserInfo): Transport {
  const answer = async (request: TransportRequest, accept: string): Promise<ApiResponse> => {
    const signal = request.signal ?? new AbortController().signal;
    signal.throwIfAborted();
    const answered = call(handler, request, accept, user, signal);
    const response = await (request.signal ? unlessAborted(answered, request.signal) : answered);
    if (response.status < 400) return response;
    throw refusal(response.status, response.type === "json" ? response.value : undefined);
  };

  return {
    exchange: async (request) => {
      const response = await answer(request, request.accept ?? "application/json");
      if (response.type === "json") return response.value;
      if (response.type === "bytes") return parseJson(await textOf(response.body));
      throw new TransportError(`${request.method} ${request.path} was answered with a watch`);
    },
    watch: async (request) => {
      const response = await answer(request, request.accept ?? "application/json");
      if (response.type === "watch") return watchEvents(response, request.signal);
      throw new TransportError(`${request.method} ${request.path} was not answered with a watch`);
    },
    text: async (request) => {
      const response = await answer(request, "*/*");
      if (response.type !== "bytes") throw new TransportError(`${request.method} ${request.path} is not a text`);
      return response.body instanceof Uint8Array ? once(response.body) : response.body;
    },
  };
}

async function call(
  handler: ApiHandler,
  { method, path, query = {}, contentType, body }: TransportRequest,
  accept: string,
  user: UserInfo,
  signal: AbortSignal,
): Promise<ApiResponse> {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) search.set(name, value);
  try {
    return await handler({
      method,
      path,
      query: search,
      headers: { accept, ...(body !== undefined && { "content-type": contentType ?? "application/json" }) },
      ...(body !== undefined && { body: wireValue(body) }),
      user,
      signal,
    });
  } catch (cause) {
    throw new TransportError(`${method} ${path} failed in the API server`, { cause });
  }
}

async function* watchEvents(response: WatchResponse, signal?: AbortSignal): AsyncGenerator<readonly WatchEvent[]> {
  const batches = response.events[Symbol.asyncIterator]();
  try {
    while (!signal?.aborted) {
      const next = await (signal ? unlessAborted(batches.next(), signal) : batches.next());
      if (next.done) return;
      yield next.value.map(({ event }) => event);
    }
  } catch (error) {
    if (!signal?.aborted) throw error;
  } finally {
    // Not awaited: a generator that is stuck in its own `next` would hold its reader.
    batches.return?.()?.catch(() => {});
  }
}

/** Settles as `promise` does, or rejects with the signal's reason if that aborts first. */
function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    signal.addEventListener("abort", abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

async function textOf(body: Uint8Array | AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body instanceof Uint8Array ? [body] : body) chunks.push(chunk);
  return Buffer.concat(chunks).toString("utf8");
}
