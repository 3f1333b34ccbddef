import type { GameServer } from "#api/agones/gameserver.ts";
import { isDevelopment } from "#api/agones/predicates.ts";
import type { Pod } from "#api/core/pod.ts";
import { objectKey } from "#api/meta/object.ts";
import type { AgentClient } from "#cluster/node/agent-client.ts";
import type { Informer } from "#kube/informer.ts";
import type { Clock } from "#runtime/clock.ts";
import { aborted, type Runnable } from "#runtime/runnable.ts";

/** How long a request waits at most for the node agent's first word. */
const PATIENCE_MS = 5_000;
const ASK_EVERY_MS = 50;

export interface LivingServersOptions {
  readonly agent: Pick<AgentClient, "identity" | "containers">;
  readonly gameServers: Pick<Informer<GameServer>, "lister">;
  readonly pods: Pick<Informer<Pod>, "addHandler" | "synced">;
  readonly clock: Clock;
}

/** Which game servers run, as far as this control plane knows. */
export interface LivingServers extends Runnable {
  /** Resolves once the node agent has told what runs, or is not heard of for 5 s. */
  heard(): Promise<void>;
  /** Resolves once the node agent has told what runs. */
  told(): Promise<void>;
  /** A server of `stadion dev` is always taken to run. */
  isLiving(server: GameServer): boolean;
}

/**
 * What the store says of servers is as old as the last control plane: their processes may have ended with the machine since. A server counts
 * as living when the node agent says that its game runs, or when its Pod came to run since this control plane does.
 */
export function followLivingServers(options: LivingServersOptions): LivingServers {
  const { agent, gameServers, pods, clock } = options;
  const living = new Set<string>();
  const heard = Promise.withResolvers<void>();
  const told = Promise.withResolvers<void>();
  const runs = ({ status }: Pod): boolean => status?.phase === "Running";
  pods.addHandler({
    // Not of the first list, and so made since: the cache was late for its beginnings.
    add: (pod) => {
      if (pods.synced && runs(pod)) living.add(objectKey(pod));
    },
    update: (pod, old) => {
      if (!runs(pod)) living.delete(objectKey(pod));
      else if (!runs(old)) living.add(objectKey(pod));
    },
    delete: (old) => void living.delete(objectKey(old)),
  });

  const listen = async (): Promise<boolean> => {
    if (!(await agent.identity())?.ready) return false;
    for (const { namespace, pod, container, pid } of await agent.containers()) {
      const key = `${namespace}/${pod}`;
      if (pid !== undefined && gameServers.lister.get(key)?.spec.container === container) living.add(key);
    }
    return true;
  };
  return {
    name: "living servers",
    heard: () => heard.promise,
    told: () => told.promise,
    isLiving: (server) => isDevelopment(server) || living.has(objectKey(server)),
    run: async (signal) => {
      clock.after(PATIENCE_MS, heard.resolve);
      while (!signal.aborted && !(await listen().catch(() => false)))
        await clock.sleep(ASK_EVERY_MS, signal).catch(() => {});
      heard.resolve();
      if (!signal.aborted) told.resolve();
      await aborted(signal);
    },
  };
}
