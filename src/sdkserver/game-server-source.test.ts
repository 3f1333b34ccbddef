import { expect, it } from "vitest";
import type { GameServer } from "#api/agones/gameserver.ts";
import { GAMESERVERS } from "#api/agones/resources.ts";
import type { KubeList, WatchEvent } from "#api/meta/object.ts";
import type { Reader } from "#kube/client.ts";
import { createInformer } from "#kube/shared-informer.ts";
import { FakeClock } from "#runtime/clock.ts";
import { silentLogger } from "#runtime/logger.ts";
import { gameServer } from "./fake-gameserver-api.ts";
import { informerSource, trimGameServer } from "./game-server-source.ts";

const named = (name: string, resourceVersion: string): GameServer => ({
  ...gameServer(),
  metadata: { ...gameServer().metadata, name, uid: `uid-${name}`, resourceVersion },
});

/** A client with two servers at first, and a watch that tests feed. */
function client() {
  const events: WatchEvent<GameServer>[][] = [];
  let wake = (): void => {};
  const reader = {
    list: async (): Promise<KubeList<GameServer>> => ({
      apiVersion: "agones.dev/v1",
      kind: "GameServerList",
      metadata: { resourceVersion: "10" },
      items: [named("a", "1"), named("b", "2")],
    }),
    watch: async (_type: unknown, { signal }: { signal?: AbortSignal }) =>
      (async function* () {
        while (!signal?.aborted) {
          const batch = events.shift();
          if (batch) yield batch;
          else
            await new Promise<void>((resolve) => {
              wake = resolve;
              signal?.addEventListener("abort", () => resolve());
            });
        }
      })(),
  };
  const send = (...batch: WatchEvent<GameServer>[]): void => {
    events.push(batch);
    wake();
  };
  return { reader: reader as unknown as Pick<Reader, "list" | "watch">, send };
}

it("gives each session its own server out of one watch", async () => {
  const { reader, send } = client();
  const informer = createInformer(reader, GAMESERVERS, { clock: new FakeClock(), log: silentLogger });
  const source = informerSource(informer);
  const stop = new AbortController();
  const running = informer.run(stop.signal);
  const seen: (string | undefined)[] = [];
  const leave = source.subscribe("default", "b", (server) => seen.push(server?.metadata.resourceVersion));
  expect(source.get("default", "b")).toBeUndefined();
  await source.synced;
  expect(source.get("default", "b")?.metadata.resourceVersion).toBe("2");
  expect(seen).toEqual(["2"]);

  send({ type: "MODIFIED", object: named("a", "11") }, { type: "MODIFIED", object: named("b", "12") });
  await expect.poll(() => seen).toEqual(["2", "12"]);
  send({ type: "DELETED", object: named("b", "13") });
  await expect.poll(() => seen).toEqual(["2", "12", undefined]);

  leave();
  send({ type: "ADDED", object: named("b", "14") });
  await expect.poll(() => source.get("default", "b")?.metadata.resourceVersion).toBe("14");
  expect(seen).toHaveLength(3);
  stop.abort();
  await running;
});

it("keeps all of a server but the parts of its spec that neither game nor node ask for", () => {
  const template = { spec: { containers: [{ name: "game", image: "game:1" }] } };
  const kept = { health: { periodSeconds: 3 }, container: "game", ports: [{ name: "play", hostPort: 7000 }] };
  const whole = gameServer({ state: "Ready", counters: { rooms: { count: 1n, capacity: 2n } } });
  const trimmed = trimGameServer({ ...whole, spec: { ...kept, template, counters: { rooms: { capacity: 2n } } } });
  expect(trimmed).toEqual({ ...whole, spec: { ...kept, template: { spec: { containers: [] } } } });
});
