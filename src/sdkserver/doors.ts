/**
 * The sockets of game servers. Kept apart because it brings HTTP, HTTP/2 and the protocol's messages along: an agent
 * loads it with its first game server, not at its start.
 */
import type { FeatureGates } from "#api/agones/feature-gates.ts";
import type { Clock } from "#runtime/clock.ts";
import { type Door, PortInUseError } from "#runtime/grpc/door.ts";
import type { BoundMethods } from "#runtime/grpc/handlers.ts";
import { type Page, RestDoors } from "#runtime/grpc/rest.ts";
import { GrpcDoors } from "#runtime/grpc/service.ts";
import type { GameServerSession } from "./game-server-session.ts";
import { SDK_SERVICES, sdkMethods } from "./sdk-handlers.ts";

/** Ports to choose from, both ends included; `0` to `0` leaves the choice to the system. */
export interface PortRange {
  readonly first: number;
  readonly last: number;
}

export interface DoorPair {
  readonly grpcPort: number;
  readonly httpPort: number;
  close(): Promise<void>;
}

export interface OpenOptions {
  readonly session: GameServerSession;
  readonly gates: FeatureGates;
  /** The ports of an earlier life; these or none. */
  readonly ports?: { readonly grpcPort: number; readonly httpPort: number };
  /** Puts something around the methods of both doors. */
  readonly around?: (methods: BoundMethods) => BoundMethods;
  /** Told of each connection that is refused since too many are open. */
  readonly onCrowded?: () => void;
  /** Answers HTTP requests that are for no method; false for those that it leaves alone. */
  readonly page?: Page;
}

type Open = (port: number) => Promise<Door>;

const sizeOf = ({ first, last }: PortRange): number => last - first + 1;

/** Attempts at a free port before the range counts as full. */
const MOST_ATTEMPTS = 100;

export class SdkDoors {
  readonly #host: string;
  readonly #range: PortRange;
  readonly #random: () => number;
  /**
   * How far into the range the next search begins. It goes round: a port that was given back is given out again as late as can be, for a
   * game that had it may still call, and an agent that is away for a moment finds the ports of its games free. Where somebody else has
   * a port, as another agent that goes round, it goes on elsewhere.
   */
  #next: number;
  readonly #grpc: GrpcDoors;
  readonly #rest: RestDoors;

  constructor(options: { host: string; portRange: PortRange; clock: Clock; random: () => number }) {
    this.#host = options.host;
    this.#range = options.portRange;
    this.#random = options.random;
    this.#next = this.#anywhere();
    this.#grpc = new GrpcDoors(SDK_SERVICES, options.clock);
    this.#rest = new RestDoors(SDK_SERVICES, options.clock);
  }

  /** Both doors of one game server, or none. Rejects with `PortInUseError` when ports were given and one is taken. */
  async open({
    session,
    gates,
    ports,
    around = (methods) => methods,
    onCrowded,
    page,
  }: OpenOptions): Promise<DoorPair> {
    const methods = around(sdkMethods(session, gates));
    const at = { host: this.#host, onCrowded };
    const grpc = await this.#at(ports?.grpcPort, (port) => this.#grpc.open({ ...at, port, methods }));
    try {
      const rest = await this.#at(ports?.httpPort, (port) => this.#rest.open({ ...at, port, methods, page }));
      return {
        grpcPort: grpc.port,
        httpPort: rest.port,
        close: async () => {
          await Promise.all([grpc.close(), rest.close()]);
        },
      };
    } catch (error) {
      await grpc.close();
      throw error;
    }
  }

  /** At the given port, or at the next one that is free. */
  async #at(port: number | undefined, open: Open): Promise<Door> {
    if (port !== undefined) return open(port);
    const size = sizeOf(this.#range);
    for (let attempt = 1; ; attempt++) {
      const candidate = this.#range.first + this.#next;
      this.#next = (this.#next + 1) % size;
      try {
        return await open(candidate);
      } catch (error) {
        if (!(error instanceof PortInUseError) || attempt >= MOST_ATTEMPTS) throw error;
        this.#next = this.#anywhere();
      }
    }
  }

  #anywhere(): number {
    return Math.floor(this.#random() * sizeOf(this.#range));
  }
}
