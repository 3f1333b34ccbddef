/** Sends every datagram back to where it came from, so that a game client can measure how far away a cluster is. */
import { createSocket, type RemoteInfo, type Socket } from "node:dgram";
import { once } from "node:events";
import { isIPv6 } from "node:net";
import type { Clock } from "#runtime/clock.ts";
import { PortInUseError } from "#runtime/grpc/door.ts";
import type { Logger } from "#runtime/logger.ts";
import { aborted, type Runnable } from "#runtime/runnable.ts";
import { RateLimit } from "./rate-limit.ts";

export interface UdpEchoOptions {
  /** An address to bind; all interfaces when absent. */
  readonly host?: string;
  /** 0 lets the system choose. */
  readonly port: number;
  /** Answers per second for one address and port. */
  readonly perSecond: number;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Bytes of a datagram that are read; an answer is never longer than what it answers. */
const MOST_BYTES = 1024;
const SWEEP_MS = 60_000;
/** Datagrams without an answer are told of together. */
const TELL_MS = 10_000;

/** Its `run` rejects with `PortInUseError`, or with the system's error, when the port cannot be bound. */
export class UdpEcho implements Runnable {
  readonly name = "udp-server";
  readonly #options: UdpEchoOptions;
  readonly #limit: RateLimit;
  readonly #ready = Promise.withResolvers<void>();
  #socket: Socket | undefined;
  #silent = 0;

  constructor(options: UdpEchoOptions) {
    this.#options = options;
    this.#limit = new RateLimit(options);
    this.#ready.promise.catch(() => {});
  }

  ready(): Promise<void> {
    return this.#ready.promise;
  }

  /** Where it listens, once it is ready. */
  get port(): number {
    return this.#socket?.address().port ?? 0;
  }

  /** Throws unless datagrams are answered. */
  check(): void {
    if (!this.#socket) throw new Error("UDP Server is unhealthy");
  }

  async run(signal: AbortSignal): Promise<void> {
    const { clock, log } = this.#options;
    const socket = await bind(this.#options).catch((error: unknown) => {
      this.#ready.reject(error);
      throw error;
    });
    socket.on("message", (datagram, sender) => this.receive(datagram, sender));
    socket.on("error", (error) => log.warn({ error }, "Error reading udp packet"));
    this.#socket = socket;
    this.#ready.resolve();
    const ends = [every(clock, SWEEP_MS, () => this.#limit.sweep()), every(clock, TELL_MS, () => this.#tell())];
    await aborted(signal);
    for (const end of ends) end();
    this.#tell();
    this.#socket = undefined;
    const closed = once(socket, "close");
    socket.close();
    await closed;
  }

  /** A datagram came. */
  receive(datagram: Buffer, { address, port }: RemoteInfo): void {
    // Nobody can be answered at port 0, which only a forged datagram comes from.
    if (port === 0) return;
    if (!this.#limit.allows(`${address} ${port}`)) {
      this.#silent++;
      return;
    }
    // What cannot be sent, to a broadcast address for one, is no fault of ours.
    this.#socket?.send(withoutPadding(datagram.subarray(0, MOST_BYTES)), port, address, () => {});
  }

  #tell(): void {
    if (this.#silent > 0) this.#options.log.warn({ datagrams: this.#silent }, "Rate limited. No response sent");
    this.#silent = 0;
  }
}

/** For IPv6 and IPv4 at once where the system has both. */
async function bind({ host, port }: UdpEchoOptions): Promise<Socket> {
  const open = async (type: "udp4" | "udp6"): Promise<Socket> => {
    const socket = createSocket(type);
    try {
      const listening = once(socket, "listening");
      socket.bind(port, host);
      await listening;
      return socket;
    } catch (error) {
      socket.close();
      throw error;
    }
  };
  try {
    if (host !== undefined) return await open(isIPv6(host) ? "udp6" : "udp4");
    return await open("udp6").catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "EAFNOSUPPORT" && error.code !== "EADDRNOTAVAIL") throw error;
      return open("udp4");
    });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EADDRINUSE") throw error;
    throw new PortInUseError({ host: host ?? "", port }, { cause: error });
  }
}

/** Without the zero bytes at its end. */
function withoutPadding(datagram: Buffer): Buffer {
  let end = datagram.length;
  while (end > 0 && datagram[end - 1] === 0) end--;
  return datagram.subarray(0, end);
}

/** Calls back again and again; the returned function ends it. */
function every(clock: Clock, ms: number, callback: () => void): () => void {
  let cancel = (): void => {};
  const next = (): void => {
    cancel = clock.after(ms, () => {
      callback();
      next();
    });
  };
  next();
  return () => cancel();
}
