/**
 * The agent's own door: HTTP on a unix socket that only its user can open.
 *
 *     GET  /healthz                  who this is, as `AgentIdentity`
 *     GET  /containers               every process container: pod, run, process id, log file
 *     GET  /logs?namespace&pod&…     a container's log, as `PodLogQuery`, in pieces of `log-frames.ts`; a refusal is a Kubernetes `Status`
 *     POST /stop?keep=servers|none   an orderly end; answered before it begins
 */
import { once } from "node:events";
import { chmod, rm } from "node:fs/promises";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { stringifyJson } from "#api/meta/json.ts";
import { badRequest, StatusError, statusError } from "#api/meta/status.ts";
import type { Clock } from "#runtime/clock.ts";
import { holdSocket, listen } from "#runtime/http/listen.ts";
import { socketAnswers } from "#runtime/http/socket-answers.ts";
import { aborted, type Runnable } from "#runtime/runnable.ts";
import { type LogPiece, writeFrames } from "./log-frames.ts";
import type { PodLogQuery } from "./pod-log.ts";

export type Keep = "servers" | "none";

export interface AgentIdentity {
  readonly node: string;
  readonly pid: number;
  /** Of Stadion. */
  readonly version: string;
  /** Differs for programs of one version that are not the same; absent when nobody has said. */
  readonly build?: string;
  /** The arguments it was started with. */
  readonly settings: readonly string[];
  /** RFC 3339. */
  readonly startedAt: string;
  /** It knows its pods and acts on them; false while the API is away. */
  readonly ready: boolean;
}

export interface ContainerInfo {
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
  readonly state: string;
  readonly restartCount: number;
  readonly pid?: number;
  readonly logFile: string;
}

export interface AgentServerOptions {
  readonly socketPath: string;
  readonly identity: () => AgentIdentity;
  readonly containers: () => readonly ContainerInfo[];
  readonly openLog: (query: PodLogQuery, signal: AbortSignal) => Promise<AsyncIterable<LogPiece>>;
  readonly stop: (keep: Keep) => void;
  readonly clock: Clock;
}

/** Another agent answers at this socket. */
export class AgentRunningError extends Error {
  override readonly name = "AgentRunningError";
  readonly code = "AgentRunning";
}

/** A socket's path is limited by the system, to 107 bytes on Linux and 103 on macOS. */
const LONGEST_SOCKET_PATH = 103;

/**
 * Ready when it listens. A socket that nobody answers at is taken over, and one that is taken away is put back; rejects with
 * `AgentRunningError` when somebody answers.
 */
export function createAgentServer(options: AgentServerOptions): Runnable {
  const listening = Promise.withResolvers<void>();
  listening.promise.catch(() => {});
  return {
    name: "node agent socket",
    ready: () => listening.promise,
    run: async (signal) => {
      const server = createServer((request, response) => void answer(request, response, options));
      try {
        await listenAlone(server, options.socketPath);
        listening.resolve();
      } catch (error) {
        listening.reject(error);
        throw error;
      }
      const letGo = holdSocket(server, options.socketPath, options.clock);
      await aborted(signal);
      letGo();
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}

async function listenAlone(server: Server, path: string): Promise<void> {
  if (Buffer.byteLength(path) > LONGEST_SOCKET_PATH)
    throw new RangeError(`the socket's path is longer than ${LONGEST_SOCKET_PATH} bytes: ${path}`);
  if (await socketAnswers(path)) throw new AgentRunningError(`a node agent is already running at ${path}`);
  await rm(path, { force: true });
  await listen(server, { path });
  await chmod(path, 0o600);
  // Put back, it is its user's alone again.
  server.on("listening", () => void chmod(path, 0o600).catch(() => {}));
}

async function answer(request: IncomingMessage, response: ServerResponse, options: AgentServerOptions): Promise<void> {
  try {
    const url = new URL(request.url ?? "/", "http://agent");
    switch (`${request.method} ${url.pathname}`) {
      case "GET /healthz":
        return reply(response, 200, options.identity());
      case "GET /containers":
        return reply(response, 200, options.containers());
      case "GET /logs":
        return await sendLog(response, logQuery(url.searchParams), options);
      case "POST /stop": {
        const keep = keepOf(url.searchParams.get("keep") ?? "servers");
        reply(response, 202, { keep });
        return void response.once("close", () => options.stop(keep));
      }
      default:
        throw statusError("NotFound", "the node agent knows no such path");
    }
  } catch (error) {
    if (response.headersSent) return void response.destroy();
    const refusal = error instanceof StatusError ? error : statusError("InternalError", String(error));
    reply(response, refusal.status.code, refusal.status);
  }
}

async function sendLog(response: ServerResponse, query: PodLogQuery, options: AgentServerOptions): Promise<void> {
  const gone = new AbortController();
  response.once("close", () => gone.abort());
  const pieces = await options.openLog(query, gone.signal);
  response.writeHead(200, { "content-type": "application/octet-stream" });
  response.flushHeaders();
  await pipeline(Readable.from(writeFrames(pieces), { objectMode: false }), response).catch(() => response.destroy());
}

function reply(response: ServerResponse, status: number, value: unknown): void {
  response.writeHead(status, { "content-type": "application/json" }).end(stringifyJson(value));
}

function keepOf(text: string): Keep {
  if (text === "servers" || text === "none") return text;
  throw badRequest(`keep must be servers or none, not ${JSON.stringify(text)}`);
}

function logQuery(query: URLSearchParams): PodLogQuery {
  const number = (name: string): number | undefined => {
    const text = query.get(name);
    if (text === null) return undefined;
    if (!/^\d{1,15}$/.test(text)) throw badRequest(`${name} must be a whole number, not ${JSON.stringify(text)}`);
    return Number(text);
  };
  const flag = (name: string) => query.get(name) === "true";
  return {
    namespace: query.get("namespace") ?? "",
    pod: query.get("pod") ?? "",
    container: query.get("container") ?? undefined,
    previous: flag("previous"),
    follow: flag("follow"),
    timestamps: flag("timestamps"),
    tailLines: number("tailLines"),
    sinceSeconds: number("sinceSeconds"),
    limitBytes: number("limitBytes"),
    from: query.get("from") ?? undefined,
  };
}
