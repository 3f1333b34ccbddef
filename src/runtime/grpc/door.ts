/** What both doors share: a listening socket that serves bound methods and can be closed in one go. */
import type { AddressInfo, Server, Socket } from "node:net";
import type { Clock } from "../clock.ts";
import { listen } from "../http/listen.ts";

/** A listening socket that serves the methods of one listener. */
export interface Door {
  /** The port it listens on; chosen by the system when 0 was asked. */
  readonly port: number;
  /** Stops listening, gives running calls 100 ms to end, cuts the rest and resolves when every connection is closed. */
  close(): Promise<void>;
}

export interface DoorOptions {
  /** Address to bind: a literal or a name; an empty one means all interfaces. */
  readonly host: string;
  readonly port: number;
  /** Told of each connection that is refused since `MOST_CONNECTIONS` are open; those that nothing goes on on are closed then. */
  readonly onCrowded?: () => void;
}

/** Of one door, far beyond what a game needs: one that never closes what it opens takes no files from the doors of others. */
export const MOST_CONNECTIONS = 1_000;

/** The port asked for belongs to another process. */
export class PortInUseError extends Error {
  override readonly name = "PortInUseError";
  readonly code = "PortInUse";
  readonly port: number;

  constructor({ host, port }: DoorOptions, options?: ErrorOptions) {
    super(`port ${port} on ${host || "all interfaces"} is in use by another process`, options);
    this.port = port;
  }
}

/**
 * Resolves with the port bound. A connection too many is closed at once, after `makeRoom` for the next was called. Rejects with
 * `PortInUseError`, or with the system's error.
 */
export async function openServer(
  server: Server,
  { host, port, onCrowded }: DoorOptions,
  makeRoom = (): void => {},
): Promise<number> {
  server.maxConnections = MOST_CONNECTIONS;
  server.on("drop", () => {
    makeRoom();
    onCrowded?.();
  });
  try {
    await listen(server, { port, ...(host && { host }) });
  } catch (cause) {
    throw (cause as NodeJS.ErrnoException).code === "EADDRINUSE"
      ? new PortInUseError({ host, port }, { cause })
      : cause;
  }
  return (server.address() as AddressInfo).port;
}

/** How long running calls may take to end when their door closes. */
const GRACE_MS = 100;

/** The sockets that a listener has open, each with what is spoken on it, so that `close` can end them all. */
export class OpenSockets<T = undefined> {
  readonly #clock: Clock;
  readonly #open = new Map<Socket, T>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  add(socket: Socket, spoken: T): void {
    this.#open.set(socket, spoken);
    socket.on("close", () => this.#open.delete(socket));
  }

  get spoken(): Iterable<T> {
    return this.#open.values();
  }

  /** No more are accepted; those that are open have a moment to end. Resolves when all have. */
  close(server: Server): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.#clock.after(GRACE_MS, () => {
        for (const socket of this.#open.keys()) socket.destroy();
      });
      server.close(() => {
        cancel();
        resolve();
      });
    });
  }
}
