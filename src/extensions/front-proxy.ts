/** Who may use the aggregated API: the API server alone, which proves itself and says for whom it asks. */
import type { IncomingMessage } from "node:http";
import type { TLSSocket } from "node:tls";
import { CONFIG_MAPS } from "#api/core/resources.ts";
import type { UserInfo } from "#api/meta/exchange.ts";
import { type StatusError, statusError } from "#api/meta/status.ts";
import type { Reader } from "#kube/client.ts";
import type { Clock } from "#runtime/clock.ts";
import type { Guard } from "#runtime/http/api-door.ts";
import type { Logger } from "#runtime/logger.ts";
import type { Runnable } from "#runtime/runnable.ts";

/** Where a cluster publishes how its API server proves itself (Kubernetes, "Configure the Aggregation Layer"). */
const NAMESPACE = "kube-system";
const NAME = "extension-apiserver-authentication";

const LOOK_AGAIN_MS = 60_000;
const RETRY_MS = 2_000;

/** Who has proved nothing; enough for discovery, health and webhooks, to which API servers come without a certificate. */
const ANONYMOUS: UserInfo = { username: "system:anonymous", groups: ["system:unauthenticated"] };

interface Trust {
  /** PEM. */
  readonly authority: string;
  /** Common names that certificates may have; empty: any. */
  readonly names: readonly string[];
}

/** `run` keeps what is trusted up to date; `ready` resolves when the cluster has been asked once. */
export interface FrontProxy extends Runnable {
  readonly guard: Guard;
  /** PEM of the authority that signs for the API server; absent while it is unknown. */
  readonly authority: string | undefined;
  onChange(listener: () => void): void;
  ready(): Promise<void>;
}

/**
 * Lets requests of the aggregated API through when the API server's certificate comes with them, on behalf of the user whom its headers name.
 * Until the cluster has told whose certificate that is, they are refused as Unauthorized.
 */
export function createFrontProxy(options: {
  readonly client: Pick<Reader, "get">;
  readonly clock: Clock;
  readonly log: Logger;
}): FrontProxy {
  const { client, clock, log } = options;
  const listeners: (() => void)[] = [];
  const asked = Promise.withResolvers<void>();
  let trust: Trust | undefined;

  const look = async (): Promise<number> => {
    try {
      const { data = {} } = await client.get(CONFIG_MAPS, NAMESPACE, NAME);
      const next = trustOf(data);
      if (!next) log.warn({ configMap: `${NAMESPACE}/${NAME}` }, "the cluster has no authority for its front proxy");
      const changed = next?.authority !== trust?.authority;
      trust = next;
      if (changed) for (const listener of listeners) listener();
      return LOOK_AGAIN_MS;
    } catch (error) {
      log.warn({ error, configMap: `${NAMESPACE}/${NAME}` }, "front proxy's authority not read");
      return RETRY_MS;
    } finally {
      asked.resolve();
    }
  };
  return {
    name: "front-proxy",
    guard: (request) => (isOpen(request) ? ANONYMOUS : userOf(request, trust)),
    get authority() {
      return trust?.authority;
    },
    onChange: (listener) => void listeners.push(listener),
    ready: () => asked.promise,
    run: async (signal) => {
      while (!signal.aborted) await clock.sleep(await look(), signal);
    },
  };
}

function trustOf(data: Readonly<Record<string, string>>): Trust | undefined {
  const authority = data["requestheader-client-ca-file"];
  if (!authority) return undefined;
  const names: unknown = JSON.parse(data["requestheader-allowed-names"] || "[]");
  return { authority, names: Array.isArray(names) ? names.map(String) : [] };
}

/** Reads below `/apis` only describe; everything that acts is a write. */
function isOpen({ method, url = "" }: IncomingMessage): boolean {
  return method === "GET" || method === "HEAD" || !url.startsWith("/apis/");
}

function userOf(request: IncomingMessage, trust: Trust | undefined): UserInfo | StatusError {
  const socket = request.socket as TLSSocket;
  if (!trust || !socket.authorized) return unauthorized();
  const name = socket.getPeerCertificate().subject?.CN;
  if (trust.names.length > 0 && !trust.names.includes(String(name))) return unauthorized();
  const headers = request.headersDistinct;
  const username = headers["x-remote-user"]?.[0];
  return username ? { username, groups: headers["x-remote-group"] ?? [] } : unauthorized();
}

const unauthorized = () => statusError("Unauthorized", "Unauthorized");
