/** Lives of one SDK server, one after the other, as an agent that is killed and started again gives them. */
import type { GameServerStatus } from "#api/agones/gameserver.ts";
import { type JsonObject, stringifyJson } from "#api/meta/json.ts";
import type { Writer } from "#kube/client.ts";
import { type Clock, FakeClock } from "#runtime/clock.ts";
import { FakeGameServerApi, gameServer } from "./fake-gameserver-api.ts";
import type { GameServerSession } from "./game-server-session.ts";
import type { GameServerSource } from "./game-server-source.ts";
import { type KeptChanges, keptAsJson, nextLife } from "./kept-changes.ts";
import { startSession } from "./session-fixture.ts";

/** Of a life that is over nothing more is heard, and it does nothing more. */
const never = new Promise<never>(() => {});

export class SdkServerLives {
  readonly api: FakeGameServerApi;
  readonly clock = new FakeClock();
  readonly #diskMs: number;
  /** What the next life will find. */
  disk: JsonObject | undefined;
  /** How often something was put on disk, but for the beginnings of lives. */
  saves = 0;
  diskIsFull = false;
  #alive = { is: true };
  #life: ReturnType<typeof startSession>;

  /** `diskMs`: how long a file takes. */
  constructor({ diskMs = 0, status }: { diskMs?: number; status?: GameServerStatus } = {}) {
    this.api = new FakeGameServerApi(gameServer(status));
    this.#diskMs = diskMs;
    this.#life = this.#begin();
  }

  get session(): GameServerSession {
    return this.#life.session;
  }

  get events(): readonly string[] {
    return this.#life.events();
  }

  get state(): string | undefined {
    return this.api.stored?.status?.state;
  }

  /** The changes on disk, for reading. */
  get waiting(): readonly string[] {
    const { changes } = nextLife(this.disk);
    return changes.map((change) => {
      if (change.type === "state") return change.state;
      return "value" in change ? `${change.key}=${change.value}` : stringifyJson(change);
    });
  }

  /** Makes a call, and waits for its answer. */
  async make<T>(call: (session: GameServerSession) => Promise<T>): Promise<T> {
    const answer = call(this.session);
    await Promise.race([answer, this.clock.advance(0)]);
    return answer;
  }

  /** `kill -9`. What was sent is on its way still. */
  kill(): void {
    this.#alive.is = false;
  }

  restart(): void {
    this.kill();
    this.#life = this.#begin();
  }

  /** All faults are over, for long enough that everything has come to its place. */
  async endFaults(): Promise<void> {
    this.diskIsFull = false;
    this.api.live = true;
    this.api.show();
    for (let n = 0; n < 40; n++) {
      this.api.arrive();
      await this.clock.advance(10_000);
    }
  }

  #begin(): ReturnType<typeof startSession> {
    const alive = { is: true };
    this.#alive = alive;
    const resumed = this.disk !== undefined;
    const kept = nextLife(this.disk);
    this.disk = keptAsJson(kept);
    const source: GameServerSource = {
      synced: this.api.synced,
      get: () => this.api.get(),
      subscribe: (namespace, name, listener) =>
        this.api.subscribe(namespace, name, (seen) => alive.is && listener(seen)),
    };
    const clock: Clock = {
      now: () => this.clock.now(),
      monotonic: () => this.clock.monotonic(),
      sleep: (ms, signal) => this.clock.sleep(ms, signal),
      after: (ms, callback) => this.clock.after(ms, () => alive.is && callback()),
    };
    const patch = async (...[type, namespace, name, patch]: Parameters<Writer["patch"]>): Promise<unknown> => {
      if (!alive.is) return never;
      const answer = await this.api.patch(type, namespace, name, patch).catch((error: unknown) => {
        if (alive.is) throw error;
      });
      return alive.is ? answer : never;
    };
    const keep = async (content: KeptChanges): Promise<void> => {
      const text = keptAsJson(content);
      if (this.#diskMs) await this.clock.sleep(this.#diskMs);
      else await Promise.resolve();
      if (!alive.is) return never;
      if (this.diskIsFull) throw new Error("ENOSPC: no space left on device");
      this.saves++;
      this.disk = structuredClone(text);
    };
    const writer = { patch } as Pick<Writer, "patch">;
    return startSession(this.api, { source, clock, writer, kept, keep, resumed });
  }
}
