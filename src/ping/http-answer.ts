/** Answers every HTTP request with the same short text, and `/live` with whether the service is well. */
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Clock } from "#runtime/clock.ts";
import { openServer } from "#runtime/grpc/door.ts";
import { type HealthChecks, healthHandler } from "#runtime/health.ts";
import { aborted, type Runnable } from "#runtime/runnable.ts";

export interface HttpAnswerOptions {
  /** An address to bind; all interfaces when absent. */
  readonly host?: string;
  /** 0 lets the system choose. */
  readonly port: number;
  /** The body of every answer. */
  readonly response: string;
  readonly health: HealthChecks;
  readonly clock: Clock;
}

/** How long requests in hand may take once it is told to end. */
const DRAIN_MS = 10_000;

/** Its `run` rejects with `PortInUseError`, or with the system's error, when the port cannot be bound. */
export class HttpAnswer implements Runnable {
  readonly name = "http-server";
  readonly #options: HttpAnswerOptions;
  readonly #server: Server;
  readonly #ready = Promise.withResolvers<void>();

  constructor(options: HttpAnswerOptions) {
    this.#options = options;
    this.#server = createServer(answers(options));
    this.#ready.promise.catch(() => {});
  }

  ready(): Promise<void> {
    return this.#ready.promise;
  }

  /** Where it listens, once it is ready. */
  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  async run(signal: AbortSignal): Promise<void> {
    const { host = "", port, clock } = this.#options;
    try {
      await openServer(this.#server, { host, port });
    } catch (error) {
      this.#ready.reject(error);
      throw error;
    }
    this.#ready.resolve();
    await aborted(signal);
    const cancel = clock.after(DRAIN_MS, () => this.#server.closeAllConnections());
    await new Promise((done) => this.#server.close(done));
    cancel();
  }
}

function answers({ response: text, health }: HttpAnswerOptions): RequestListener {
  const live = healthHandler(health);
  const body = Buffer.from(text);
  const headers = { "content-type": "text/plain; charset=utf-8", "content-length": body.byteLength };
  return (request, response) => {
    const [path] = (request.url ?? "/").split("?", 1);
    if (path === "/live") live(request, response);
    else response.writeHead(200, headers).end(body);
  };
}
