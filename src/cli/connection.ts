import { accessSync, constants } from "node:fs";
import { join, resolve } from "node:path";
import type { JsonValue } from "#api/meta/json.ts";
import { createClient } from "#kube/api-client.ts";
import type { Client } from "#kube/client.ts";
import { heldTransport, isUnreached } from "#kube/held-transport.ts";
import { type Transport, TransportError, type TransportRequest } from "#kube/transport.ts";
import { httpTransport } from "#kube/transport-http.ts";
import type { Clock } from "#runtime/clock.ts";
import { socketAnswers } from "#runtime/http/socket-answers.ts";
import { CliError } from "./errors.ts";

export interface Connection {
  readonly transport: Transport;
  readonly client: Client;
  /** The data folder of the cluster, absolute. */
  readonly dataDir: string;
  close(): Promise<void>;
}

/** The API server's unix socket in a data folder. */
export const apiSocket = (dataDir: string): string => join(dataDir, "api.sock");
/** The node agent's unix socket in a data folder. */
export const agentSocket = (dataDir: string): string => join(dataDir, "agent.sock");

/** The socket that a supervisor answers as long as it lives. */
export const supervisorSocket = (dataDir: string): string => join(dataDir, "supervisor.sock");

/** So long a control plane may take to be started again. */
const PATIENCE_MS = 10_000;
const PAUSE_MS = 100;

/** A write was sent and the connection broke: nobody knows whether it took effect. */
export class AnswerLost extends TransportError {}

/**
 * Connects to the cluster of a data folder. Throws `CliError` when none runs there, or this user may not ask it. While a supervisor lives,
 * a request that nobody is there for waits for the control plane, which is being started again, and one that reads and breaks is sent
 * again: in the first 10 s, not longer. A write that breaks is an `AnswerLost`.
 */
export function connect(dataDir: string, clock: Clock): Connection {
  const folder = resolve(dataDir);
  const socketPath = apiSocket(folder);
  try {
    // Who connects has to be allowed to write to the socket.
    accessSync(socketPath, constants.R_OK | constants.W_OK);
  } catch (cause) {
    throw unusable(folder, cause as NodeJS.ErrnoException);
  }
  const direct = httpTransport({ socketPath });
  const enough = new AbortController();
  const cancel = clock.after(PATIENCE_MS, () => enough.abort());
  void socketAnswers(supervisorSocket(folder)).then((lives) => lives || enough.abort());
  const held = heldTransport(direct, { socketPath, clock, until: enough.signal });
  const exchange = async (request: TransportRequest): Promise<JsonValue> => {
    for (;;) {
      try {
        return await held.exchange(request);
      } catch (error) {
        if (!(error instanceof TransportError) || isUnreached(error)) throw error;
        if (request.method !== "GET") throw new AnswerLost(error.message, { cause: error.cause });
        if (enough.signal.aborted) throw error;
      }
      await clock.sleep(PAUSE_MS, enough.signal).catch(() => {});
    }
  };
  const transport: Transport = { ...held, exchange };
  const close = (): Promise<void> => {
    cancel();
    enough.abort();
    return direct.close();
  };
  return { transport, client: createClient(transport), dataDir: folder, close };
}

/** Why a data folder whose socket cannot be used is of no use: whoever may not look into it does not know whether a cluster runs there. */
export function unusable(folder: string, cause: NodeJS.ErrnoException): CliError {
  const { code } = cause;
  if (code === "EACCES" || code === "EPERM")
    return new CliError(
      "Usage",
      `this user may not use ${folder}: it is for the user who started a cluster there; name another with --data-dir`,
      { cause },
    );
  if (code === "ENOTDIR") return new CliError("Usage", `${folder} is no folder`, { cause });
  return new CliError(
    "NotRunning",
    `no cluster runs in ${folder}: start one with "npm start", go to the folder where one was started, or name its data folder with --data-dir`,
    { cause },
  );
}
