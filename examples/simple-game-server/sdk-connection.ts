/** Calls to the SDK server's REST port over one connection. It needs nothing but Node, so that a game starts at once. */
import type { IncomingMessage } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";

// An `import` of node:http would load all it exports, WebSocket and fetch included: 50 ms of a start.
const { Agent, request } = process.getBuiltinModule("node:http");

/** The SDK server refused a call, or cannot be reached. Its message is what Agones' client in Go would say. */
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

export interface Call {
  readonly method: string;
  readonly path: string;
  readonly body?: object;
  /** What a failure is told with: `could not send Ready message`. */
  readonly failure: string;
  /** How long it waits for an SDK server that starts, or starts again; in milliseconds. 30 s by default. */
  readonly patienceMs?: number;
  /** Made twice it would act twice: it is not repeated once it may have arrived. */
  readonly actsAgain?: boolean;
}

const PATIENCE_MS = 30_000;
const RETRY_MS = 100;

/** gRPC's codes by number, as Go writes them. */
const CODES = [
  ...["OK", "Canceled", "Unknown", "InvalidArgument", "DeadlineExceeded", "NotFound", "AlreadyExists"],
  ...["PermissionDenied", "ResourceExhausted", "FailedPrecondition", "Aborted", "OutOfRange", "Unimplemented"],
  ...["Internal", "Unavailable", "DataLoss", "Unauthenticated"],
];

export class SdkConnection {
  readonly #address: SdkAddress;
  /** One connection: calls reach the server in the order they were made. */
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });

  constructor(address: SdkAddress) {
    this.#address = address;
  }

  /** The answer's JSON. Tries again while there is no connection. Throws `SdkError`. */
  async call<T>(call: Call): Promise<T> {
    const { failure, patienceMs = PATIENCE_MS, actsAgain = false } = call;
    const deadline = performance.now() + patienceMs;
    for (;;) {
      try {
        const response = await this.#send(call, true);
        const text = await textOf(response);
        if (response.statusCode === 200) return JSON.parse(text) as T;
        throw new SdkError("Refused", `${failure}: ${rpcError(text)}`);
      } catch (error) {
        if (!isConnectionError(error)) throw error;
        const mayHaveArrived = (error as NodeJS.ErrnoException).code !== "ECONNREFUSED";
        if (performance.now() >= deadline || (actsAgain && mayHaveArrived))
          throw new SdkError("Unreachable", `${failure}: ${unavailable(error)}`, { cause: error });
        await sleep(RETRY_MS);
      }
    }
  }

  /** The messages of a stream, for ever: it is opened again when it ends. Throws what is no fault of the connection. */
  async *follow<T>(path: string): AsyncGenerator<T> {
    for (;;) {
      try {
        for await (const line of lines(await this.#send({ method: "GET", path }, false))) {
          const { result } = JSON.parse(line) as { result?: T };
          if (result) yield result;
        }
      } catch (error) {
        if (!isConnectionError(error)) throw error;
      }
      await sleep(10 * RETRY_MS);
    }
  }

  #send({ method, path, body }: Pick<Call, "method" | "path" | "body">, shared: boolean): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      request({ ...this.#address, method, path, agent: shared && this.#agent }, resolve)
        .once("error", reject)
        .end(body && JSON.stringify(body));
    });
  }
}

/** A refusal of the gateway, `{"code":2,"message":"…"}`, as Go writes it. */
function rpcError(text: string): string {
  const { code = 2, message = text } = parsed(text);
  return `rpc error: code = ${CODES[code] ?? `Code(${code})`} desc = ${message}`;
}

const unavailable = (error: unknown): string => `rpc error: code = Unavailable desc = ${(error as Error).message}`;

function parsed(text: string): { readonly code?: number; readonly message?: string } {
  try {
    return JSON.parse(text) ?? {};
  } catch {
    return {};
  }
}

/** No answer came: nobody listens, or the connection broke. */
function isConnectionError(error: unknown): boolean {
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
