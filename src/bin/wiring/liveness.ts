import type { Controller } from "#kube/controller.ts";
import type { HealthChecks } from "#runtime/health.ts";

/** What Agones calls the liveness checks of each queue; dashboards and alerts know them by these names. */
const CHECKS: Readonly<Record<string, readonly string[]>> = {
  "agones.dev.GameServerController": ["gameserver-workerqueue"],
  "agones.dev.GameServerControllerCreation": ["gameserver-creation-workerqueue"],
  "agones.dev.GameServerControllerDeletion": ["gameserver-deletion-workerqueue"],
  "agones.dev.HealthController": ["gameserver-health-workerqueue"],
  "agones.dev.MigrationController": ["gameserver-migration-workerqueue"],
  "agones.dev.MissingPodController": ["gameserver-missing-pod-workerqueue"],
  "agones.dev.SucceededController": ["gameserver-succeeded-workerqueue"],
  "agones.dev.GameServerSetController": ["gameserverset-workerqueue", "gameserverset-allocationoverflow-workerqueue"],
  "agones.dev.FleetController": ["fleet-workerqueue"],
  "autoscaling.agones.dev.FleetAutoscalerController": ["fleetautoscaler-workerqueue"],
};

/** Adds a check for each controller: it fails when not as many workers run as should. Before the start none should. */
export function watchWorkers(health: HealthChecks, controllers: readonly Controller[]): void {
  for (const controller of controllers)
    for (const check of CHECKS[controller.name] ?? [controller.name])
      health.addLiveness(check, () => {
        if (!controller.healthy()) throw new Error("not all of its workers run");
      });
}
