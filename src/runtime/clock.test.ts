import { expect, test } from "vitest";
import { FakeClock, rfc3339, systemClock } from "./clock.ts";

test("advance fires what falls due in order of time, then of registration", async () => {
  const clock = new FakeClock();
  const fired: string[] = [];
  for (const [name, ms] of [
    ["c", 20],
    ["a", 10],
    ["b", 10],
    ["later", 31],
  ] as const)
    clock.after(ms, () => void fired.push(`${name}@${clock.monotonic()}`));
  await clock.advance(30);
  expect(fired).toEqual(["a@10", "b@10", "c@20"]);
  expect(clock.monotonic()).toBe(30);
  expect(clock.pending).toBe(1);
});

test("advance fires what is set while it advances", async () => {
  const clock = new FakeClock();
  const times: number[] = [];
  const loop = async () => {
    for (let turn = 0; turn < 3; turn++) {
      await clock.sleep(10);
      times.push(clock.monotonic());
    }
  };
  const done = loop();
  await clock.advance(25);
  expect(times).toEqual([10, 20]);
  await clock.advance(5);
  await done;
  expect(times).toEqual([10, 20, 30]);
});

test("a cancelled timer does not fire", async () => {
  const clock = new FakeClock();
  let fired = false;
  const cancel = clock.after(10, () => {
    fired = true;
  });
  cancel();
  await clock.advance(20);
  expect(fired).toBe(false);
  expect(clock.pending).toBe(0);
});

test.each([
  ["fake", new FakeClock()],
  ["system", systemClock],
] as const)(
  "an aborted sleep of the %s clock rejects with the signal's reason and leaves nothing behind",
  async (_name, clock) => {
    const abort = new AbortController();
    const sleeping = clock.sleep(60_000, abort.signal);
    abort.abort(new Error("enough"));
    await expect(sleeping).rejects.toThrow("enough");
    await expect(clock.sleep(1, abort.signal)).rejects.toThrow("enough");
    if (clock instanceof FakeClock) expect(clock.pending).toBe(0);
  },
);

test("the system clock sleeps and fires", async () => {
  const before = systemClock.monotonic();
  await systemClock.sleep(1);
  expect(systemClock.monotonic()).toBeGreaterThan(before);
  const fired = Promise.withResolvers<void>();
  const alive = setInterval(() => {}, 1000);
  systemClock.after(1, fired.resolve);
  await fired.promise;
  clearInterval(alive);
});

test("times are printed as metav1.Time does", () => {
  expect(rfc3339(Date.UTC(2030, 0, 2, 3, 4, 5, 999))).toBe("2030-01-02T03:04:05Z");
});
