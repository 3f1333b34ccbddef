import fc from "fast-check";
import { expect } from "vitest";
import type { GameServer, GameServerState } from "#api/agones/gameserver.ts";
import { decideCounter } from "./decide-counter.ts";
import { decideAddition, decideRemoval } from "./decide-list.ts";
import { decideConnect, decideDisconnect } from "./decide-players.ts";
import type { Fault } from "./fake-gameserver-api.ts";
import type { GameServerSession } from "./game-server-session.ts";
import { SdkServerLives } from "./lives-fixture.ts";
import type { Trial } from "./trial.ts";

type Step =
  | { readonly do: "increment" | "add" | "connect" }
  | { readonly do: "remove" | "disconnect"; readonly which: number }
  | { readonly do: "label" | "arrive" | "show" | "restart" }
  | { readonly do: "state"; readonly call: "ready" | "allocate" | "shutdown" }
  | { readonly do: "outside"; readonly what: "allocation" | "state" | "list" }
  | { readonly do: "fault"; readonly fault: Exclude<Fault, Error> }
  | { readonly do: "disk"; readonly full: boolean }
  | { readonly do: "wait"; readonly ms: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constantFrom("increment" as const, "add" as const, "connect" as const) }),
  },
  fc.record({ do: fc.constantFrom("remove" as const, "disconnect" as const), which: fc.nat(5) }),
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom("label", "arrive", "show", "restart", "restart") }) },
  fc.record({ do: fc.constant("state" as const), call: fc.constantFrom("ready", "allocate", "shutdown") }),
  fc.record({ do: fc.constant("outside" as const), what: fc.constantFrom("allocation", "state", "list") }),
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("fault" as const),
      fault: fc.constantFrom("lost-answer", "lost-answer", "unreachable", "unreachable", "overtaken", "held"),
    }),
  },
  fc.record({ do: fc.constant("disk" as const), full: fc.boolean() }),
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant("wait" as const), ms: fc.constantFrom(0, 1, 49, 499, 500, 3000) }),
  },
);

/** One call or outside write that must be found in the object: by its own digit of the counter, or its own value. */
interface Mark {
  readonly id: number;
  readonly place: "counter" | "list" | "players";
  added: "maybe" | "surely";
  removed: "no" | "maybe" | "surely";
}

const count = (server: GameServer) => server.status?.counters?.rooms?.count ?? 0n;
const values = (server: GameServer, place: Mark["place"]): readonly string[] =>
  (place === "list" ? server.status?.lists?.players?.values : server.status?.players?.ids) ?? [];
/** How often a counter was changed by one mark. */
const digit = (id: number, server: GameServer): number => Number((count(server) / 4n ** BigInt(id)) % 4n);
const has = ({ id, place }: Mark, server: GameServer): boolean =>
  place === "counter" ? digit(id, server) === 1 : values(server, place).includes(`v${id}`);

class Play {
  readonly lives: SdkServerLives;
  readonly marks: Mark[] = [];
  readonly faults: string[] = [];
  /** Of its own: what a life leaves waiting goes with it. */
  readonly #signal = new AbortController().signal;
  #seen: GameServer[] = [];
  #id = 0;

  constructor(diskMs: number) {
    const room = 4n ** 100n;
    this.lives = new SdkServerLives({
      diskMs,
      status: {
        state: "Ready",
        counters: { rooms: { count: 0n, capacity: room } },
        lists: { players: { capacity: 1000n, values: [] } },
        players: { count: 0n, capacity: 1000n, ids: [] },
      },
    });
    this.#watch();
  }

  async take(step: Step): Promise<void> {
    const { api, clock, session } = this.lives;
    this.#id++;
    await clock.advance(1);
    switch (step.do) {
      case "increment": {
        const countDiff = 4n ** BigInt(this.#id);
        return this.#add("counter", (seen) => decideCounter(seen, { name: "rooms", countDiff }));
      }
      case "add":
        return this.#add("list", (seen) => decideAddition(seen, "players", `v${this.#id}`));
      case "connect":
        return this.#add("players", (seen) => decideConnect(seen, `v${this.#id}`));
      case "remove":
        return this.#remove("list", step.which, (seen, value) => decideRemoval(seen, "players", value));
      case "disconnect":
        return this.#remove("players", step.which, decideDisconnect);
      case "label":
        return ignore(session.setLabel("a", `v${this.#id}`));
      case "state":
        return ignore(session[step.call]());
      case "outside":
        return this.#outside(step.what);
      case "fault":
        return void api.faults.push(step.fault);
      case "arrive":
        return api.arrive();
      case "show":
        return api.show();
      case "restart":
        this.lives.restart();
        return this.#watch();
      case "disk":
        this.lives.diskIsFull = step.full;
        return;
      case "wait":
        return clock.advance(step.ms);
    }
  }

  /** All faults are over. Resolves with what is stored in the end. */
  async end(): Promise<GameServer> {
    await this.lives.endFaults();
    return this.lives.api.stored as GameServer;
  }

  /** The last version that the watch of the present life has seen. */
  get lastSeen(): string | undefined {
    return this.#seen.at(-1)?.metadata.resourceVersion;
  }

  #watch(): void {
    const seen: GameServer[] = [];
    this.#seen = seen;
    const { session } = this.lives;
    ignore(
      (async () => {
        for await (const version of session.watch(this.#signal)) seen.push(version);
      })(),
    );
  }

  #add(place: Mark["place"], decide: Parameters<GameServerSession["count"]>[1]): void {
    const mark: Mark = { id: this.#id, place, added: "maybe", removed: "no" };
    this.marks.push(mark);
    const { session } = this.lives;
    ignore(
      session.count(this.#signal, decide).then(async () => {
        mark.added = "surely";
        if (session !== this.lives.session) return;
        const read = await session.readCounts(this.#signal);
        if (mark.removed === "no" && !has(mark, read)) this.faults.push(`${place} ${mark.id} cannot be read`);
      }),
    );
  }

  #remove(
    place: "list" | "players",
    which: number,
    decide: (seen: GameServer, value: string) => ReturnType<typeof decideDisconnect | typeof decideRemoval>,
  ): void {
    const mark = this.marks.filter((other) => other.place === place && other.removed === "no").at(-1 - which);
    if (!mark) return;
    const { session } = this.lives;
    mark.removed = "maybe";
    ignore(
      session
        .count(this.#signal, (seen) => decide(seen, `v${mark.id}`))
        .then(
          ({ changed }) => {
            mark.removed = changed ? "surely" : "no";
          },
          (error: { code: string }) => {
            if (error.code === "Unknown") mark.removed = "no";
          },
        ),
    );
  }

  #outside(what: "allocation" | "state" | "list"): void {
    const { api, clock } = this.lives;
    const { metadata, status } = api.stored as GameServer;
    const mark = (place: Mark["place"]) => this.marks.push({ id: this.#id, place, added: "surely", removed: "no" });
    if (what === "state") {
      api.write({ status: { state: "Ready" satisfies GameServerState } });
    } else if (what === "list") {
      mark("list");
      const { players } = status?.lists ?? {};
      const list = { ...players, values: [...(players?.values ?? []), `v${this.#id}`] };
      api.write({ status: { lists: { players: list } } });
    } else {
      mark("counter");
      const rooms = status?.counters?.rooms;
      const counter = { ...rooms, count: (rooms?.count ?? 0n) + 4n ** BigInt(this.#id) };
      const stamp = { "agones.dev/last-allocated": new Date(clock.now()).toISOString() };
      api.write({
        metadata: { annotations: { ...metadata.annotations, ...stamp } },
        status: { state: "Allocated", counters: { rooms: counter } },
      });
    }
  }
}

function ignore(promise: Promise<unknown>): void {
  promise.catch(() => {});
}

/** Whatever calls, faults, deaths, delays, allocations and other writers come together. */
export const COUNTS_TRIALS: readonly Trial[] = [
  {
    promise:
      "every acknowledged change of counters, lists and players is in the object exactly once, and the newest state is seen last",
    runs: 1500,
    lives: fc.asyncProperty(
      fc.array(step, { maxLength: 40 }),
      fc.boolean(),
      fc.constantFrom(0, 3, 60),
      async (steps, live, diskMs) => {
        const play = new Play(diskMs);
        play.lives.api.live = live;
        for (const each of steps) await play.take(each);
        const end = await play.end();
        expect(play.faults).toEqual([]);
        for (const mark of play.marks) {
          const what = `${mark.place} ${mark.id}, added ${mark.added}, removed ${mark.removed}`;
          if (mark.place === "counter") expect(digit(mark.id, end), what).toBeLessThanOrEqual(1);
          if (mark.added === "surely" && mark.removed === "no") expect(has(mark, end), what).toBe(true);
          if (mark.removed === "surely") expect(has(mark, end), what).toBe(false);
          // Nothing that somebody removed comes back.
          const comings = play.lives.api.effects.filter(({ before, after }) => !has(mark, before) && has(mark, after));
          expect(comings.length, what).toBeLessThanOrEqual(1);
        }
        for (const place of ["list", "players"] as const) {
          const ids = values(end, place).map((value) => Number(value.slice(1)));
          expect(new Set(ids).size).toBe(ids.length);
        }
        expect(play.lives.waiting).toEqual([]);
        expect(play.lastSeen).toBe(end.metadata.resourceVersion);
      },
    ),
  },
];
