import fc from "fast-check";
import { expect } from "vitest";
import type { GameServer } from "#api/agones/gameserver.ts";
import { decideCounter } from "./decide-counter.ts";
import { decideAddition, decideList, decideRemoval } from "./decide-list.ts";
import { decideConnect, decideDisconnect, decidePlayerCapacity } from "./decide-players.ts";
import type { Fault } from "./fake-gameserver-api.ts";
import type { GameServerSession } from "./game-server-session.ts";
import { SdkServerLives } from "./lives-fixture.ts";
import type { Trial } from "./trial.ts";

/** A server as somebody would write it down who does one call after the other, at once and without any faults. */
interface Model {
  count: bigint;
  room: bigint;
  list: string[];
  most: bigint;
  players: string[];
  seats: bigint;
}

interface Call {
  readonly name: string;
  readonly decide: Parameters<GameServerSession["count"]>[1];
  /** False when the call must be refused. */
  readonly model: (model: Model) => boolean;
}

const value: fc.Arbitrary<string> = fc.constantFrom("a", "b", "c", "d", "e", "f");
const values = fc.uniqueArray(value, { maxLength: 6 });
const number = fc.bigInt({ min: -1n, max: 12n });

const call: fc.Arbitrary<Call> = fc.oneof(
  fc
    .record({
      capacity: fc.option(number, { nil: undefined, freq: 1 }),
      count: fc.option(number, { nil: undefined, freq: 1 }),
      countDiff: fc.bigInt({ min: -4n, max: 4n }),
    })
    .map(({ capacity, count, countDiff }) => ({
      name: `update ${capacity} ${count} ${countDiff}`,
      decide: (seen: GameServer) => decideCounter(seen, { name: "rooms", capacity, count, countDiff }),
      model: (model: Model) => {
        if (capacity === undefined && count === undefined && countDiff === 0n) return false;
        const room = capacity ?? model.room;
        const sum = (count ?? model.count) + countDiff;
        const isWithin = (found: bigint) => found >= 0n && found <= room;
        if (room < 0n || (count !== undefined && !isWithin(count)) || (countDiff !== 0n && !isWithin(sum)))
          return false;
        model.room = room;
        model.count = sum;
        if (sum > room) model.count = room;
        return true;
      },
    })),
  value.map((value) => ({
    name: `add ${value}`,
    decide: (seen: GameServer) => decideAddition(seen, "players", value),
    model: (model: Model) => {
      if (BigInt(model.list.length) >= model.most || model.list.includes(value)) return false;
      model.list.push(value);
      return true;
    },
  })),
  value.map((value) => ({
    name: `remove ${value}`,
    decide: (seen: GameServer) => decideRemoval(seen, "players", value),
    model: (model: Model) => {
      if (!model.list.includes(value)) return false;
      model.list.splice(model.list.indexOf(value), 1);
      return true;
    },
  })),
  fc
    .record({ capacity: number, values, mask: fc.subarray(["capacity", "values", "name"], { minLength: 1 }) })
    .map(({ capacity, values, mask }) => ({
      name: `list ${mask} ${capacity} ${values}`,
      decide: (seen: GameServer) => decideList(seen, { list: { name: "players", capacity, values }, mask }),
      model: (model: Model) => {
        if (capacity < 0n) return false;
        if (mask.includes("capacity")) model.most = capacity;
        if (mask.includes("values")) {
          const stay = model.list.filter((value) => values.includes(value));
          model.list = [...stay, ...values.filter((value) => !stay.includes(value))];
        }
        model.list.splice(Number(model.most));
        return true;
      },
    })),
  value.map((id) => ({
    name: `connect ${id}`,
    decide: (seen: GameServer) => decideConnect(seen, id),
    model: (model: Model) => {
      if (model.players.includes(id)) return true;
      if (BigInt(model.players.length) >= model.seats) return false;
      model.players.push(id);
      return true;
    },
  })),
  value.map((id) => ({
    name: `disconnect ${id}`,
    decide: (seen: GameServer) => decideDisconnect(seen, id),
    model: (model: Model) => {
      model.players = model.players.filter((other) => other !== id);
      return true;
    },
  })),
  number.map((capacity) => ({
    name: `seats ${capacity}`,
    decide: () => decidePlayerCapacity(capacity),
    model: (model: Model) => {
      model.seats = capacity;
      return true;
    },
  })),
);

type Step =
  | { readonly do: "call"; readonly call: Call }
  | { readonly do: "fault"; readonly fault: Exclude<Fault, Error> }
  | { readonly do: "show" | "arrive" | "restart" | "allocate" }
  | { readonly do: "wait"; readonly ms: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant("call" as const), call }) },
  fc.record({
    do: fc.constant("fault" as const),
    fault: fc.constantFrom("lost-answer", "lost-answer", "unreachable", "overtaken", "held"),
  }),
  fc.record({ do: fc.constantFrom("show" as const, "arrive" as const, "restart" as const, "allocate" as const) }),
  fc.record({ do: fc.constant("wait" as const), ms: fc.constantFrom(0, 100, 500, 3000) }),
);

function modelOf({ status }: GameServer): Model {
  const { rooms } = status?.counters ?? {};
  const { players } = status?.lists ?? {};
  return {
    count: rooms?.count ?? -1n,
    room: rooms?.capacity ?? -1n,
    list: [...(players?.values ?? [])],
    most: players?.capacity ?? -1n,
    players: [...(status?.players?.ids ?? [])],
    seats: status?.players?.capacity ?? -1n,
  };
}

class Play {
  readonly model: Model = { count: 5n, room: 10n, list: ["a", "b"], most: 5n, players: ["a"], seats: 3n };
  readonly lives: SdkServerLives;
  /** Of its own: what a life leaves waiting goes with it. */
  readonly #signal = new AbortController().signal;

  constructor() {
    const { count, room, list, most, players, seats } = this.model;
    this.lives = new SdkServerLives({
      status: {
        state: "Ready",
        counters: { rooms: { count, capacity: room } },
        lists: { players: { capacity: most, values: [...list] } },
        players: { count: 1n, capacity: seats, ids: [...players] },
      },
    });
  }

  async take(step: Step): Promise<void> {
    const { api, clock } = this.lives;
    if (step.do === "call") await this.#call(step.call);
    else if (step.do === "fault") api.faults.push(step.fault);
    else if (step.do === "restart") this.#restart();
    else if (step.do === "wait") await clock.advance(step.ms);
    else if (step.do === "allocate") api.write({ status: { state: "Allocated" } });
    else api[step.do]();
  }

  /** A new life begins with a list of what is stored. */
  #restart(): void {
    this.lives.api.show();
    this.lives.restart();
  }

  async end(): Promise<GameServer> {
    const { api, clock } = this.lives;
    api.live = true;
    api.show();
    for (let n = 0; n < 40; n++) {
      api.arrive();
      await clock.advance(10_000);
    }
    return api.stored as GameServer;
  }

  async #call({ name, decide, model }: Call): Promise<void> {
    const { session, clock } = this.lives;
    let answer: GameServer | { readonly code: string } | undefined;
    session.count(this.#signal, decide).then(
      ({ gameServer }) => {
        answer = gameServer;
      },
      (error: { code: string }) => {
        answer = error;
      },
    );
    for (let ms = 0; !answer && ms < 100; ms += 10) await clock.advance(10);
    const before = structuredClone(this.model);
    if (!model(this.model)) {
      expect(answer, name).toMatchObject({ code: "Unknown" });
      Object.assign(this.model, before);
    } else expect(modelOf(answer as GameServer), name).toEqual(this.model);
    expect(modelOf(await session.readCounts(this.#signal)), name).toEqual(this.model);
  }
}

/** Whatever calls, faults, deaths and delays come together. */
export const ANSWERS_TRIALS: readonly Trial[] = [
  {
    promise:
      "each call is answered, and read by the next, as if all were done one after the other; so is the object in the end",
    runs: 1500,
    lives: fc.asyncProperty(fc.array(step, { maxLength: 40 }), fc.boolean(), async (steps, live) => {
      const play = new Play();
      play.lives.api.live = live;
      for (const each of steps) await play.take(each);
      expect(modelOf(await play.end())).toEqual(play.model);
      expect(play.lives.waiting).toEqual([]);
    }),
  },
];
