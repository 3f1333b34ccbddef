import { FLEETS } from "#api/agones/resources.ts";
import { CliError, messageOf } from "#cli/errors.ts";
import type { ControlPlaneMessage } from "#cli/start/control-plane-message.ts";
import { exampleOf } from "#cli/start/example-fleet.ts";
import type { Client } from "#kube/client.ts";
import type { Transport } from "#kube/transport.ts";
import type { Clock } from "#runtime/clock.ts";
import type { Logger } from "#runtime/logger.ts";
import { aborted, type Runnable } from "#runtime/runnable.ts";
import type { LivingServers } from "./living-servers.ts";

export interface StartReportOptions {
  readonly transport: Transport;
  readonly client: Client;
  /** The file with the fleet of a new cluster, which is made first; none, where the cluster is to stay as it is. */
  readonly quickStart: string | undefined;
  readonly living: Pick<LivingServers, "told">;
  readonly tell: (message: ControlPlaneMessage) => void;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Brings a cluster to where a person can use it, and tells the supervisor how that goes. */
export function createStartReport(options: StartReportOptions): Runnable {
  const { client, quickStart: manifest, living, tell, log } = options;
  const say = (line: string): void => tell({ type: "said", line });
  const report = async (signal: AbortSignal): Promise<void> => {
    if (manifest) {
      const { quickStart } = await import("#cli/start/quick-start.ts");
      const made = (): void => tell({ type: "made" });
      await quickStart({ ...options, manifest, made, terminal: { out: say, err: say }, signal });
    }
    await Promise.race([living.told(), aborted(signal)]);
    signal.throwIfAborted();
    const { items } = await client.list(FLEETS, { namespace: "default", signal });
    const example = exampleOf(items);
    tell({ type: "started", ...(example && { example }) });
  };
  return {
    name: "start report",
    run: async (signal) => {
      await report(signal).catch((error: unknown) => {
        if (signal.aborted) return;
        log.error({ error }, "the start has failed");
        tell({ type: "failed", code: error instanceof CliError ? error.code : "Refused", message: messageOf(error) });
      });
      await aborted(signal);
    },
  };
}
