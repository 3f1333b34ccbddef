/**
 * A small client of the SDK server's REST port. It needs nothing but Node, so that a game starts at once; a game in
 * TypeScript that wants every call would take an SDK package instead.
 */
import type { Agent as HttpAgent, IncomingMessage } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";

// An `import` of node:http would load all it exports, WebSocket and fetch included: 50 ms of a start.
const { Agent, request } = process.getBuiltinModule("node:http");

/** What this game reads of its own game server. */
export interface GameServer {
  readonly object_meta: { readonly name: string; readonly annotations: Readonly<Record<string, string>> };
  readonly status: { readonly ports: readonly { readonly name: string; readonly port: number }[] };
}

/** The SDK server refused a call, or cannot be reached. */
export class SdkError extends Error {
  override readonly name = "SdkError";
  readonly code: "Refused" | "Unreachable";

  constructor(code: SdkError["code"], message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

export interface SdkAddress {
  readonly host: string;
  readonly port: number;
}

/** How long a call waits for an SDK server that starts, or starts again. */
const PATIENCE_MS = 30_000;
const RETRY_MS = 100;

export class SdkClient {
  readonly #address: SdkAddress;
  /** One connection: calls reach the server in the order they were made. */
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });

  constructor(address: SdkAddress) {
    this.#address = address;
  }

  ready(): Promise<unknown> {
    return this.#call("POST", "/ready");
  }

  allocate(): Promise<unknown> {
    return this.#call("POST", "/allocate");
  }

  shutdown(): Promise<unknown> {
    return this.#call("POST", "/shutdown");
  }

  /** Whole seconds; zero for no end. */
  reserve(seconds: number): Promise<unknown> {
    return this.#call("POST", "/reserve", { seconds: String(seconds) });
  }

  ping(patienceMs = PATIENCE_MS): Promise<unknown> {
    return this.#call("POST", "/health", {}, patienceMs);
  }

  setLabel(key: string, value: string): Promise<unknown> {
    return this.#call("PUT", "/metadata/label", { key, value });
  }

  setAnnotation(key: string, value: string): Promise<unknown> {
    return this.#call("PUT", "/metadata/annotation", { key, value });
  }

  async gameServer(): Promise<GameServer> {
    return (await this.#call("GET", "/gameserver")) as GameServer;
  }

  /** Calls back with the game server now and after every change, for ever; connects again when the stream ends. */
  async watch(see: (gameServer: GameServer) => void): Promise<never> {
    for (;;) {
      try {
        for await (const line of lines(await this.#send("GET", "/watch/gameserver", undefined, false))) {
          const { result } = JSON.parse(line) as { result?: GameServer };
          if (result) see(result);
        }
      } catch (error) {
        if (!isConnectionError(error)) throw error;
      }
      await sleep(10 * RETRY_MS);
    }
  }

  /** The answer's JSON. Tries again while there is no connection. Throws `SdkError`. */
  async #call(method: string, path: string, body?: object, patienceMs = PATIENCE_MS): Promise<unknown> {
    const deadline = performance.now() + patienceMs;
    for (;;) {
      try {
        const response = await this.#send(method, path, body, this.#agent);
        const text = await textOf(response);
        if (response.statusCode === 200) return JSON.parse(text);
        throw new SdkError("Refused", `${method} ${path}: ${response.statusCode} ${text}`);
      } catch (error) {
        if (!isConnectionError(error)) throw error;
        if (performance.now() >= deadline)
          throw new SdkError("Unreachable", `${method} ${path}: ${(error as Error).message}`, { cause: error });
        await sleep(RETRY_MS);
      }
    }
  }

  #send(method: string, path: string, body: object | undefined, agent: HttpAgent | false): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      request({ ...this.#address, method, path, agent }, resolve)
        .once("error", reject)
        .end(body && JSON.stringify(body));
    });
  }
}

/** No answer came: nobody listens, or the connection broke. */
export function isConnectionError(error: unknown): boolean {
  if (error instanceof SdkError) return error.code === "Unreachable";
  const { code = "" } = error as { code?: string };
  return /^(ECONN|EPIPE|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EHOSTUNREACH)/.test(code);
}

async function textOf(response: IncomingMessage): Promise<string> {
  let text = "";
  response.setEncoding("utf8");
  for await (const chunk of response) text += chunk;
  return text;
}

async function* lines(response: IncomingMessage): AsyncGenerator<string> {
  let rest = "";
  response.setEncoding("utf8");
  for await (const chunk of response as AsyncIterable<string>) {
    const parts = (rest + chunk).split("\n");
    rest = parts.pop() ?? "";
    yield* parts;
  }
}
