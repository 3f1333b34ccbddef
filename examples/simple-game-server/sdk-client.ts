/**
 * The calls of the SDK as a game makes them, one method each. A game in TypeScript would take an SDK package instead; this one shows
 * what goes over the wire. Every method throws `SdkError`. Counts are decimal texts: they may be larger than a number holds exactly.
 */
import { type Call, type SdkAddress, SdkConnection, SdkError } from "./sdk-connection.ts";

/** What this game reads of its own game server. */
export interface GameServer {
  readonly object_meta: { readonly name: string; readonly annotations: Readonly<Record<string, string>> };
  readonly status: { readonly ports: readonly { readonly name: string; readonly port: number }[] };
}

export interface Counter {
  readonly count: string;
  readonly capacity: string;
}

export interface List {
  readonly capacity: string;
  readonly values: readonly string[];
}

export class SdkClient {
  readonly #connection: SdkConnection;

  constructor(address: SdkAddress) {
    this.#connection = new SdkConnection(address);
  }

  ready(): Promise<unknown> {
    return this.#post("/ready", {}, "could not send Ready message");
  }

  allocate(): Promise<unknown> {
    return this.#post("/allocate", {}, "could not mark self as Allocated");
  }

  shutdown(): Promise<unknown> {
    return this.#post("/shutdown", {}, "could not send Shutdown message");
  }

  /** Whole seconds; zero for no end. */
  reserve(seconds: number): Promise<unknown> {
    return this.#post("/reserve", { seconds: String(seconds) }, "could not send Reserve message");
  }

  /** A sign of life; `patienceMs` is how long it waits for an SDK server. */
  ping(patienceMs?: number): Promise<unknown> {
    return this.#post("/health", {}, "could not send Health ping", { ...(patienceMs !== undefined && { patienceMs }) });
  }

  setLabel(key: string, value: string): Promise<unknown> {
    return this.#put("/metadata/label", { key, value }, "could not set label");
  }

  setAnnotation(key: string, value: string): Promise<unknown> {
    return this.#put("/metadata/annotation", { key, value }, "could not set annotation");
  }

  gameServer(): Promise<GameServer> {
    return this.#get("/gameserver", "could not retrieve gameserver");
  }

  /** Calls back with the game server now and after every change, for ever; connects again when the stream ends. */
  async watch(see: (gameServer: GameServer) => void): Promise<void> {
    for await (const gameServer of this.#connection.follow<GameServer>("/watch/gameserver")) see(gameServer);
  }

  counter(key: string): Promise<Counter> {
    return this.#get(counterPath(key), `could not get Counter ${key}`);
  }

  /** An amount below zero is refused here. */
  async changeCounter(key: string, verb: "increment" | "decrement", amount: bigint): Promise<Counter> {
    if (amount < 0n) throw new SdkError("Refused", `amount must be a positive int64, found ${amount}`);
    const countDiff = String(verb === "increment" ? amount : -amount);
    const failure = `could not ${verb} Counter ${key} by amount ${amount}`;
    return this.#patch(counterPath(key), { countDiff }, failure, { actsAgain: true });
  }

  setCounter(key: string, part: "count" | "capacity", amount: bigint): Promise<Counter> {
    const failure = `could not set Counter ${key} ${part} to amount ${amount}`;
    return this.#patch(counterPath(key), { [part]: String(amount) }, failure);
  }

  list(key: string): Promise<List> {
    return this.#get(listPath(key), `could not get List ${key}`);
  }

  setListCapacity(key: string, capacity: bigint): Promise<List> {
    const failure = `could not set List ${key} capacity to amount ${capacity}`;
    return this.#patch(listPath(key), { capacity: String(capacity) }, failure);
  }

  /** `addValue` or `removeValue`. */
  changeList(key: string, verb: "addValue" | "removeValue", value: string): Promise<List> {
    return this.#post(`${listPath(key)}:${verb}`, { value }, `could not get List ${key}`, { actsAgain: true });
  }

  async playerCapacity(): Promise<string> {
    return (await this.#get<{ count: string }>("/alpha/player/capacity", "could not get player capacity")).count;
  }

  setPlayerCapacity(count: bigint): Promise<unknown> {
    return this.#put("/alpha/player/capacity", { count: String(count) }, "could not set player capacity");
  }

  connectPlayer(playerID: string): Promise<unknown> {
    return this.#post("/alpha/player/connect", { playerID }, "could not register connected player");
  }

  disconnectPlayer(playerID: string): Promise<unknown> {
    return this.#post("/alpha/player/disconnect", { playerID }, "could not register disconnected player");
  }

  async connectedPlayers(): Promise<readonly string[]> {
    return (await this.#get<{ list: string[] }>("/alpha/player/connected", "could not list connected players")).list;
  }

  async playerCount(): Promise<string> {
    return (await this.#get<{ count: string }>("/alpha/player/count", "could not get player count")).count;
  }

  #get<T>(path: string, failure: string): Promise<T> {
    return this.#connection.call({ method: "GET", path, failure });
  }

  #post<T>(path: string, body: object, failure: string, how: Partial<Call> = {}): Promise<T> {
    return this.#connection.call({ method: "POST", path, body, failure, ...how });
  }

  #put(path: string, body: object, failure: string): Promise<unknown> {
    return this.#connection.call({ method: "PUT", path, body, failure });
  }

  #patch<T>(path: string, body: object, failure: string, how: Partial<Call> = {}): Promise<T> {
    return this.#connection.call({ method: "PATCH", path, body, failure, ...how });
  }
}

const counterPath = (key: string): string => `/v1beta1/counters/${encodeURIComponent(key)}`;
const listPath = (key: string): string => `/v1beta1/lists/${encodeURIComponent(key)}`;
