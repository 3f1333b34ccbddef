import { expect, test, vi } from "vitest";
import { silentLogger } from "#runtime/logger.ts";
import { startSession } from "./session-fixture.ts";

test("each missed ping is said in the log, and that there were too many; a ping begins anew", async () => {
  const log = { ...silentLogger, warn: vi.fn() };
  const { clock, session, state } = startSession(undefined, { log });
  session.probe();
  await clock.advance(10_000);
  session.ping();
  await clock.advance(20_000);
  const missed = (failures: number) => [{ failures, failureThreshold: 3 }, "GameServer Health Check failed"];
  expect(log.warn.mock.calls).toEqual([
    missed(1),
    missed(1),
    missed(2),
    missed(3),
    [{}, "GameServer has failed health check"],
  ]);
  expect(state()).toBe("Unhealthy");
});
