import { certificatesOf } from "#api/autoscaling/ca-bundle.ts";
import type { UrlConfiguration } from "#api/autoscaling/policy.ts";
import { webhookUrl } from "#api/autoscaling/webhook-url.ts";
import { type ConnectionPool, openPool } from "#kube/connection-pool.ts";
import type { Clock } from "#runtime/clock.ts";

/** What a policy names gave no usable answer over HTTP; the message says why, for people, and names the URL without its password. */
export class PolicyServerError extends Error {
  override readonly name = "PolicyServerError";
  readonly code = "PolicyServerFailed";
}

export interface PolicyRequest {
  readonly method: "GET" | "POST";
  /** JSON. */
  readonly body?: string;
  /** An answer of more bytes is refused. */
  readonly maxBytes: number;
  readonly signal: AbortSignal;
}

/** Longest time from a question to the last byte of its answer. */
const TIMEOUT_MS = 15_000;

/**
 * The server that a policy names. Each question has its own connection: one kept through an interval would break at the next question,
 * when the server has closed it meanwhile. With a CA bundle its certificates are the only ones that are trusted. Redirections are not
 * followed.
 */
export class PolicyServer {
  readonly #configuration: UrlConfiguration;
  readonly #clock: Clock;
  #opened: Promise<ConnectionPool> | undefined;

  constructor(configuration: UrlConfiguration, clock: Clock) {
    this.#configuration = configuration;
    this.#clock = clock;
  }

  /**
   * The body of an answer 200 within 15 s. Throws `WebhookUrlError` and `PolicyServerError`, or the signal's reason.
   */
  async request({ method, body, maxBytes, signal }: PolicyRequest): Promise<Uint8Array> {
    const text = webhookUrl(this.#configuration);
    const url = readUrl(text);
    const shown = withoutPassword(url, text);
    const late = new AbortController();
    const cancel = this.#clock.after(TIMEOUT_MS, () =>
      late.abort(new PolicyServerError(`no answer within ${TIMEOUT_MS / 1000} s from the server: ${shown}`)),
    );
    const either = AbortSignal.any([signal, late.signal]);
    try {
      this.#opened ??= openPool({ origin: url.origin, tls: this.#trust() }, undefined);
      const pool = await this.#opened;
      const answer = await pool.request({
        method,
        path: `${url.pathname}${url.search}`,
        headers: { host: url.host, "content-type": "application/json", ...credentials(url) },
        body,
        signal: either,
        answerTimeoutMs: 0,
        bodyTimeoutMs: 0,
      });
      const content = await bounded(answer.body, maxBytes, shown);
      if (answer.code !== 200) throw new PolicyServerError(`bad status code ${answer.code} from the server: ${shown}`);
      return content;
    } catch (error) {
      if (either.aborted) throw either.reason;
      if (error instanceof PolicyServerError) throw error;
      throw new PolicyServerError(`no answer from the server: ${shown}: ${messageOf(error)}`, { cause: error });
    } finally {
      cancel();
    }
  }

  /** A request under way fails. */
  close(): void {
    void this.#opened?.then(
      (pool) => pool.destroy(),
      () => {},
    );
    this.#opened = undefined;
  }

  #trust(): { readonly ca?: string[] } {
    const { caBundle } = this.#configuration;
    if (!caBundle) return {};
    const certificates = certificatesOf(caBundle);
    if (certificates.length === 0) throw new PolicyServerError("no certs were appended from caBundle");
    return { ca: [...certificates] };
  }
}

function readUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol === "http:" || url?.protocol === "https:") return url;
  throw new PolicyServerError(`the URL is no http or https URL: ${text}`);
}

/** The text as it was given, unless it has a password. */
function withoutPassword(url: URL, text: string): string {
  if (!url.password) return text;
  const shown = new URL(url);
  shown.password = "xxxxx";
  return shown.href;
}

/** Of `https://user:password@host/`. */
function credentials({ username, password }: URL): { readonly authorization?: string } {
  if (!username && !password) return {};
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { authorization: `Basic ${Buffer.from(pair).toString("base64")}` };
}

/** Leaving early closes the connection. */
async function bounded(body: AsyncIterable<Uint8Array>, maxBytes: number, shown: string): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body) {
    length += chunk.byteLength;
    if (length > maxBytes) throw new PolicyServerError(`more than ${maxBytes} bytes from the server: ${shown}`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
