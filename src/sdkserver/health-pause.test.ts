import { expect, test } from "vitest";
import { HEALTH_PAUSED_UNTIL_ANNOTATION } from "#api/core/health-pause.ts";
import { rfc3339 } from "#runtime/clock.ts";
import { startSession } from "./session-fixture.ts";

/** A server whose first ping is due after 5 s, and that is Unhealthy after 20 s without one. */
function counting() {
  const session = startSession();
  session.session.probe();
  const { api, clock } = session;
  const pause = (ms: number | undefined) =>
    api.write({
      metadata: {
        annotations: ms === undefined ? {} : { [HEALTH_PAUSED_UNTIL_ANNOTATION]: rfc3339(clock.now() + ms) },
      },
    });
  return { ...session, pause };
}

test("missed health does not count while it is paused, and then the game has its whole time again", async () => {
  const { clock, session, state, pause } = counting();
  await clock.advance(16_000);
  pause(3_600_000);
  await clock.advance(3_600_000);
  expect(session.probe()).toBe(true);
  expect(state()).toBe("Scheduled");
  await clock.advance(15_000);
  expect(session.probe()).toBe(true);
  await clock.advance(10_000);
  expect(state()).toBe("Unhealthy");
});

test("a pause that is taken back ends at once", async () => {
  const { clock, state, pause } = counting();
  pause(3_600_000);
  await clock.advance(60_000);
  pause(undefined);
  await clock.advance(20_000);
  expect(state()).toBe("Unhealthy");
});

test("a time that cannot be read is no pause", async () => {
  const { api, clock, state } = counting();
  api.write({ metadata: { annotations: { [HEALTH_PAUSED_UNTIL_ANNOTATION]: "for ever" } } });
  await clock.advance(20_000);
  expect(state()).toBe("Unhealthy");
});

test("a server that is Unhealthy already stays so", async () => {
  const { clock, state, pause } = counting();
  await clock.advance(20_000);
  pause(3_600_000);
  await clock.advance(60_000);
  expect(state()).toBe("Unhealthy");
});
