/** Which requests came, for testing a client: what the names mean is Agones' SDK conformance contract. */
import type { DescMethod, Message, MessageShape } from "@bufbuild/protobuf";
import type { GameServer } from "#api/agones/gameserver.ts";
import type { Bool, PlayerID } from "#proto/gen/agones/dev/sdk/alpha/alpha_pb.ts";
import type { CounterUpdateRequest, UpdateCounterRequest } from "#proto/gen/agones/dev/sdk/beta/beta_pb.ts";
import type { KeyValueSchema } from "#proto/gen/agones/dev/sdk/sdk_pb.ts";
import { ConfigError } from "#runtime/config.ts";
import type { RpcError } from "#runtime/grpc/rpc-error.ts";
import type { Logger } from "#runtime/logger.ts";
import type { CallListener } from "./told-methods.ts";

/** Recorded when they are called, whatever comes of it. */
const BY_CALL: Readonly<Record<string, string>> = {
  ready: "ready",
  allocate: "allocate",
  shutdown: "shutdown",
  reserve: "reserve",
  getGameServer: "gameserver",
  watchGameServer: "watch",
  getPlayerCapacity: "getplayercapacity",
  getPlayerCount: "getplayercount",
  getConnectedPlayers: "getconnectedplayers",
  getCounter: "getcounter",
  getList: "getlist",
  updateList: "updatelist",
  addListValue: "addlistvalue",
  removeListValue: "removelistvalue",
};

/** Recorded by what they carry, or by what came of them. */
const BY_ANSWER: readonly string[] = [
  ...["health", "setlabel", "setannotation", "setcapacitycounter", "setcountcounter", "updatecounter"],
  ...["setplayercapacity", "playerconnect", "isplayerconnected", "playerdisconnect"],
];

/** Throws `ConfigError` for names that stand for no request: whoever waited for one would wait in vain. */
export function checkNames(expected: readonly string[]): void {
  const names = [...Object.values(BY_CALL), ...BY_ANSWER];
  const unknown = expected.filter((name) => !names.includes(name));
  if (unknown.length === 0) return;
  const which = unknown.map((name) => JSON.stringify(name)).join(", ");
  throw new ConfigError([`--test names no request with ${which}; the names are ${names.toSorted().join(", ")}`]);
}

/** The player that clients under test connect. */
const PLAYER = "1234";

export class RequestRecord implements CallListener {
  readonly #received = new Set<string>();
  readonly #gameServer: () => GameServer;
  readonly #log: Logger;
  #players: readonly string[] = [];

  constructor({ gameServer, log }: { readonly gameServer: () => GameServer; readonly log: Logger }) {
    this.#gameServer = gameServer;
    this.#log = log;
  }

  /** Whether the names that came are those expected, as sets; says what differs. */
  matches(expected: readonly string[]): boolean {
    const wanted = new Set(expected);
    const received = [...this.#received].sort();
    const unexpected = received.filter((name) => !wanted.has(name));
    const missing = [...wanted].filter((name) => !this.has(name));
    for (const request of unexpected) this.#log.error({ request }, "Found a request which was not expected");
    for (const request of missing) this.#log.error({ request }, "Could not find a request which was expected");
    if (unexpected.length === 0 && missing.length === 0) {
      this.#log.info({}, "Received requests match expected list. Test run was successful");
      return true;
    }
    this.#log.error({ expected, received }, "Testing Failed");
    return false;
  }

  has(name: string): boolean {
    return this.#received.has(name);
  }

  /** The server was made Ready: by a call, or by the end of a reservation. */
  ready(): void {
    this.#received.add("ready");
  }

  called({ localName }: DescMethod): void {
    const name = BY_CALL[localName];
    if (name !== undefined) this.#received.add(name);
  }

  streamed({ localName }: DescMethod): void {
    if (localName === "health") this.#received.add("health");
  }

  answered({ localName }: DescMethod, request: Message | undefined, answer: Message | undefined): void {
    const { metadata } = this.#gameServer();
    switch (localName) {
      case "setLabel":
        this.#compare("setlabel", entryValue(request), secondsOf(metadata.creationTimestamp));
        break;
      case "setAnnotation":
        this.#compare("setannotation", entryValue(request), metadata.uid ?? "");
        break;
      case "updateCounter":
        this.#addAll(counterNames(request));
        break;
      case "setPlayerCapacity":
        this.#received.add("setplayercapacity");
        break;
      case "isPlayerConnected":
        this.#compare("isplayerconnected", this.#players.join(","), (request as PlayerID).playerID);
        break;
      case "playerConnect":
        this.#playersAre(request, answer, (others, id) => [...others, id]);
        this.#compare("playerconnect", this.#players.join(","), PLAYER);
        break;
      case "playerDisconnect":
        this.#playersAre(request, answer, (others) => others);
        this.#compare("playerdisconnect", this.#players.join(","), "");
        break;
    }
  }

  refused({ localName }: DescMethod, request: Message | undefined, error: RpcError): void {
    if (localName === "updateCounter") this.#addAll(namesBefore(error, request));
  }

  #playersAre(
    request: Message | undefined,
    answer: Message | undefined,
    change: (others: readonly string[], id: string) => readonly string[],
  ): void {
    const { playerID } = request as PlayerID;
    if ((answer as Bool).bool)
      this.#players = change(
        this.#players.filter((id) => id !== playerID),
        playerID,
      );
  }

  #compare(name: string, received: string, expected: string): void {
    if (received === expected) this.#received.add(name);
    else
      this.#log.error(
        {},
        `expected to receive '${expected}' as value for '${name}' request but received '${received}'`,
      );
  }

  #addAll(names: readonly string[]): void {
    for (const name of names) this.#received.add(name);
  }
}

const entryValue = (request: Message | undefined): string => (request as MessageShape<typeof KeyValueSchema>).value;

const secondsOf = (timestamp: string | null | undefined): string =>
  String(Math.floor(Date.parse(timestamp ?? "") / 1000));

const updateOf = (request: Message | undefined): CounterUpdateRequest | undefined =>
  (request as UpdateCounterRequest | undefined)?.counterUpdateRequest;

/** One for each part that an update carries, in the order in which parts are applied. */
function counterNames(request: Message | undefined): readonly string[] {
  const { capacity, count, countDiff = 0n } = updateOf(request) ?? {};
  return [
    ...(capacity === undefined ? [] : ["setcapacitycounter"]),
    ...(count === undefined ? [] : ["setcountcounter"]),
    ...(countDiff === 0n ? [] : ["updatecounter"]),
  ];
}

/** Of an update that was refused, the parts before the one at fault. */
function namesBefore({ message }: RpcError, request: Message | undefined): readonly string[] {
  const [, found] = /Found Count: (-?\d+)/.exec(message) ?? [];
  if (found === undefined) return [];
  const { count } = updateOf(request) ?? {};
  const fault = count !== undefined && String(count) === found ? "setcountcounter" : "updatecounter";
  const names = counterNames(request);
  return names.slice(0, names.indexOf(fault));
}
