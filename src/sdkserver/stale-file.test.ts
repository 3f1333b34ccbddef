import { expect, it } from "vitest";
import { decideAddition, decideRemoval } from "./decide-list.ts";
import { SdkServerLives } from "./lives-fixture.ts";

const signal = new AbortController().signal;

it("an older call that is still on file does not undo a newer one that had nothing to change", async () => {
  const lives = new SdkServerLives();
  lives.api.live = false;
  await lives.make((session) => session.reserve(0n));
  await lives.make((session) => session.ready());
  lives.diskIsFull = true;
  await Promise.all([lives.session.reserve(0n), lives.clock.advance(500)]);
  expect(lives.waiting).toEqual(["RequestReady"]);
  lives.restart();
  lives.api.live = true;
  lives.api.show();
  await lives.clock.advance(10_000);
  expect(lives.state).toBe("Reserved");
  expect(lives.api.effects).toHaveLength(2);
});

it("a value that is still on file and was taken out again does not come back", async () => {
  const lives = new SdkServerLives({
    diskMs: 60,
    status: { state: "Ready", lists: { players: { capacity: 9n, values: [] } } },
  });
  await Promise.all([lives.session.setLabel("a", "b"), lives.clock.advance(100)]);
  const addition = lives.session.count(signal, (seen) => decideAddition(seen, "players", "ann"));
  await Promise.all([addition, lives.clock.advance(350)]);
  const removal = lives.session.count(signal, (seen) => decideRemoval(seen, "players", "ann"));
  // The next write is due before the file is.
  await Promise.all([removal, lives.clock.advance(55)]);
  expect(lives.waiting).toHaveLength(1);
  lives.restart();
  await lives.clock.advance(10_000);
  expect(lives.api.stored?.status?.lists?.players?.values).toEqual([]);
});
