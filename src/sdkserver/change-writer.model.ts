import fc from "fast-check";
import type { GameServer } from "#api/agones/gameserver.ts";
import type { FakeGameServerApi, Fault } from "./fake-gameserver-api.ts";
import { startSession } from "./session-fixture.ts";
import type { Trial } from "./trial.ts";

type Step =
  | { readonly do: "state"; readonly call: "ready" | "allocate" | "reserve" }
  | { readonly do: "set"; readonly kind: "label" | "annotation"; readonly key: string }
  | { readonly do: "outside"; readonly state: "Ready" | "Allocated" }
  | { readonly do: "fault"; readonly fault: Exclude<Fault, Error> }
  | { readonly do: "show" }
  | { readonly do: "wait"; readonly ms: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ do: fc.constant("state" as const), call: fc.constantFrom("ready", "allocate", "reserve") }),
  fc.record({
    do: fc.constant("set" as const),
    kind: fc.constantFrom("label", "annotation"),
    key: fc.constantFrom("a", "b"),
  }),
  fc.record({ do: fc.constant("outside" as const), state: fc.constantFrom("Ready", "Allocated") }),
  fc.record({
    do: fc.constant("fault" as const),
    fault: fc.constantFrom("lost-answer", "lost-answer", "unreachable", "overtaken"),
  }),
  fc.constant({ do: "show" as const }),
  fc.record({ do: fc.constant("wait" as const), ms: fc.constantFrom(0, 1, 100, 499, 500, 3000) }),
);

const STATES = { ready: "RequestReady", allocate: "Allocated", reserve: "Reserved" } as const;

/** True when `written` has no value that was not asked for, none twice, and none out of order. */
function isInOrderOf(written: readonly string[], asked: readonly string[]): boolean {
  let at = -1;
  return written.every((value) => {
    at = asked.indexOf(value, at + 1);
    return at >= 0;
  });
}

/** The values that a session's writes gave one place in the object, one for each write that changed it. */
function changesOf(api: FakeGameServerApi, place: (object: GameServer) => string | undefined): string[] {
  return api.effects.flatMap(({ before, after }) => {
    const value = place(after);
    return value !== undefined && value !== place(before) ? [value] : [];
  });
}

const own = step.filter((each) => each.do !== "outside");

/** Whatever calls, faults, delays and other writers come together. */
export const WRITER_TRIALS: readonly Trial[] = [
  {
    promise: "every acknowledged value reaches the object once, the newest last",
    runs: 1500,
    lives: fc.asyncProperty(fc.array(step, { maxLength: 30 }), fc.boolean(), async (steps, live) => {
      const { api, clock, session } = startSession();
      api.live = live;
      const asked = new Map<string, string[]>();
      const ask = (place: string, value: string) => asked.set(place, [...(asked.get(place) ?? []), value]);
      let serial = 0;
      for (const each of steps) {
        serial++;
        if (each.do === "state") {
          ask("state", STATES[each.call]);
          if (each.call === "reserve") session.reserve(0n);
          else session[each.call]();
        } else if (each.do === "set") {
          ask(`${each.kind} ${each.key}`, `v${serial}`);
          if (each.kind === "label") session.setLabel(each.key, `v${serial}`);
          else session.setAnnotation(each.key, `v${serial}`);
        } else if (each.do === "outside") api.write({ status: { state: each.state } });
        else if (each.do === "fault") api.faults.push(each.fault);
        else if (each.do === "show") api.show();
        else await clock.advance(each.ms);
      }
      api.live = true;
      api.show();
      await clock.advance(600_000);

      for (const key of ["a", "b"]) {
        for (const kind of ["label", "annotation"] as const) {
          const place = ({ metadata }: GameServer) => metadata[`${kind}s`]?.[`agones.dev/sdk-${key}`];
          const values = asked.get(`${kind} ${key}`) ?? [];
          if (!isInOrderOf(changesOf(api, place), values)) return false;
          if (place(api.stored!) !== values.at(-1)) return false;
        }
      }
      const states = asked.get("state") ?? [];
      const written = changesOf(api, ({ status }) => status?.state);
      return isInOrderOf(written, states);
    }),
  },
  {
    promise: "the last state asked for is written, when nobody else writes states",
    runs: 300,
    lives: fc.asyncProperty(fc.array(own, { maxLength: 30 }), fc.boolean(), async (steps, live) => {
      const { api, clock, session, events } = startSession();
      api.live = live;
      let last = "Scheduled";
      for (const each of steps) {
        if (each.do === "state") {
          last = STATES[each.call];
          if (each.call === "reserve") session.reserve(0n);
          else session[each.call]();
        } else if (each.do === "fault") api.faults.push(each.fault);
        else if (each.do === "show") api.show();
        else if (each.do === "wait") await clock.advance(each.ms);
      }
      api.live = true;
      api.show();
      await clock.advance(600_000);
      // One event for each write of a state, with or without an answer.
      return api.stored?.status?.state === last && events().length === api.effects.length;
    }),
  },
];
