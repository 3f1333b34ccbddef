import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { FakeClock } from "#runtime/clock.ts";
import { silentLogger } from "#runtime/logger.ts";
import { MemoryStore } from "./memory-store.ts";
import { type ObjectStore, openObjectStore } from "./object-store.ts";
import type { Change, StoredObject } from "./objects.ts";

const collections = ["/pods", "agones.dev/gameservers", "/events"];
const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

interface WriteStep {
  readonly do: "put" | "delete" | "touch";
  readonly collection: number;
  readonly key: number;
}
type Step = WriteStep | { readonly do: "pass" | "refuse" | "crash" | "tick" | "follow" };

const steps: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constantFrom("put" as const, "put" as const, "delete" as const, "touch" as const),
      collection: fc.nat(2),
      key: fc.nat(1),
    }),
  },
  { weight: 5, arbitrary: fc.record({ do: fc.constant("pass" as const) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("refuse" as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("crash" as const) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom("tick" as const, "follow" as const) }) },
);

/** One version that somebody asked for: the serial number in it, or `undefined` for a deletion. */
interface Attempt {
  readonly serial: number | undefined;
}

/** What the outside world was told, over all lives of the store. */
class World {
  readonly clock = new FakeClock();
  readonly #revisions = new Set<number>();
  /** Of each durable row: the newest acknowledged attempt, then those whose fate is not known. */
  readonly #attempts = new Map<string, Attempt[]>();
  /** Commits wait here twice: before they touch the disk, and before they are confirmed. */
  #gates: PromiseWithResolvers<void>[] = [];
  #mirrors: { readonly collection: string; readonly mirror: Map<string, StoredObject> }[] = [];
  /** Serial numbers of versions that were refused: nothing may build on them. */
  readonly #refused: number[] = [];
  readonly #faulty: unknown[] = [];
  #serial = 0;
  #life = 0;
  #store = new MemoryStore(this.#faults());
  #objects: ObjectStore | undefined;

  async open(): Promise<ObjectStore> {
    const objects = await openObjectStore(this.#store, {
      volatile: (collection) => collection === "/events",
      clock: this.clock,
      log: silentLogger,
      freeze: true,
    });
    this.#mirrors = [];
    this.#objects = objects;
    this.follow();
    return objects;
  }

  get objects(): ObjectStore {
    if (!this.#objects) throw new Error("not open");
    return this.#objects;
  }

  #faults() {
    const gate = () => {
      const one = Promise.withResolvers<void>();
      this.#gates.push(one);
      return one.promise;
    };
    return { beforeCommit: gate, afterCommit: gate };
  }

  /** Lists and watches all collections from here on. */
  follow(): void {
    for (const collection of collections)
      this.#mirrors.push({ collection, mirror: this.#follow(this.objects, collection) });
  }

  check(): void {
    expect(this.#faulty).toEqual([]);
    for (const { collection, mirror } of this.#mirrors)
      expect([...mirror.values()].sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1))).toEqual(
        this.objects.list(collection),
      );
  }

  write(step: WriteStep): void {
    const collection = collections[step.collection]!;
    const key = `ns/${step.key}`;
    const attempt: Attempt = { serial: step.do === "put" ? ++this.#serial : undefined };
    const durable = step.collection < 2;
    const attempts = durable ? this.#attemptsOf(`${collection}/${key}`) : [];
    const newest = attempts.at(-1)?.serial;
    if (step.do !== "touch") attempts.push(attempt);
    const life = this.#life;
    const writing = this.objects.write(collection, key, (current) => {
      if (durable) expect(current?.object.serial).toBe(newest);
      if (step.do === "touch") return undefined;
      return step.do === "delete" ? "delete" : { metadata: { name: key }, serial: attempt.serial };
    });
    this.#background(
      writing.then(
        ({ stored }) => {
          if (life !== this.#life) return;
          if (step.do !== "touch") attempts.splice(0, attempts.indexOf(attempt));
          expect(this.#refused).not.toContain(newest);
          if (step.do !== "put") return;
          expect(this.#revisions.has(stored?.revision ?? 0)).toBe(false);
          this.#revisions.add(stored?.revision ?? 0);
        },
        (error: unknown) => {
          expect(error).toMatchObject({ code: "StoreWriteFailed" });
          if (life !== this.#life || step.do === "touch") return;
          attempts.splice(attempts.indexOf(attempt), 1);
          if (attempt.serial !== undefined) this.#refused.push(attempt.serial);
        },
      ),
    );
  }

  async settle(how: "pass" | "refuse"): Promise<void> {
    await settled();
    const gate = this.#gates.shift();
    // A disk that has written may still fail to say so: only a refusal before it wrote is one.
    const before = gate && !this.#store.written;
    if (how === "refuse" && before) gate.reject(new Error("disk full"));
    else gate?.resolve();
    await settled();
  }

  /** Lets the disk take everything; the volatile rows too are then as they are in memory. */
  async drain(): Promise<void> {
    for (let left = 0; left < 12; left++) {
      await this.settle("pass");
      if (left === 6) await this.clock.advance(1_000);
    }
    const texts = (rows: readonly StoredObject[]) => rows.map(({ encoded }) => new TextDecoder().decode(encoded()));
    const onDisk = [...this.#store.rows].filter(([key]) => key.startsWith("/events/")).map(([, row]) => row.value);
    expect(onDisk.map((value) => new TextDecoder().decode(value)).sort()).toEqual(
      texts(this.objects.list("/events")).sort(),
    );
  }

  /** A kill: what is in flight may have reached the disk or not, and nobody is told. */
  async crash(): Promise<void> {
    this.#life++;
    this.#gates = [];
    this.#store = this.#store.reopen(this.#faults());
    for (const revision of this.#revisions) expect(this.#store.firstRevision).toBeGreaterThan(revision);
    const objects = await this.open();
    for (const [row, attempts] of this.#attempts) {
      const [group, plural, ...key] = row.split("/");
      const serial = objects.get(`${group}/${plural}`, key.join("/"))?.object.serial as number | undefined;
      expect(attempts.map((attempt) => attempt.serial)).toContain(serial);
      attempts.splice(0, attempts.length, { serial });
    }
  }

  /** Watches a collection from a list: at each moment the list plus the changes must be what a list shows. */
  #follow(objects: ObjectStore, collection: string): Map<string, StoredObject> {
    const mirror = new Map(objects.list(collection).map((stored) => [nameOf(stored), stored]));
    let last = objects.revision(collection);
    const check = ({ type, stored, previous }: Change) => {
      expect(stored.revision).toBeGreaterThan(last);
      last = stored.revision;
      const key = nameOf(stored);
      expect(previous).toBe(mirror.get(key));
      expect(["DELETED", previous ? "MODIFIED" : "ADDED"]).toContain(type);
      if (type === "DELETED") mirror.delete(key);
      else mirror.set(key, stored);
    };
    const run = async () => {
      for await (const changes of objects.watch(collection, { since: last, signal: new AbortController().signal }))
        for (const change of changes) check(change);
    };
    this.#background(run());
    return mirror;
  }

  /** What goes wrong outside a step is thrown by the next check. */
  #background(work: Promise<void>): void {
    work.catch((error: unknown) => this.#faulty.push(error));
  }

  #attemptsOf(row: string): Attempt[] {
    const attempts = this.#attempts.get(row) ?? [{ serial: undefined }];
    this.#attempts.set(row, attempts);
    return attempts;
  }
}

const nameOf = ({ object }: StoredObject) => (object.metadata as { name: string }).name;

describe("ObjectStore under faults", () => {
  test("keeps every acknowledged write, never repeats a revision, and shows watchers exactly what is committed", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(steps, { minLength: 1, maxLength: 60, size: "max" }), async (all) => {
        const world = new World();
        await world.open();
        for (const step of all) {
          if ("key" in step) world.write(step);
          else if (step.do === "crash") await world.crash();
          else if (step.do === "follow") world.follow();
          else if (step.do === "tick") await world.clock.advance(1_000);
          else await world.settle(step.do);
          await settled();
          world.check();
        }
        await world.drain();
        world.check();
        await world.crash();
      }),
      { numRuns: 300 },
    );
  });
});
