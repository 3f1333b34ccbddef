import { describe, expect, it } from "vitest";
import { SDK_WRITE_ANNOTATION } from "./decide-write.ts";
import type { Fault } from "./fake-gameserver-api.ts";
import { SdkServerLives } from "./lives-fixture.ts";

type Lives = SdkServerLives;

const away = Array<Fault>(200).fill("unreachable");

/** Whether a call was answered, and how. */
function answerOf(call: Promise<void>): { is: string } {
  const answer = { is: "none yet" };
  call.then(
    () => {
      answer.is = "ok";
    },
    (error: { code: string }) => {
      answer.is = error.code;
    },
  );
  return answer;
}

/** The API answers again. */
async function back({ api, clock }: Lives, ms = 10_000): Promise<void> {
  api.faults.length = 0;
  await clock.advance(ms);
}

const allocatedAt = (ms: number) => ({
  metadata: { annotations: { "agones.dev/last-allocated": new Date(ms).toISOString() } },
  status: { state: "Allocated" as const },
});

describe("a call is answered", () => {
  it("when its change is in the object, without any file, while the API answers soon", async () => {
    const lives = new SdkServerLives();
    const answer = answerOf(lives.session.ready());
    expect(answer.is).toBe("none yet");
    await lives.clock.advance(0);
    expect(lives.state).toBe("RequestReady");
    expect(answer.is).toBe("ok");
    await lives.clock.advance(10_000);
    expect(lives.saves).toBe(0);
  });

  it("when its change is on file, while the API takes its time; the file is emptied later", async () => {
    const lives = new SdkServerLives();
    lives.api.faults.push("held");
    const answer = answerOf(lives.session.ready());
    await lives.clock.advance(49);
    expect(answer.is).toBe("none yet");
    await lives.clock.advance(1);
    expect(answer.is).toBe("ok");
    expect(lives.waiting).toEqual(["RequestReady"]);
    lives.api.arrive();
    await lives.clock.advance(0);
    expect(lives.waiting).toEqual([]);
    expect(lives.saves).toBe(2);
  });

  it("when its change is on file, while it waits for its turn", async () => {
    const lives = new SdkServerLives();
    void lives.session.setLabel("a", "1");
    await lives.clock.advance(0);
    const answer = answerOf(lives.session.setLabel("a", "2"));
    await lives.clock.advance(0);
    expect(answer.is).toBe("ok");
    expect(lives.waiting).toEqual(["agones.dev/sdk-a=2"]);
    await lives.clock.advance(500);
    expect(lives.waiting).toEqual([]);
    expect(lives.api.stored?.metadata.labels).toEqual({ "agones.dev/sdk-a": "2" });
  });

  it("when its change is on file, while the API is away", async () => {
    const lives = new SdkServerLives({ diskMs: 20 });
    lives.api.faults.push(...away);
    const answers = [answerOf(lives.session.ready()), answerOf(lives.session.setLabel("a", "1"))];
    await lives.clock.advance(19);
    expect(answers).toEqual([{ is: "none yet" }, { is: "none yet" }]);
    await lives.clock.advance(1);
    expect(answers).toEqual([{ is: "ok" }, { is: "ok" }]);
    expect(lives.saves).toBe(1);
  });

  it("with Unavailable, when the disk is full while the API is away; both come right later", async () => {
    const lives = new SdkServerLives();
    lives.api.faults.push(...away);
    lives.diskIsFull = true;
    const answer = answerOf(lives.session.ready());
    await lives.clock.advance(100);
    expect(answer.is).toBe("Unavailable");
    lives.diskIsFull = false;
    await lives.clock.advance(5000);
    expect(lives.waiting).toEqual(["RequestReady"]);
    await back(lives);
    expect(lives.state).toBe("RequestReady");
    expect(lives.waiting).toEqual([]);
  });

  it("when its change is in the object, while the disk alone is full", async () => {
    const lives = new SdkServerLives();
    lives.diskIsFull = true;
    void lives.session.ready();
    await lives.clock.advance(1);
    const answer = answerOf(lives.session.allocate());
    await lives.clock.advance(498);
    expect(answer.is).toBe("none yet");
    await lives.clock.advance(1);
    expect(answer.is).toBe("ok");
    expect(lives.state).toBe("Allocated");
  });

  it("with ResourceExhausted, when more waits than an object can hold; states are taken nevertheless", async () => {
    const lives = new SdkServerLives();
    lives.api.faults.push(...away);
    for (let n = 0; n < 8; n++) await lives.make((session) => session.setAnnotation(`k${n}`, "ä".repeat(16_000)));
    const refused = expect.objectContaining({ code: "ResourceExhausted" });
    await expect(lives.make((session) => session.setAnnotation("k8", "ä".repeat(16_000)))).rejects.toEqual(refused);
    await lives.make((session) => session.setAnnotation("k0", "another of the same key"));
    await lives.make((session) => session.setAnnotation("k8", "smaller"));
    await lives.make((session) => session.ready());
    expect(lives.waiting).toHaveLength(10);
    expect(lives.waiting.slice(-3)).toEqual([
      "agones.dev/sdk-k0=another of the same key",
      "agones.dev/sdk-k8=smaller",
      "RequestReady",
    ]);
  });

  it("at once when the server is gone, and nothing is kept for it", async () => {
    const lives = new SdkServerLives();
    lives.api.faults.push(...away);
    await lives.make((session) => session.ready());
    lives.api.write(undefined);
    await lives.make((session) => session.setLabel("a", "b"));
    await lives.clock.advance(10_000);
    expect(lives.waiting).toEqual([]);
  });
});

describe("after a death", () => {
  it("what waited is written, once", async () => {
    const lives = new SdkServerLives();
    lives.api.faults.push(...away);
    await lives.make((session) => session.ready());
    await lives.make((session) => session.setLabel("mode", "duel"));
    await lives.make((session) => session.setAnnotation("map", "dust"));
    lives.restart();
    lives.restart();
    await lives.clock.advance(1000);
    lives.restart();
    await back(lives);
    expect(lives.state).toBe("RequestReady");
    expect(lives.api.stored?.metadata).toMatchObject({
      labels: { "agones.dev/sdk-mode": "duel" },
      annotations: { "agones.dev/sdk-map": "dust" },
    });
    expect(lives.api.effects).toHaveLength(1);
    expect(lives.events).toEqual(["Normal RequestReady: SDK state change"]);
    expect(lives.waiting).toEqual([]);
  });

  it.each(["Ready", "Allocated", "Shutdown", "Unhealthy"] as const)(
    "a write that took effect is not repeated over %s",
    async (state) => {
      const lives = new SdkServerLives();
      lives.api.live = false;
      lives.api.faults.push("lost-answer", ...away);
      await lives.make(async (session) => {
        await Promise.all([session.ready(), session.setLabel("mode", "duel")]);
      });
      lives.kill();
      expect(lives.state).toBe("RequestReady");
      lives.api.write({ metadata: { labels: { "agones.dev/sdk-mode": "of another" } }, status: { state } });
      lives.api.live = true;
      lives.api.show();
      lives.restart();
      await back(lives);
      expect(lives.state).toBe(state);
      expect(lives.api.effects).toHaveLength(1);
      expect(lives.api.stored?.metadata.labels).toEqual({ "agones.dev/sdk-mode": "of another" });
      expect(lives.waiting).toEqual([]);
    },
  );

  it("a write that took effect without the newest call leaves only that to be written", async () => {
    const lives = new SdkServerLives();
    lives.api.live = false;
    lives.api.faults.push("lost-answer", ...away);
    await lives.make((session) => session.ready());
    await lives.make((session) => session.setLabel("mode", "duel"));
    expect(lives.waiting).toEqual(["RequestReady", "agones.dev/sdk-mode=duel"]);
    lives.kill();
    lives.api.write({ status: { state: "Ready" } });
    lives.api.show();
    lives.restart();
    await back(lives);
    expect(lives.state).toBe("Ready");
    expect(lives.api.stored?.metadata.labels).toEqual({ "agones.dev/sdk-mode": "duel" });
  });

  it("a write that was on its way and comes first is not repeated", async () => {
    const lives = new SdkServerLives();
    lives.api.faults.push("held");
    const answer = answerOf(lives.session.ready());
    await lives.clock.advance(100);
    expect(answer.is).toBe("ok");
    lives.restart();
    lives.api.arrive();
    lives.api.faults.push("held");
    await lives.clock.advance(0);
    lives.api.arrive();
    await lives.clock.advance(10_000);
    expect(lives.api.effects).toHaveLength(1);
    expect(lives.state).toBe("RequestReady");
  });

  it("a write that was on its way and comes second does nothing", async () => {
    const lives = new SdkServerLives();
    lives.api.faults.push("held");
    void lives.session.ready();
    await lives.clock.advance(100);
    lives.restart();
    await lives.clock.advance(0);
    lives.api.write({ status: { state: "Ready" } });
    lives.api.arrive();
    await lives.clock.advance(10_000);
    expect(lives.state).toBe("Ready");
    expect(lives.api.effects).toHaveLength(1);
  });

  it.each(["Ready", "Reserved"] as const)(
    "a %s that was asked for before an allocation does not undo it",
    async (asked) => {
      const lives = new SdkServerLives();
      lives.api.write({ status: { state: "Ready" } });
      lives.api.faults.push(...away);
      await lives.make((session) => (asked === "Ready" ? session.ready() : session.reserve(60n)));
      lives.kill();
      lives.api.write(allocatedAt(lives.clock.now() + 1));
      lives.restart();
      await lives.make((session) => session.setLabel("a", "b"));
      await back(lives, 120_000);
      expect(lives.state).toBe("Allocated");
      expect(lives.api.stored?.metadata.labels).toEqual({ "agones.dev/sdk-a": "b" });
      await lives.make((session) => session.ready());
      expect(lives.state).toBe("RequestReady");
    },
  );

  it("a Shutdown that was asked for before an allocation is written nevertheless", async () => {
    const lives = new SdkServerLives();
    lives.api.faults.push(...away);
    await lives.make((session) => session.shutdown());
    lives.kill();
    lives.api.write(allocatedAt(lives.clock.now() + 1));
    lives.restart();
    await back(lives);
    expect(lives.state).toBe("Shutdown");
  });

  it("a reservation that waited begins when it is written, and ends after its duration", async () => {
    const lives = new SdkServerLives();
    lives.api.faults.push(...away);
    await lives.make((session) => session.reserve(10n));
    lives.restart();
    await lives.clock.advance(60_000);
    expect(lives.state).toBe("Scheduled");
    await back(lives, 9999);
    expect(lives.state).toBe("Reserved");
    await lives.clock.advance(10_000);
    expect(lives.state).toBe("RequestReady");
  });

  it("a reservation that had begun ends when it was to end, however late that is found out", async () => {
    const lives = new SdkServerLives();
    lives.api.live = false;
    lives.api.faults.push("lost-answer", ...away);
    await lives.make((session) => session.reserve(60n));
    const { reservedUntil } = lives.api.stored?.status ?? {};
    // The next life sees an old object first.
    lives.restart();
    await lives.clock.advance(1000);
    lives.api.faults.length = 0;
    await lives.clock.advance(10_000);
    lives.api.live = true;
    lives.api.show();
    await lives.clock.advance(48_000);
    expect(lives.state).toBe("Reserved");
    expect(lives.api.stored?.status?.reservedUntil).toBe(reservedUntil);
    await lives.clock.advance(1000);
    expect(lives.state).toBe("RequestReady");
  });

  it("a state that waits goes before the end of an older reservation", async () => {
    const lives = new SdkServerLives();
    void lives.session.reserve(10n);
    await lives.clock.advance(500);
    lives.api.faults.push(...away);
    await lives.make((session) => session.allocate());
    lives.restart();
    await lives.clock.advance(20_000);
    await back(lives);
    expect(lives.state).toBe("Allocated");
  });

  it("Unhealthy is still the last word", async () => {
    const lives = new SdkServerLives();
    lives.session.probe();
    await lives.clock.advance(19_000);
    lives.api.faults.push(...away);
    await lives.clock.advance(3000);
    expect(lives.waiting).toEqual(["Unhealthy"]);
    lives.restart();
    await lives.make((session) => session.ready());
    lives.session.ping();
    await back(lives);
    expect(lives.state).toBe("Unhealthy");
  });

  it("that was orderly, what could not be written waits on disk", async () => {
    const lives = new SdkServerLives({ diskMs: 5 });
    lives.api.faults.push(...away);
    const answer = answerOf(lives.session.ready());
    const stopped = lives.session.stop(1000);
    await lives.clock.advance(1005);
    await stopped;
    expect(answer.is).toBe("ok");
    const { saves } = lives;
    await lives.clock.advance(60_000);
    expect(lives.saves).toBe(saves);
    lives.restart();
    await back(lives);
    expect(lives.state).toBe("RequestReady");
  });
});

it("a value that was there before is written again when the write between may have taken effect", async () => {
  const lives = new SdkServerLives();
  await Promise.all([lives.session.setLabel("a", "old"), lives.clock.advance(500)]);
  lives.api.live = false;
  lives.api.faults.push("lost-answer");
  void lives.session.setLabel("a", "new");
  await lives.clock.advance(0);
  void lives.session.setLabel("a", "old");
  await lives.clock.advance(1000);
  lives.api.live = true;
  lives.api.show();
  await lives.clock.advance(10_000);
  expect(lives.api.stored?.metadata.labels).toEqual({ "agones.dev/sdk-a": "old" });
});

it("marks of other writers, and marks that cannot be its own, say nothing about what waits", async () => {
  for (const text of ["other.99999999", "", ".1", "1e9", "<id>.99999999", "<id>.1e1"]) {
    const lives = new SdkServerLives();
    const mark = text.replace("<id>", String(lives.disk?.id));
    lives.api.faults.push(...away);
    await lives.make((session) => session.ready());
    lives.api.write({ metadata: { annotations: { [SDK_WRITE_ANNOTATION]: mark } } });
    lives.restart();
    await back(lives);
    expect(lives.state).toBe("RequestReady");
  }
});

it("a Ready after an allocation that is known is written, though the allocator's clock is ahead", async () => {
  const lives = new SdkServerLives();
  lives.api.write(allocatedAt(lives.clock.now() + 3_600_000));
  void lives.session.ready();
  await lives.clock.advance(0);
  expect(lives.state).toBe("RequestReady");
});
