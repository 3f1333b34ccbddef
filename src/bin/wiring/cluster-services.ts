import { evictionBudget } from "#api/agones/eviction-budget.ts";
import { NODES, PODS } from "#api/core/resources.ts";
import { createUpkeep } from "#cluster/gc/upkeep.ts";
import { createScheduler } from "#cluster/scheduler/scheduler.ts";
import type { Client } from "#kube/client.ts";
import { createEventRecorder } from "#kube/event-recorder.ts";
import { createInformer } from "#kube/shared-informer.ts";
import type { Clock } from "#runtime/clock.ts";
import type { Logger } from "#runtime/logger.ts";
import { type Runnable, runGroups } from "#runtime/runnable.ts";

/** So long what keeps the cluster tidy leaves a start to the game servers. */
const UPKEEP_AFTER_MS = 1_000;

/** What a Kubernetes cluster brings along and the embedded one needs too. Groups in starting order. */
export function wireClusterServices(options: {
  client: Client;
  clock: Clock;
  log: Logger;
}): readonly (readonly Runnable[])[] {
  const { client, clock, log } = options;
  // Whole objects, unlike the controllers' trimmed ones: the scheduler adds up what containers ask for.
  const informers = {
    pods: createInformer(client, PODS, { clock, log }),
    nodes: createInformer(client, NODES, { clock, log }),
  };
  const recorder = createEventRecorder(client, { component: "default-scheduler", clock, log });
  const scheduler = createScheduler({ client, informers, recorder, clock, log });
  const groups = createUpkeep({ client, informers, budgetFor: evictionBudget, clock, log });
  const upkeep: Runnable = {
    name: "upkeep",
    run: async (signal) => {
      await clock.sleep(UPKEEP_AFTER_MS, signal).catch(() => {});
      await runGroups(groups, signal, log);
    },
  };
  return [
    [informers.pods, informers.nodes],
    [recorder, scheduler, upkeep],
  ];
}
