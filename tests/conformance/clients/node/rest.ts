/** A game that has no SDK: plain HTTP requests, and a WebSocket. */
import { play, Refusal, type SeenGameServer } from "./game.ts";

const ADDRESS = `localhost:${process.env.AGONES_SDK_HTTP_PORT}`;

interface GameServerJson {
  readonly object_meta: {
    readonly name: string;
    readonly uid: string;
    readonly creation_timestamp: string;
    readonly labels: Readonly<Record<string, string>>;
    readonly annotations: Readonly<Record<string, string>>;
  };
  readonly status: { readonly state: string };
}

type Json = Readonly<Record<string, unknown>>;

const seen = ({ object_meta, status }: GameServerJson): SeenGameServer => ({
  name: object_meta.name,
  uid: object_meta.uid,
  created: Number(object_meta.creation_timestamp),
  state: status.state,
  labels: object_meta.labels,
  annotations: object_meta.annotations,
});

const send = (method: string, path: string, body?: string): Promise<Response> =>
  fetch(`http://${ADDRESS}${path}`, { method, body });

async function call(method: string, path: string, body?: Json): Promise<Json> {
  const answer = await send(method, path, body && JSON.stringify(body));
  const json = (await answer.json()) as Json;
  if (!answer.ok) throw new Refusal(Number(json.code), String(json.message));
  return json;
}

const gameServer = async (): Promise<SeenGameServer> =>
  seen((await call("GET", "/gameserver")) as unknown as GameServerJson);

const done =
  (method: string, path: (...words: string[]) => string, body: (...words: string[]) => Json = () => ({})) =>
  async (...words: string[]): Promise<void> => {
    await call(method, path(...words), body(...words));
  };

const read =
  (path: (...words: string[]) => string, field: string) =>
  async (...words: string[]): Promise<unknown> =>
    (await call("GET", path(...words)))[field];

const counter = (name?: string): string => `/v1beta1/counters/${name}`;
const list = (name?: string): string => `/v1beta1/lists/${name}`;
const values = async (name?: string): Promise<readonly unknown[]> => (await read(list, "values")(name ?? "")) as [];
const player = (path: string) => (): string => `/alpha/player/${path}`;

/** The server may come up later than the game. */
async function connect(tries = 300): Promise<void> {
  try {
    await gameServer();
  } catch (error) {
    if (tries === 0 || error instanceof Refusal) throw error;
    await new Promise((resolve) => setTimeout(resolve, 100));
    await connect(tries - 1);
  }
}

async function watch(callback: (server: SeenGameServer) => void): Promise<void> {
  const { body } = await send("GET", "/watch/gameserver");
  let text = "";
  for await (const chunk of body ?? []) {
    text += new TextDecoder().decode(chunk);
    const lines = text.split("\n");
    text = lines.pop() ?? "";
    for (const line of lines) callback(seen(JSON.parse(line).result));
  }
}

/** The state in the first frame of a new socket. */
function frame(): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const socket = new WebSocket(`ws://${ADDRESS}/watch/gameserver`);
  socket.addEventListener("error", () => reject(new Error("the socket failed")));
  socket.addEventListener("message", ({ data }) => {
    resolve(JSON.parse(String(data)).result.status.state);
    socket.close();
  });
  return promise;
}

await connect();
await play({
  gameServer,
  watch: (callback) => {
    void watch(callback);
  },
  setLabel: (key, value) => call("PUT", "/metadata/label", { key, value }),
  setAnnotation: (key, value) => call("PUT", "/metadata/annotation", { key, value }),
  steps: {
    ready: done("POST", () => "/ready"),
    allocate: done("POST", () => "/allocate"),
    reserve: done(
      "POST",
      () => "/reserve",
      (seconds) => ({ seconds }),
    ),
    health: done("POST", () => "/health"),
    shutdown: done("POST", () => "/shutdown"),
    count: read(counter, "count"),
    increment: done("PATCH", counter, (_, countDiff) => ({ countDiff })),
    decrement: done("PATCH", counter, (_, amount) => ({ countDiff: `-${amount}` })),
    "set-count": done("PATCH", counter, (_, count) => ({ count })),
    capacity: read(counter, "capacity"),
    "set-capacity": done("PATCH", counter, (_, capacity) => ({ capacity })),
    contains: async (name, value) => (await values(name)).includes(value),
    length: async (name) => (await values(name)).length,
    values,
    append: done(
      "POST",
      (name) => `${list(name)}:addValue`,
      (_, value) => ({ value }),
    ),
    delete: done(
      "POST",
      (name) => `${list(name)}:removeValue`,
      (_, value) => ({ value }),
    ),
    "list-capacity": read(list, "capacity"),
    "set-list-capacity": done("PATCH", list, (_, capacity) => ({ capacity })),
    "set-player-capacity": done("PUT", player("capacity"), (count) => ({ count })),
    "player-capacity": read(player("capacity"), "count"),
    "player-connect": async (playerID) => (await call("POST", "/alpha/player/connect", { playerID })).bool,
    "player-connected": read((id) => `/alpha/player/connected/${id}`, "bool"),
    players: read(player("connected"), "list"),
    "player-disconnect": async (playerID) => (await call("POST", "/alpha/player/disconnect", { playerID })).bool,
    "player-count": read(player("count"), "count"),
    request: async (method = "", path = "", body) => {
      const answer = await send(method, path, body);
      return `${answer.status} ${JSON.stringify(await answer.json())}`;
    },
    frame,
  },
});
