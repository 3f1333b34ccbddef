/** A session against the fake API with a clock that tests move. */
import { FakeEventRecorder } from "#kube/fake-event-recorder.ts";
import { FakeClock } from "#runtime/clock.ts";
import { silentLogger } from "#runtime/logger.ts";
import { FakeGameServerApi, NAME, NAMESPACE } from "./fake-gameserver-api.ts";
import { GameServerSession, type SessionOptions } from "./game-server-session.ts";

export function startSession(api = new FakeGameServerApi(), options: Partial<SessionOptions> = {}) {
  const clock = new FakeClock();
  const recorder = new FakeEventRecorder();
  const session = new GameServerSession({
    namespace: NAMESPACE,
    name: NAME,
    source: api,
    writer: api as SessionOptions["writer"],
    recorder,
    clock,
    log: silentLogger,
    intervalMs: 500,
    resumed: false,
    kept: { id: "life", serial: 0, changes: [] },
    random: () => 1,
    ...options,
  });
  session.start();
  const events = () => recorder.events.map(({ type, reason, message }) => `${type} ${reason}: ${message}`);
  return { api, clock, session, events, state: () => api.stored?.status?.state };
}
