/** A socket's requests as values to an `ApiHandler`, and its answers back. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { createServer as createTlsServer, type ServerOptions as TlsOptions } from "node:https";
import type { ApiHandler, ApiRequest, JsonResponse, Method, UserInfo } from "#api/meta/exchange.ts";
import type { JsonObject } from "#api/meta/json.ts";
import { badRequest, type Status, StatusError, statusError } from "#api/meta/status.ts";
import type { Clock } from "../clock.ts";
import type { Logger } from "../logger.ts";
import { readBody } from "./read-body.ts";
import { refuseMalformed } from "./refuse-malformed.ts";
import { respond } from "./respond.ts";

/** Who asks, or why nobody may, decided from the head of a request. */
export type Guard = (request: IncomingMessage) => UserInfo | StatusError;

export interface ApiDoorOptions {
  readonly guard: Guard;
  /** Absent: plain HTTP. */
  readonly tls?: TlsOptions;
  /** Longest body; 3 MiB by default, as Kubernetes. */
  readonly maxBodyBytes?: number;
  /** Once aborted each connection ends with its next answer, so that clients move on before the door closes. */
  readonly draining?: AbortSignal;
  readonly clock: Clock;
  readonly log: Logger;
}

export interface ApiDoor {
  /** Not listening yet. Of `node:https` when `tls` was given. */
  readonly server: Server;
  /** Takes no more connections, ends watches and logs normally, lets other requests finish, then closes. */
  close(): Promise<void>;
}

const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 30_000;
const KEEP_ALIVE_MS = 120_000;
/** What is still open this long after closing began is cut off. */
const CLOSE_GRACE_MS = 5_000;

const methods: readonly string[] = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"];

/** Every refusal is a Kubernetes Status. A client that goes away aborts its request's signal, which ends its watches and logs. */
export function createApiDoor(handler: ApiHandler, options: ApiDoorOptions): ApiDoor {
  const { tls, clock, log } = options;
  const streams = new Streams();
  const limits = {
    headersTimeout: HEADERS_TIMEOUT_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    connectionsCheckingInterval: 5_000,
    keepAliveTimeout: KEEP_ALIVE_MS,
    noDelay: true,
  };
  const answer = (request: IncomingMessage, response: ServerResponse): void => {
    exchange({ ...options, handler, streams }, request, response).catch((error: unknown) => {
      log.error({ error }, "answer could not be sent");
      response.destroy();
    });
  };
  const server = tls
    ? // Who vouches for a client is named, or nobody does. All that the platform knows would take 25 ms to load.
      createTlsServer({ ...limits, minVersion: "TLSv1.2", ca: [], ...tls }, answer)
    : createServer(limits, answer);
  server.on("clientError", refuseMalformed);
  return {
    server,
    close: async () => {
      const closed = closeServer(server, clock);
      streams.close();
      await closed;
    },
  };
}

/** The answer that is a Status. */
export function statusAnswer(status: Status, headers?: JsonResponse["headers"]): JsonResponse {
  return { type: "json", status: status.code, ...(headers && { headers }), value: status as unknown as JsonObject };
}

interface Exchange extends ApiDoorOptions {
  readonly handler: ApiHandler;
  readonly streams: Streams;
}

/** The requests whose answers have no end of their own. */
class Streams {
  readonly #open = new Set<AbortController>();
  #closed = false;

  get closed(): boolean {
    return this.#closed;
  }

  add(stream: AbortController): void {
    if (stream.signal.aborted) return;
    if (this.#closed) {
      stream.abort();
      return;
    }
    this.#open.add(stream);
  }

  remove(stream: AbortController): void {
    this.#open.delete(stream);
  }

  /** Ends all, and those that come later at once. */
  close(): void {
    this.#closed = true;
    for (const stream of [...this.#open]) stream.abort();
  }
}

async function exchange(door: Exchange, incoming: IncomingMessage, response: ServerResponse): Promise<void> {
  const gone = new AbortController();
  response.once("close", () => {
    door.streams.remove(gone);
    if (!response.writableFinished) gone.abort();
  });
  response.on("error", () => gone.abort());
  // A client that asks again on its open connection would keep a closing server from its end, or be cut off by it.
  const partWhenClosing = (): void => {
    if (door.streams.closed || door.draining?.aborted) response.setHeader("connection", "close");
  };
  partWhenClosing();
  const user = door.guard(incoming);
  if (user instanceof StatusError) return refuse(incoming, response, user);
  let request: ApiRequest;
  try {
    request = await apiRequest(incoming, { user, signal: gone.signal, limit: door.maxBodyBytes });
  } catch (error) {
    if (response.destroyed) return;
    return refuse(incoming, response, error instanceof StatusError ? error : badRequest("the request broke off"));
  }
  const answer = await door.handler(request);
  partWhenClosing();
  if (answer.type === "watch" || (answer.type === "bytes" && !(answer.body instanceof Uint8Array)))
    door.streams.add(gone);
  if (!response.destroyed) await respond(response, answer);
}

async function apiRequest(
  incoming: IncomingMessage,
  { user, signal, limit }: { user: UserInfo; signal: AbortSignal; limit: number | undefined },
): Promise<ApiRequest> {
  const { method = "", url = "" } = incoming;
  if (!methods.includes(method)) throw statusError("MethodNotAllowed", `the method ${method} is not supported`);
  if (!url.startsWith("/")) throw badRequest("the request target must be a path");
  const mark = url.indexOf("?");
  const headers = Object.entries(incoming.headers).map(([name, value]) => [
    name,
    Array.isArray(value) ? value.join(", ") : value,
  ]);
  return {
    method: method as Method,
    path: mark < 0 ? url : url.slice(0, mark),
    query: new URLSearchParams(mark < 0 ? "" : url.slice(mark + 1)),
    headers: Object.fromEntries(headers),
    body: await readBody(incoming, limit),
    user,
    signal,
  };
}

/** Answers without having read the body: the connection cannot be used again. */
async function refuse(incoming: IncomingMessage, response: ServerResponse, error: StatusError): Promise<void> {
  response.setHeader("connection", "close");
  if (error.code === "Unauthorized") response.setHeader("www-authenticate", "Bearer");
  incoming.resume();
  await respond(response, statusAnswer(error.status));
}

async function closeServer(server: Server, clock: Clock): Promise<void> {
  const closed = new Promise<void>((resolve) => {
    server.close(() => resolve());
  });
  server.closeIdleConnections();
  const keep = clock.after(CLOSE_GRACE_MS, () => server.closeAllConnections());
  await closed;
  keep();
}
