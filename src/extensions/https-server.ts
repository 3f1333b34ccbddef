import type { Server as HttpsServer } from "node:https";
import type { AddressInfo } from "node:net";
import type { SecureContextOptions } from "node:tls";
import type { ApiHandler } from "#api/meta/exchange.ts";
import type { Clock } from "#runtime/clock.ts";
import { createApiDoor } from "#runtime/http/api-door.ts";
import { listen } from "#runtime/http/listen.ts";
import type { Logger } from "#runtime/logger.ts";
import { aborted, type Runnable } from "#runtime/runnable.ts";
import type { ReloadingCertificate } from "#runtime/tls-reload.ts";
import type { FrontProxy } from "./front-proxy.ts";

/** A review carries an object twice, each as large as the API server takes, and its own frame. */
const MAX_BODY_BYTES = 7 * 1024 * 1024;

export interface ExtensionsServer extends Runnable {
  /** Resolves when it listens; rejects with the system's error (`EADDRINUSE`, …). */
  ready(): Promise<void>;
  /** The port it listens on. */
  readonly port: number;
}

/** HTTPS on all addresses, or on `host`. New connections get the certificate and authority of the moment. */
export function createExtensionsServer(options: {
  readonly handler: ApiHandler;
  readonly certificate: Pick<ReloadingCertificate, "current" | "onChange">;
  readonly frontProxy: Pick<FrontProxy, "guard" | "authority" | "onChange">;
  readonly port: number;
  readonly host?: string;
  /** Once aborted each connection ends with its next answer: who asks again comes to another Pod. */
  readonly draining?: AbortSignal;
  readonly clock: Clock;
  readonly log: Logger;
}): ExtensionsServer {
  const { handler, certificate, frontProxy, port, host, draining, clock, log } = options;
  const secrets = (): SecureContextOptions => ({
    key: certificate.current.key,
    cert: certificate.current.certificate,
    // Before it is known, nobody vouches for a client.
    ca: frontProxy.authority ?? [],
  });
  const door = createApiDoor(handler, {
    guard: frontProxy.guard,
    // Whether who connects must be known depends on what is asked for.
    tls: { ...secrets(), requestCert: true, rejectUnauthorized: false },
    maxBodyBytes: MAX_BODY_BYTES,
    ...(draining && { draining }),
    clock,
    log,
  });
  const server = door.server as HttpsServer;
  const renew = () => server.setSecureContext({ minVersion: "TLSv1.2", ...secrets() });
  certificate.onChange(renew);
  frontProxy.onChange(renew);
  const listening = Promise.withResolvers<void>();
  listening.promise.catch(() => {});
  return {
    name: "extensions-https",
    ready: () => listening.promise,
    get port() {
      return (server.address() as AddressInfo | null)?.port ?? 0;
    },
    run: async (signal) => {
      try {
        await listen(server, { port, ...(host !== undefined && { host }) });
      } catch (error) {
        listening.reject(error);
        throw error;
      }
      listening.resolve();
      await aborted(signal);
      await door.close();
    },
  };
}
