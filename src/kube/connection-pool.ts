import type { Agent, ClientRequest, IncomingMessage, RequestOptions } from "node:http";
import type { ConnectionOptions } from "node:tls";
import { warningsOf } from "#runtime/http/warning-headers.ts";

/** Where a server listens: a unix socket, or an origin such as `https://127.0.0.1:6443`. */
export type ServerAddress =
  | { readonly socketPath: string }
  | {
      readonly origin: string;
      readonly tls?: Pick<ConnectionOptions, "ca" | "cert" | "key" | "servername" | "rejectUnauthorized">;
    };

export interface PoolRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  readonly signal: AbortSignal | undefined;
  /** Longest silence before the answer, in milliseconds. */
  readonly answerTimeoutMs: number;
  /** Longest silence inside the answer, in milliseconds; 0 for no end. Time in which nobody reads does not count. */
  readonly bodyTimeoutMs: number;
}

export interface PoolAnswer {
  readonly code: number;
  readonly warnings: readonly string[];
  /** Bytes as they come. Leaving the iteration early closes the connection. Throws when it breaks, is aborted, or falls silent. */
  readonly body: AsyncIterable<Uint8Array>;
  /** The whole body instead. */
  text(): Promise<string>;
}

/** Connections to one server, over HTTP/1.1. */
export interface ConnectionPool {
  /** Rejects with the system's error, with `SilenceError`, and when aborted. */
  request(request: PoolRequest): Promise<PoolAnswer>;
  /** Ends idle connections, and the others once their answers are complete. */
  close(): Promise<void>;
  /** Ends all connections at once; what is under way fails. */
  destroy(): void;
}

/** A server has been silent for too long. */
export class SilenceError extends Error {
  override readonly name = "SilenceError";
  readonly code = "Silence";
}

/** Opens a pool of at most `connections`, kept between requests; or, when undefined, with a connection for each request. */
export async function openPool(address: ServerAddress, connections: number | undefined): Promise<ConnectionPool> {
  const secure = "origin" in address && address.origin.startsWith("https:");
  const { Agent, request } = await (secure ? import("node:https") : import("node:http"));
  const agent = new Agent({
    ...("tls" in address && address.tls),
    keepAlive: connections !== undefined,
    maxSockets: connections ?? Number.POSITIVE_INFINITY,
  });
  const underWay = new Set<ClientRequest>();
  return {
    request: (message) =>
      new Promise((resolve, reject) => {
        const call = request({ ...target(address), agent, ...optionsOf(message) });
        underWay.add(call);
        call.once("close", () => underWay.delete(call));
        call.once("error", reject);
        let silent = (): unknown => call.destroy(silence(message.answerTimeoutMs));
        call.on("timeout", () => silent());
        call.once("response", (response) => {
          silent = () => {
            // Bytes that nobody has read yet are no silence.
            if (response.readableLength > 0) call.setTimeout(message.bodyTimeoutMs);
            else response.destroy(silence(message.bodyTimeoutMs));
          };
          call.setTimeout(message.bodyTimeoutMs);
          // Whoever reads is told; until somebody does, a failure is nobody's exception.
          response.on("error", () => {});
          resolve({
            code: response.statusCode ?? 0,
            warnings: warningsOf(response.headers.warning),
            body: response,
            text: () => textOf(response),
          });
        });
        call.end(message.body);
      }),
    close: async () => {
      await Promise.all(Array.from(underWay, (call) => new Promise((done) => call.once("close", done))));
      agent.destroy();
    },
    destroy: () => destroy(agent, underWay),
  };
}

/** Without TLS no name is asked for; Node would derive one all the same, by an expression that takes 20 ms to compile. */
function target(address: ServerAddress): RequestOptions & { readonly servername?: string } {
  if ("socketPath" in address) return { socketPath: address.socketPath, servername: "" };
  const { hostname, port, protocol } = new URL(address.origin);
  return { hostname: hostname.replace(/^\[|\]$/g, ""), port, ...(protocol === "http:" && { servername: "" }) };
}

const optionsOf = ({ method, path, headers, body, signal, answerTimeoutMs }: PoolRequest): RequestOptions => ({
  method,
  path,
  headers: { ...headers, ...(body !== undefined && { "content-length": String(Buffer.byteLength(body)) }) },
  ...(signal && { signal }),
  timeout: answerTimeoutMs,
});

const silence = (milliseconds: number): SilenceError =>
  new SilenceError(`the server was silent for ${milliseconds / 1000} s`);

function textOf(response: IncomingMessage): Promise<string> {
  return new Promise((resolve, reject) => {
    if (response.errored) reject(response.errored);
    let text = "";
    response.setEncoding("utf8");
    response.on("data", (chunk: string) => {
      text += chunk;
    });
    response.once("end", () => resolve(text));
    response.once("error", reject);
  });
}

function destroy(agent: Agent, underWay: ReadonlySet<ClientRequest>): void {
  for (const call of underWay) call.destroy();
  agent.destroy();
}
