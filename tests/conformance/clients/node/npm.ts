/** A game with the npm package `@google-cloud/agones-sdk`. */
import AgonesSDKModule from "@google-cloud/agones-sdk";
import { play, Refusal, type SeenGameServer } from "./game.ts";

// The types that the package publishes do not fit what it exports, and lack counters and lists.
const AgonesSDK = AgonesSDKModule as unknown as typeof AgonesSDKModule.default;
type Sdk = InstanceType<typeof AgonesSDK>;
type Server = Awaited<ReturnType<Sdk["getGameServer"]>>;
type Group = Readonly<Record<string, (...values: (string | number)[]) => Promise<unknown>>>;

const sdk = new AgonesSDK() as Sdk & { readonly alpha: Group; readonly beta: Group };
await sdk.connect();

const seen = ({ objectMeta, status }: Server): SeenGameServer => ({
  name: objectMeta.name,
  uid: objectMeta.uid,
  created: objectMeta.creationTimestamp,
  state: status.state,
  labels: Object.fromEntries(objectMeta.labelsMap),
  annotations: Object.fromEntries(objectMeta.annotationsMap),
});

/** The errors of grpc-js carry what the server said. */
async function told<T>(call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    const { code, details } = error as { code?: number; details?: string };
    throw code === undefined ? error : new Refusal(code, details ?? "");
  }
}

/** A method of a group, whose last argument may be a number. */
const of =
  (group: Group, method: string, ...numbers: readonly number[]) =>
  (...words: string[]) => {
    const call = group[method];
    if (!call) throw new Error(`the package has no ${method}`);
    return told(
      call.apply(
        group,
        words.map((word, at) => (numbers.includes(at) ? Number(word) : word)),
      ),
    );
  };

await play({
  gameServer: async () => seen(await told(sdk.getGameServer())),
  watch: (callback) => {
    sdk.watchGameServer(
      (server) => callback(seen(server)),
      (error) => console.error(error),
    );
  },
  setLabel: (key, value) => told(sdk.setLabel(key, value)),
  setAnnotation: (key, value) => told(sdk.setAnnotation(key, value)),
  steps: {
    ready: () => told(sdk.ready()),
    allocate: () => told(sdk.allocate()),
    reserve: (seconds) => told(sdk.reserve(Number(seconds))),
    health: async () => sdk.health((error: unknown) => console.error(error)),
    shutdown: () => told(sdk.shutdown()),
    count: of(sdk.beta, "getCounterCount"),
    increment: of(sdk.beta, "incrementCounter", 1),
    decrement: of(sdk.beta, "decrementCounter", 1),
    "set-count": of(sdk.beta, "setCounterCount", 1),
    capacity: of(sdk.beta, "getCounterCapacity"),
    "set-capacity": of(sdk.beta, "setCounterCapacity", 1),
    contains: of(sdk.beta, "listContains"),
    length: of(sdk.beta, "getListLength"),
    values: of(sdk.beta, "getListValues"),
    append: of(sdk.beta, "appendListValue"),
    delete: of(sdk.beta, "deleteListValue"),
    "list-capacity": of(sdk.beta, "getListCapacity"),
    "set-list-capacity": of(sdk.beta, "setListCapacity", 1),
    "set-player-capacity": of(sdk.alpha, "setPlayerCapacity", 0),
    "player-capacity": of(sdk.alpha, "getPlayerCapacity"),
    "player-connect": of(sdk.alpha, "playerConnect"),
    "player-connected": of(sdk.alpha, "isPlayerConnected"),
    players: of(sdk.alpha, "getConnectedPlayers"),
    "player-disconnect": of(sdk.alpha, "playerDisconnect"),
    "player-count": of(sdk.alpha, "getPlayerCount"),
  },
});
