/** Asks a node agent through its socket: for the supervisor, for the API server's `pods/log`, and for people's commands. */
import { once } from "node:events";
import { existsSync } from "node:fs";
import { type IncomingMessage, type RequestOptions, request } from "node:http";
import { isJsonObject, parseJson } from "#api/meta/json.ts";
import { type Status, StatusError, statusError } from "#api/meta/status.ts";
import { isNobody } from "#runtime/http/socket-answers.ts";
import type { AgentIdentity, ContainerInfo, Keep } from "./agent-server.ts";
import { type LogPiece, readFrames } from "./log-frames.ts";
import type { PodLogQuery } from "./pod-log.ts";

export interface AgentClient {
  /** Who answers at the socket; `undefined` when nobody does. Rejects with `AgentSilentError`. */
  identity(): Promise<AgentIdentity | undefined>;
  containers(): Promise<readonly ContainerInfo[]>;
  /** Rejects with `StatusError` when there is no such log, and, as ServiceUnavailable, when nobody answers. */
  logs(query: PodLogQuery, signal?: AbortSignal): Promise<AsyncIterable<LogPiece>>;
  /** Resolves when the agent has heard; it then ends game servers (`none`) or leaves them running, and exits. */
  stop(keep: Keep): Promise<void>;
}

/** Somebody listens at the socket, and says nothing: the agent was stopped, or hangs. */
export class AgentSilentError extends Error {
  override readonly name = "AgentSilentError";
  readonly code = "AgentSilent";
}

/** What a connection says when the process behind it ended while it was asked. */
const ENDED: ReadonlySet<unknown> = new Set(["ECONNRESET", "EPIPE"]);

const isGone = (error: unknown): boolean => isNobody(error) || ENDED.has((error as NodeJS.ErrnoException).code);

/** `silenceMs`: how long an agent may be silent, 5 s by default; what it is asked for it has in memory. */
export function createAgentClient(socketPath: string, { silenceMs = 5_000 } = {}): AgentClient {
  // Without a name Node would look for one, and compile a large expression for it.
  const socket: RequestOptions & { readonly servername: string } = { socketPath, servername: "", agent: false };
  const call = async (
    method: string,
    path: string,
    limits: Pick<RequestOptions, "signal" | "timeout"> = { timeout: silenceMs },
  ): Promise<IncomingMessage> => {
    const call = request({ ...socket, method, path, ...limits });
    call.on("timeout", () =>
      call.destroy(new AgentSilentError(`the node agent has not answered for ${silenceMs / 1000} s`)),
    );
    // Whoever waits for the answer, or reads it, is told of what breaks; after that it is nobody's exception.
    call.on("error", () => {});
    call.end();
    const [response] = (await once(call, "response")) as [IncomingMessage];
    if ((response.statusCode ?? 500) < 300) return response;
    const body = parseJson(await textOf(response));
    throw new StatusError((isJsonObject(body) ? body : {}) as unknown as Status);
  };
  const json = async (path: string): Promise<unknown> => parseJson(await textOf(await call("GET", path)));
  return {
    identity: async () => {
      // The usual case at a start, told without a request and what it takes to make one.
      if (!existsSync(socketPath)) return undefined;
      try {
        return (await json("/healthz")) as AgentIdentity;
      } catch (error) {
        if (isGone(error)) return undefined;
        throw error;
      }
    },
    containers: async () => (await json("/containers")) as readonly ContainerInfo[],
    logs: async (query, signal) => {
      const path = `/logs?${new URLSearchParams(parametersOf(query))}`;
      const response = await call("GET", path, { signal }).catch((error: unknown) => {
        throw isGone(error) ? statusError("ServiceUnavailable", "the node agent does not answer yet") : error;
      });
      return readFrames(response);
    },
    stop: async (keep) => {
      await textOf(await call("POST", `/stop?keep=${keep}`));
    },
  };
}

function parametersOf(query: PodLogQuery): Record<string, string> {
  const set = Object.entries(query).filter(([, value]) => value !== undefined);
  return Object.fromEntries(set.map(([name, value]) => [name, String(value)]));
}

async function textOf(stream: IncomingMessage): Promise<string> {
  return Buffer.concat(await stream.toArray()).toString();
}
