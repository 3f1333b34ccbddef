/** The commands for players. Where the SDK refuses, the game server ends. */
import { acknowledge, type Command, integer, orRefusal, plain, refuse, withWords } from "./replies.ts";
import type { SdkClient } from "./sdk-client.ts";

type Id = readonly [id: string];

const tell = (read: (sdk: SdkClient) => Promise<string>): Command => {
  return async (_args, _text, { sdk }) => plain(await read(sdk));
};

const change = (name: string, act: (sdk: SdkClient, id: string) => Promise<unknown>): Command =>
  withWords<Id>(name, 1, async ([id], { sdk }, text) => {
    await act(sdk, id);
    return acknowledge(text);
  });

export const PLAYER_COMMANDS: Readonly<Record<string, Command>> = {
  PLAYER_CAPACITY: async (args, text, { sdk }) => {
    const [amount] = args;
    if (args.length > 1) return refuse("Invalid PLAYER_CAPACITY, should have 0 or 1 arguments");
    if (amount === undefined) return plain(await sdk.playerCapacity());
    const capacity = await orRefusal(async () => plain(String(integer(amount, "Atoi"))));
    if (capacity.type === "error") return capacity;
    await sdk.setPlayerCapacity(BigInt(capacity.text));
    return acknowledge(text);
  },
  PLAYER_CONNECT: change("PLAYER_CONNECT", (sdk, id) => sdk.connectPlayer(id)),
  PLAYER_DISCONNECT: change("PLAYER_DISCONNECT", (sdk, id) => sdk.disconnectPlayer(id)),
  // The REST port has no path for every id: one with a slash is found among all of them alone.
  PLAYER_CONNECTED: withWords<Id>("PLAYER_CONNECTED", 1, async ([id], { sdk }) =>
    plain(String((await sdk.connectedPlayers()).includes(id))),
  ),
  GET_PLAYERS: tell(async (sdk) => (await sdk.connectedPlayers()).join(",")),
  PLAYER_COUNT: tell((sdk) => sdk.playerCount()),
};
