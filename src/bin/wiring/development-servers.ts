import type { GameServer } from "#api/agones/gameserver.ts";
import { objectKey } from "#api/meta/object.ts";
import { type DevPresence, findDev } from "#cli/dev/dev-presence.ts";
import { devProcessOf } from "#cli/dev/development-server.ts";
import { removeServer } from "#cli/dev/server-life.ts";
import type { Client } from "#kube/client.ts";
import { createController } from "#kube/controller.ts";
import type { Informer } from "#kube/informer.ts";
import { fastLimiter } from "#kube/rate-limiter.ts";
import type { Clock } from "#runtime/clock.ts";
import type { Logger } from "#runtime/logger.ts";
import type { Runnable } from "#runtime/runnable.ts";

export interface DevelopmentServersOptions {
  readonly gameServers: Informer<GameServer>;
  readonly client: Client;
  /** Absolute. */
  readonly dataDir: string;
  readonly clock: Clock;
  readonly log: Logger;
}

/**
 * Removes GameServers of `stadion dev` whose process has ended without removing them itself: nobody runs their games any more, and no
 * match may be sent there. It hears of the end at once, and looks again at its own start.
 */
export function followDevelopmentServers(options: DevelopmentServersOptions): Runnable {
  const { gameServers, client, dataDir, clock, log } = options;
  /** By process id: those that are there. */
  const present = new Map<number, DevPresence>();

  const isPresent = async (pid: number): Promise<boolean> => {
    if (present.has(pid)) return true;
    const found = await findDev(dataDir, pid);
    if (!found) return false;
    present.set(pid, found);
    void found.gone.then(() => {
      present.delete(pid);
      for (const server of gameServers.lister.list())
        if (devProcessOf(server) === pid) controller.enqueue(objectKey(server));
    });
    return true;
  };

  const controller = createController({
    name: "stadion.dev.DevelopmentServerController",
    logKey: "gsKey",
    // One after the other: a process is asked once.
    workers: 1,
    limiter: fastLimiter(),
    clock,
    log,
    reconcile: async (key) => {
      const server = gameServers.lister.get(key);
      const pid = server && devProcessOf(server);
      if (!server || pid === undefined || server.metadata.deletionTimestamp || (await isPresent(pid))) return;
      log.info({ gsKey: key, pid }, "stadion dev has ended: its GameServer is removed");
      await removeServer(client, server);
    },
  });
  const see = (server: GameServer): void => {
    if (devProcessOf(server) !== undefined) controller.enqueue(objectKey(server));
  };
  gameServers.addHandler({ add: see, update: see });
  return {
    name: "development servers",
    run: async (signal) => {
      try {
        await controller.run(signal);
      } finally {
        for (const presence of present.values()) presence.close();
      }
    },
  };
}
