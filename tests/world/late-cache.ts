import { onTestFinished } from "vitest";
import type { FleetOptions } from "#controllers/fleet/controller.ts";
import type { GameServerSetOptions } from "#controllers/gameserverset/controller.ts";
import { createControllerInformers } from "#controllers/informers.ts";
import type { Client } from "#kube/client.ts";
import type { Controller } from "#kube/controller.ts";
import { FakeEventRecorder } from "#kube/fake-event-recorder.ts";
import { FakeClock } from "#runtime/clock.ts";
import { silentLogger as log } from "#runtime/logger.ts";
import { runGroups } from "#runtime/runnable.ts";
import { NodeCounts } from "#views/node-counts.ts";
import { type EmbeddedTestApi, gates, openTestApi } from "./embedded-api.ts";

/** One controller alone on the real API server, whose cache can be made to lag. */
export interface LateCache {
  readonly api: EmbeddedTestApi;
  readonly clock: FakeClock;
  /** From now on the controller sees nothing that happens to objects of this resource. */
  hide(plural: string): void;
  /** The controller sees all that it did not. */
  show(plural: string): void;
}

/** Ends with the test. `disturb` stands between the controller and the API. */
export async function withLateCache(
  create: (options: FleetOptions & GameServerSetOptions) => Controller,
  disturb: (client: Client) => Client = (client) => client,
): Promise<LateCache> {
  const clock = new FakeClock();
  const api = await openTestApi({ clock, random: () => 0.5 });
  const hidden = new Map<string, PromiseWithResolvers<void>>();
  const show = (plural: string): void => {
    hidden.get(plural)?.resolve();
    hidden.delete(plural);
  };
  const disturbed = disturb(api.client);
  const client: Client = {
    ...disturbed,
    watch: async (type, options) => {
      const batches = await disturbed.watch(type, options);
      return (async function* () {
        for await (const batch of batches) {
          await hidden.get(type.plural)?.promise;
          yield batch;
        }
      })();
    },
  };
  const informers = createControllerInformers(client, { clock, log });
  const nodeCounts = new NodeCounts();
  nodeCounts.follow(informers);
  const recorder = new FakeEventRecorder();
  const controller = create({ client, informers, nodeCounts, gates, recorder, clock, log, workers: 2 });
  const stop = new AbortController();
  const running = runGroups([Object.values(informers), [controller]], stop.signal, log);
  onTestFinished(async () => {
    for (const plural of [...hidden.keys()]) show(plural);
    stop.abort();
    await clock.advance(10);
    await running;
    await api.close();
  });
  await clock.advance(10);
  return { api, clock, hide: (plural) => void hidden.set(plural, Promise.withResolvers()), show };
}

/** A client whose watches of a resource tell nothing, as when all that happens falls into their gaps: only a list shows it. */
export const blindTo =
  (plural: string) =>
  (client: Client): Client => ({
    ...client,
    watch: async (type, options) => {
      const batches = await client.watch(type, options);
      if (type.plural !== plural) return batches;
      return (async function* () {
        for await (const _ of batches) yield [];
      })();
    },
  });
