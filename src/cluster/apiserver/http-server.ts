/** The API server's doors to sockets: a TCP port that asks for a token, a unix socket that does not. */
import type { AddressInfo, BoundSocket } from "node:net";
import type { ApiHandler, UserInfo } from "#api/meta/exchange.ts";
import { type Clock, systemClock } from "#runtime/clock.ts";
import { type ApiDoor, createApiDoor } from "#runtime/http/api-door.ts";
import { holdSocket, listen, listenOnSocket } from "#runtime/http/listen.ts";
import type { Logger } from "#runtime/logger.ts";
import type { KeyAndCertificate } from "#runtime/self-signed.ts";
import { type HeaderGuard, hostNames, socketGuard, tokenGuard } from "./http/guard.ts";

export interface HttpServerOptions {
  /** The secret that requests on TCP ports must carry; none opens before it is known. */
  readonly token: string | Promise<string>;
  readonly log: Logger;
  /** Who requests come from; by default the one administrator. */
  readonly user?: UserInfo;
  /** Further host names and addresses by which clients reach the TCP port; loopback's are known. */
  readonly hosts?: readonly string[];
  readonly clock?: Clock;
}

export interface HttpServer {
  /** With `tls` it speaks HTTPS alone. Resolves with the port that is open; rejects with the system's error (`EADDRINUSE`, …). */
  listenTcp(address: {
    readonly host: string;
    /** 0 chooses one. Or a socket that has one already. */
    readonly port: number | BoundSocket;
    readonly tls?: KeyAndCertificate;
  }): Promise<number>;
  /** A socket file that nobody answers on is replaced, one that is taken away put back. Its folder's mode says who may connect. */
  listenSocket(path: string): Promise<void>;
  /** Takes no more connections, ends watches and logs normally, lets other requests finish, then closes. */
  close(): Promise<void>;
}

const ADMINISTRATOR: UserInfo = { username: "admin", groups: ["system:masters", "system:authenticated"] };

export function createHttpServer(handler: ApiHandler, options: HttpServerOptions): HttpServer {
  const doors: ApiDoor[] = [];
  let letGo = (): void => {};
  const { user = ADMINISTRATOR, clock = systemClock, log } = options;
  const open = (guard: HeaderGuard, tls?: KeyAndCertificate): ApiDoor["server"] => {
    const door = createApiDoor(handler, {
      guard: ({ headers }) => guard(headers) ?? user,
      ...(tls && { tls: { key: tls.key, cert: tls.certificate } }),
      clock,
      log,
    });
    doors.push(door);
    return door.server;
  };
  return {
    listenTcp: async ({ host, port, tls }) => {
      const hosts = hostNames(host, ...(options.hosts ?? []));
      const server = open(tokenGuard({ token: await options.token, hosts }), tls);
      await listen(server, typeof port === "number" ? { host, port } : { handle: port });
      return (server.address() as AddressInfo).port;
    },
    listenSocket: async (path) => {
      const server = open(socketGuard);
      await listenOnSocket(server, path);
      letGo = holdSocket(server, path, clock);
    },
    close: async () => {
      letGo();
      await Promise.all(doors.map((door) => door.close()));
    },
  };
}
