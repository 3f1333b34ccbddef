import { readFile } from "node:fs/promises";
import { BoundSocket } from "node:net";
import { join } from "node:path";
import type { ApiHandler } from "#api/meta/exchange.ts";
import { statusError } from "#api/meta/status.ts";
import { createHttpServer } from "#cluster/apiserver/http-server.ts";
import type { Clock } from "#runtime/clock.ts";
import { statusAnswer } from "#runtime/http/api-door.ts";
import type { Logger } from "#runtime/logger.ts";
import { apiCertificate } from "./api-certificate.ts";
import { apiToken } from "./api-token.ts";

export interface ApiDoorsOptions {
  readonly dataDir: string;
  readonly apiPort: number;
  readonly clock: Clock;
  readonly log: Logger;
}

/** The sockets of an API. What comes through them before `serve` waits for it. */
export interface ApiDoors {
  /** From now on it answers. */
  serve(handler: ApiHandler): void;
  /** Resolves once it has a port that nobody listens at. Rejects with the system's error, such as `EADDRINUSE`. */
  readonly bound: Promise<unknown>;
  /** The address clients use, once it is open. Rejects with the system's error of a door. */
  readonly address: Promise<string>;
  /** Those who wait are told that nobody will answer. */
  close(): Promise<void>;
}

const HOST = "127.0.0.1";

/**
 * Where the API is served when any port will do, both ends included. Below the ports that systems give to outgoing connections: no such
 * connection comes to own it while the control plane is away for a moment.
 */
const CHOSEN = { first: 30_000, last: 32_000 };
const MOST_CHOICES = 100;

/**
 * Opens the doors of a data folder's API: best before the API is there, so that nobody on this machine finds them shut and waits before
 * the next try.
 */
export function openDoors(options: ApiDoorsOptions): ApiDoors {
  const { dataDir, log, clock } = options;
  const serving = Promise.withResolvers<ApiHandler>();
  const token = apiToken(dataDir);
  const doors = createHttpServer(async (request) => (await serving.promise)(request), { token, log, clock });
  const socket = doors.listenSocket(join(dataDir, "api.sock"));
  const bound = bindPort(options);
  const tls = bound.then(() => apiCertificate(dataDir, [HOST], clock));
  // Whoever fails before it listens has ended the start, and with it this process.
  const port = Promise.all([bound, tls]).then(([own, tls]) => doors.listenTcp({ host: HOST, port: own, tls }));
  const address = Promise.all([port, socket]).then(([opened]) => `https://${HOST}:${opened}`);
  for (const each of [token, bound, tls, address]) each.catch(() => {});
  return {
    serve: serving.resolve,
    bound,
    address,
    close: async () => {
      // One that is opening would stay open.
      await Promise.allSettled([socket, port]);
      const { status } = statusError("ServiceUnavailable", "the API server is stopping");
      serving.resolve(async () => statusAnswer(status));
      await doors.close();
    },
  };
}

/** The first of the ports that nobody has. Rejects with the system's error. */
async function bindPort({ dataDir, apiPort }: ApiDoorsOptions): Promise<BoundSocket> {
  const ports = apiPort === 0 ? await choices(dataDir) : [apiPort];
  for (const [at, port] of ports.entries()) {
    try {
      return new BoundSocket({ host: HOST, port });
    } catch (error) {
      if (at === ports.length - 1 || (error as NodeJS.ErrnoException).code !== "EADDRINUSE") throw error;
    }
  }
  throw new TypeError("no port to open at");
}

/** Ports to try: that of the folder's kubeconfig as `start` writes it, which clients may have read, then any. */
async function choices(dataDir: string): Promise<readonly number[]> {
  const kubeconfig = await readFile(join(dataDir, "kubeconfig"), "utf8").catch(() => "");
  const [, former] = /"server": "https:\/\/127\.0\.0\.1:(\d+)"/.exec(kubeconfig) ?? [];
  const any = () => CHOSEN.first + Math.floor(Math.random() * (CHOSEN.last - CHOSEN.first + 1));
  return [...(former === undefined ? [] : [Number(former)]), ...Array.from({ length: MOST_CHOICES }, any)];
}
