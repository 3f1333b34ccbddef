import fc from "fast-check";
import { expect } from "vitest";
import type { GameServer, GameServerState } from "#api/agones/gameserver.ts";
import type { Fault } from "./fake-gameserver-api.ts";
import { SdkServerLives } from "./lives-fixture.ts";
import type { Trial } from "./trial.ts";

type Step =
  | { readonly do: "state"; readonly call: keyof typeof STATES }
  | { readonly do: "set"; readonly kind: "label" | "annotation"; readonly key: string; readonly again: boolean }
  | { readonly do: "outside"; readonly state: GameServerState }
  | { readonly do: "fault"; readonly fault: Exclude<Fault, Error> }
  | { readonly do: "show" | "arrive" | "restart" }
  | { readonly do: "disk"; readonly full: boolean }
  | { readonly do: "wait"; readonly ms: number };

const STATES = { ready: "RequestReady", allocate: "Allocated", reserve: "Reserved" } as const;

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ do: fc.constant("state" as const), call: fc.constantFrom("ready", "allocate", "reserve") }),
  fc.record({
    do: fc.constant("set" as const),
    kind: fc.constantFrom("label", "annotation"),
    key: fc.constantFrom("a", "b"),
    again: fc.boolean(),
  }),
  fc.record({
    do: fc.constant("outside" as const),
    state: fc.constantFrom("Ready", "Allocated", "Allocated", "Unhealthy", "Shutdown"),
  }),
  fc.record({
    do: fc.constant("fault" as const),
    fault: fc.constantFrom("lost-answer", "lost-answer", "unreachable", "unreachable", "overtaken", "held"),
  }),
  fc.record({ do: fc.constantFrom("show", "arrive", "restart", "restart") }),
  fc.record({ do: fc.constant("disk" as const), full: fc.boolean() }),
  fc.record({ do: fc.constant("wait" as const), ms: fc.constantFrom(0, 1, 49, 100, 499, 500, 3000) }),
);

/** Something a game asked for. */
interface Call {
  readonly value: string;
  readonly at: number;
  acknowledged: boolean;
}

/** A game and its SDK server's lives; notes what was asked for, by place. */
class Play {
  readonly lives: SdkServerLives;
  readonly calls = new Map<string, Call[]>();
  #serial = 0;

  constructor(diskMs: number) {
    this.lives = new SdkServerLives({ diskMs });
  }

  async take(step: Step): Promise<void> {
    const { api, clock, session } = this.lives;
    this.#serial++;
    // No two things happen at one time.
    await clock.advance(1);
    switch (step.do) {
      case "state":
        return this.#call(
          "state",
          STATES[step.call],
          step.call === "reserve" ? session.reserve(0n) : session[step.call](),
        );
      case "set": {
        const value = step.again ? "again" : `v${this.#serial}`;
        const kept = step.kind === "label" ? session.setLabel(step.key, value) : session.setAnnotation(step.key, value);
        return this.#call(`${step.kind} ${step.key}`, value, kept);
      }
      case "outside":
        return this.#outside(step.state);
      case "fault":
        return void api.faults.push(step.fault);
      case "show":
        return api.show();
      case "arrive":
        return api.arrive();
      case "restart":
        return this.lives.restart();
      case "disk":
        this.lives.diskIsFull = step.full;
        return;
      case "wait":
        return clock.advance(step.ms);
    }
  }

  #call(place: string, value: string, kept: Promise<void>): void {
    const call: Call = { value, at: this.lives.clock.now(), acknowledged: false };
    this.calls.set(place, [...(this.calls.get(place) ?? []), call]);
    kept.then(
      () => {
        call.acknowledged = true;
      },
      () => {},
    );
  }

  #outside(state: GameServerState): void {
    const { api, clock } = this.lives;
    const stored = api.stored as GameServer;
    const ended = ["Unhealthy", "Shutdown"].includes(stored.status?.state ?? "");
    if (ended) return;
    const stamp = { "agones.dev/last-allocated": new Date(clock.now()).toISOString() };
    const annotations = { ...stored.metadata.annotations, ...(state === "Allocated" && stamp) };
    api.write({ metadata: { annotations }, status: { state } });
  }
}

interface Effect {
  readonly before: GameServer;
  readonly after: GameServer;
}

/** Which call each effect at a place is of; fails when one is of no call, of one twice, or out of order. */
function callsOf(
  effects: readonly Effect[],
  calls: readonly Call[],
  place: (object: GameServer) => string | undefined,
  fits: (call: Call, effect: Effect) => boolean = () => true,
): readonly Call[] {
  let at = -1;
  return effects.flatMap((effect) => {
    const value = place(effect.after);
    if (value === undefined || value === place(effect.before)) return [];
    at = calls.findIndex((call, index) => index > at && call.value === value && fits(call, effect));
    const call = calls[at];
    expect(call, `${value} was not asked for, or before`).toBeDefined();
    return call ? [call] : [];
  });
}

const stamp = ({ metadata }: GameServer): number =>
  Date.parse(metadata.annotations?.["agones.dev/last-allocated"] ?? "");

const own = step.filter((each) => each.do !== "outside");
const plays = [fc.array(step, { maxLength: 40 }), fc.boolean(), fc.constantFrom(0, 3, 60)] as const;

/** Whatever calls, faults, deaths, delays and other writers come together. */
export const JOURNAL_TRIALS: readonly Trial[] = [
  {
    promise: "every acknowledged label and annotation reaches the object, once and in order, the newest last",
    runs: 1500,
    lives: fc.asyncProperty(...plays, async (steps, live, diskMs) => {
      const play = new Play(diskMs);
      play.lives.api.live = live;
      for (const each of steps) await play.take(each);
      await play.lives.endFaults();
      for (const kind of ["label", "annotation"] as const) {
        for (const key of ["a", "b"]) {
          const place = ({ metadata }: GameServer) => metadata[`${kind}s`]?.[`agones.dev/sdk-${key}`];
          const calls = play.calls.get(`${kind} ${key}`) ?? [];
          callsOf(play.lives.api.effects, calls, place);
          const last = calls.findLastIndex(({ acknowledged }) => acknowledged);
          if (last < 0) continue;
          const values = calls.slice(last).map(({ value }) => value);
          expect(values).toContain(place(play.lives.api.stored as GameServer));
        }
      }
      expect(play.lives.waiting).toEqual([]);
    }),
  },
  {
    promise: "states come in order and once, and none over an allocation or an end that is newer",
    runs: 1500,
    lives: fc.asyncProperty(...plays, async (steps, live, diskMs) => {
      const play = new Play(diskMs);
      play.lives.api.live = live;
      for (const each of steps) await play.take(each);
      await play.lives.endFaults();
      const place = ({ status }: GameServer) => status?.state;
      callsOf(play.lives.api.effects, play.calls.get("state") ?? [], place, (call, { before }) => {
        expect(["Shutdown", "Unhealthy"]).not.toContain(place(before));
        return place(before) !== "Allocated" || call.at >= stamp(before);
      });
    }),
  },
  {
    promise: "the last acknowledged state is written, when nobody else writes states",
    runs: 1000,
    lives: fc.asyncProperty(fc.array(own, { maxLength: 40 }), plays[1], plays[2], async (steps, live, diskMs) => {
      const play = new Play(diskMs);
      play.lives.api.live = live;
      for (const each of steps) await play.take(each);
      await play.lives.endFaults();
      const calls = play.calls.get("state") ?? [];
      const last = calls.findLastIndex(({ acknowledged }) => acknowledged);
      if (last >= 0) expect(calls.slice(last).map(({ value }) => value)).toContain(play.lives.state);
    }),
  },
];
