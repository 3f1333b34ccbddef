/**
 * The API server's door to sockets: a TCP port that asks for a token, a unix socket that does not.
 *
 * Every refusal is a Kubernetes Status. A client that goes away ends its watches and logs; closing ends them as a normal end.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import type { ApiHandler, ApiRequest, Method, UserInfo } from "#api/meta/exchange.ts";
import { badRequest, StatusError, statusError } from "#api/meta/status.ts";
import { type Clock, systemClock } from "#runtime/clock.ts";
import type { Logger } from "#runtime/logger.ts";
import { type Guard, hostNames, socketGuard, tokenGuard } from "./http/guard.ts";
import { readBody } from "./http/read-body.ts";
import { refuseMalformed } from "./http/refuse-malformed.ts";
import { respond } from "./http/respond.ts";
import { listen, listenOnSocket } from "./http/unix-socket.ts";
import { statusAnswer } from "./serve/server-context.ts";

export interface HttpServerOptions {
  /** The secret that requests on TCP ports must carry. */
  readonly token: string;
  readonly log: Logger;
  /** Who requests come from; by default the one administrator. */
  readonly user?: UserInfo;
  /** Further host names and addresses by which clients reach the TCP port; loopback's are known. */
  readonly hosts?: readonly string[];
  readonly clock?: Clock;
}

export interface HttpServer {
  /** Port 0 chooses one; with `tls` it speaks HTTPS alone. Resolves with the port that is open; rejects with the system's error (`EADDRINUSE`, …). */
  listenTcp(address: {
    readonly host: string;
    readonly port: number;
    readonly tls?: ServerCertificate;
  }): Promise<number>;
  /** A socket file that nobody answers on is replaced. Its folder's mode says who may connect. */
  listenSocket(path: string): Promise<void>;
  /** Takes no more connections, ends watches and logs normally, lets other requests finish, then closes. */
  close(): Promise<void>;
}

/** Both in PEM. */
export interface ServerCertificate {
  readonly key: string;
  readonly certificate: string;
}

const ADMINISTRATOR: UserInfo = { username: "admin", groups: ["system:masters", "system:authenticated"] };
const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 30_000;
const KEEP_ALIVE_MS = 120_000;
/** What is still open this long after closing began is cut off. */
const CLOSE_GRACE_MS = 5_000;

const methods: readonly string[] = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"];

export function createHttpServer(handler: ApiHandler, options: HttpServerOptions): HttpServer {
  const servers: Server[] = [];
  const streams = new Streams();
  const { user = ADMINISTRATOR, clock = systemClock } = options;
  const serve = (guard: Guard, tls?: ServerCertificate): Server => {
    const limits = {
      headersTimeout: HEADERS_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
      connectionsCheckingInterval: 5_000,
      keepAliveTimeout: KEEP_ALIVE_MS,
      noDelay: true,
    };
    const answer = (request: IncomingMessage, response: ServerResponse): void => {
      exchange({ handler, guard, user, streams, log: options.log }, request, response).catch((error: unknown) => {
        options.log.error({ error }, "answer could not be sent");
        response.destroy();
      });
    };
    const server = tls
      ? createTlsServer({ ...limits, key: tls.key, cert: tls.certificate, minVersion: "TLSv1.2" }, answer)
      : createServer(limits, answer);
    server.on("clientError", refuseMalformed);
    servers.push(server);
    return server;
  };
  return {
    listenTcp: async ({ host, port, tls }) => {
      const hosts = hostNames(host, ...(options.hosts ?? []));
      const server = serve(tokenGuard({ token: options.token, hosts }), tls);
      await listen(server, { host, port });
      return (server.address() as AddressInfo).port;
    },
    listenSocket: (path) => listenOnSocket(serve(socketGuard), path),
    close: async () => {
      const closed = servers.map((server) => closeServer(server, clock));
      streams.close();
      await Promise.all(closed);
    },
  };
}

interface Exchange {
  readonly handler: ApiHandler;
  readonly guard: Guard;
  readonly user: UserInfo;
  readonly streams: Streams;
  readonly log: Logger;
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
    stream.signal.addEventListener("abort", () => this.#open.delete(stream), { once: true });
  }

  /** Ends all, and those that come later at once. */
  close(): void {
    this.#closed = true;
    for (const stream of [...this.#open]) stream.abort();
  }
}

async function exchange(door: Exchange, incoming: IncomingMessage, response: ServerResponse): Promise<void> {
  const gone = new AbortController();
  response.once("close", () => gone.abort());
  response.on("error", () => gone.abort());
  // A client that asks again on its open connection would keep a closing server from its end.
  if (door.streams.closed) response.setHeader("connection", "close");
  const refused = door.guard(incoming.headers);
  if (refused) return refuse(incoming, response, refused);
  let request: ApiRequest;
  try {
    request = await apiRequest(incoming, door.user, gone.signal);
  } catch (error) {
    if (response.destroyed) return;
    return refuse(incoming, response, error instanceof StatusError ? error : badRequest("the request broke off"));
  }
  const answer = await door.handler(request);
  if (answer.type === "watch" || (answer.type === "bytes" && !(answer.body instanceof Uint8Array)))
    door.streams.add(gone);
  if (!response.destroyed) await respond(response, answer);
}

async function apiRequest(incoming: IncomingMessage, user: UserInfo, signal: AbortSignal): Promise<ApiRequest> {
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
    body: await readBody(incoming),
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
