import fc from "fast-check";
import { expect, test } from "vitest";
import { FakeClock } from "#runtime/clock.ts";
import { gameServerLimiter } from "./rate-limiter.ts";
import { createWorkQueue } from "./work-queue.ts";

const key = fc.constantFrom("a", "b", "c", "d");
const step = fc.oneof(
  fc.record({ do: fc.constant("add" as const), key }),
  fc.record({ do: fc.constant("delay" as const), key, ms: fc.nat(300) }),
  fc.record({ do: fc.constant("fail" as const), pick: fc.nat() }),
  fc.record({ do: fc.constant("take" as const) }),
  fc.record({ do: fc.constant("done" as const), pick: fc.nat() }),
  fc.record({ do: fc.constant("wait" as const), ms: fc.integer({ min: 1, max: 200 }) }),
);

/** The promises in their plainest form: what waits, in order; what is held; what is wanted again; what is due when. */
class Model {
  waiting: string[] = [];
  held: string[] = [];
  again: string[] = [];
  due = new Map<string, { at: number; order: number }>();
  now = 0;
  order = 0;

  add(wanted: string) {
    const list = this.held.includes(wanted) ? this.again : this.waiting;
    if (!list.includes(wanted)) list.push(wanted);
  }
  delay(wanted: string, ms: number) {
    if (ms <= 0) return this.add(wanted);
    const at = this.now + ms;
    if (at < (this.due.get(wanted)?.at ?? Infinity)) this.due.set(wanted, { at, order: this.order++ });
  }
  wait(ms: number) {
    this.now += ms;
    const fired = [...this.due].filter(([, { at }]) => at <= this.now);
    for (const [wanted] of fired.sort(([, a], [, b]) => a.at - b.at || a.order - b.order)) {
      this.due.delete(wanted);
      this.add(wanted);
    }
  }
  done(finished: string) {
    this.held = this.held.filter((other) => other !== finished);
    if (!this.again.includes(finished)) return;
    this.again = this.again.filter((other) => other !== finished);
    this.waiting.push(finished);
  }
}

test("whatever happens: never twice at once, never lost, stingy, fair, the earlier time counts", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
      const clock = new FakeClock();
      const limiter = gameServerLimiter();
      const queue = createWorkQueue({ name: "q", limiter: gameServerLimiter(), clock });
      const model = new Model();
      const take = async () => {
        const expected = model.waiting.shift();
        if (expected !== undefined) model.held.push(expected);
        else expect(queue.depth).toBe(0);
        if (expected !== undefined) expect(await queue.take()).toBe(expected);
      };
      const done = (finished: string) => {
        queue.done(finished);
        model.done(finished);
      };

      for (const each of steps) {
        if (each.do === "add") {
          queue.add(each.key);
          model.add(each.key);
        } else if (each.do === "delay") {
          queue.addAfter(each.key, each.ms);
          model.delay(each.key, each.ms);
        } else if (each.do === "take") await take();
        else if (each.do === "wait") {
          await clock.advance(each.ms);
          model.wait(each.ms);
        } else {
          const finished = model.held[each.pick % model.held.length];
          if (finished === undefined) continue;
          if (each.do === "fail") {
            queue.retry(finished);
            model.delay(finished, limiter.delayOf(finished));
          }
          done(finished);
        }
        expect(queue.depth).toBe(model.waiting.length);
      }

      for (const finished of [...model.held]) done(finished);
      await clock.advance(1000);
      model.wait(1000);
      while (model.waiting.length > 0) {
        await take();
        for (const finished of [...model.held]) done(finished);
      }
      expect(queue.depth).toBe(0);
    }),
    { numRuns: 200 },
  );
});
