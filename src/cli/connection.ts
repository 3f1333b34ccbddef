import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { createClient } from "#kube/api-client.ts";
import type { Client } from "#kube/client.ts";
import type { Transport } from "#kube/transport.ts";
import { httpTransport } from "#kube/transport-http.ts";
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

/** Connects to the cluster of a data folder. Throws `CliError` when none runs there. */
export function connect(dataDir: string): Connection {
  const folder = resolve(dataDir);
  const socketPath = apiSocket(folder);
  if (!existsSync(socketPath))
    throw new CliError(
      "NotRunning",
      `no cluster runs in ${folder}: start one with "npm start", go to the folder where one was started, or name its data folder with --data-dir`,
    );
  const transport = httpTransport({ socketPath });
  return { transport, client: createClient(transport), dataDir: folder, close: () => transport.close() };
}
