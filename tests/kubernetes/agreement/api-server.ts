/** An API server as any client sees it: over HTTPS, with what its kubeconfig holds. */

import type { IncomingMessage } from "node:http";
import { Agent, request } from "node:https";
import { text } from "node:stream/consumers";
import { isJsonObject, type JsonObject, type JsonValue, parseJson, stringifyJson } from "#api/meta/json.ts";
import { readKubeconfig } from "#tests/harness/api.ts";

export interface Answer {
  readonly status: number;
  readonly contentType: string;
  /** The texts of `Warning` headers. */
  readonly warnings: readonly string[];
  /** JSON where it is JSON, else the text. */
  readonly body: JsonValue;
}

export interface CallOptions {
  readonly contentType?: string;
  readonly accept?: string;
}

export class ApiServer {
  readonly name: string;
  readonly kubeconfig: string;
  readonly #access: ReturnType<typeof readKubeconfig>;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 4 });

  constructor(name: string, kubeconfig: string) {
    this.name = name;
    this.kubeconfig = kubeconfig;
    this.#access = readKubeconfig(kubeconfig);
  }

  /** One request. A body that is a text or bytes goes as it is. */
  async call(
    method: string,
    path: string,
    body?: JsonValue | Uint8Array,
    { contentType = "application/json", accept = "application/json" }: CallOptions = {},
  ): Promise<Answer> {
    const response = await this.open(method, path, body, { contentType, accept });
    const type = response.headers["content-type"] ?? "";
    const content = await text(response);
    return {
      status: response.statusCode ?? 0,
      contentType: type,
      warnings: warningsOf(response.headers.warning),
      body: /json/.test(type) && content !== "" ? parseJson(content) : content,
    };
  }

  /** The answer from its head on, for watches. */
  open(
    method: string,
    path: string,
    body?: JsonValue | Uint8Array,
    { contentType = "application/json", accept = "application/json" }: CallOptions = {},
  ): Promise<IncomingMessage> {
    const { server, authority, token } = this.#access;
    const content =
      body === undefined || body instanceof Uint8Array || typeof body === "string" ? body : stringifyJson(body);
    return new Promise((resolve, reject) => {
      request(
        new URL(path, server),
        {
          method,
          ca: authority,
          agent: this.#agent,
          headers: {
            accept,
            authorization: `Bearer ${token}`,
            // Said aloud: with a DELETE nobody expects a body.
            ...(content !== undefined && {
              "content-type": contentType,
              "content-length": Buffer.byteLength(content),
            }),
          },
        },
        resolve,
      )
        .on("error", reject)
        .end(content);
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}

/** `299 - "text"` (RFC 7234 §5.5), several joined by commas. */
function warningsOf(header: string | string[] | undefined): readonly string[] {
  const joined = Array.isArray(header) ? header.join(", ") : (header ?? "");
  return [...joined.matchAll(/299 \S+ ("(?:[^"\\]|\\.)*")/g)].map(([, quoted = ""]) =>
    quoted.slice(1, -1).replace(/\\(.)/g, "$1"),
  );
}

const plurals: Readonly<Record<string, string>> = { GameServerAllocationPolicy: "gameserverallocationpolicies" };
const clusterScoped = new Set([
  "Namespace",
  "CustomResourceDefinition",
  "APIService",
  "ValidatingWebhookConfiguration",
  "MutatingWebhookConfiguration",
]);

/** The collection an object is posted to. */
export function objectPath(object: JsonObject, namespace?: string): string {
  const { apiVersion = "", kind = "" } = object;
  const metadata = isJsonObject(object.metadata) ? object.metadata : {};
  const base = String(apiVersion).includes("/") ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  const plural = plurals[String(kind)] ?? `${String(kind).toLowerCase()}s`;
  if (clusterScoped.has(String(kind))) return `${base}/${plural}`;
  return `${base}/namespaces/${namespace ?? metadata.namespace ?? "default"}/${plural}`;
}
