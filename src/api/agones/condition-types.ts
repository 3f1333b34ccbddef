/**
 * The conditions of Fleets and GameServerSets, with the reasons each may give. `docs/reference/conditions.md` tells what they
 * mean. GameServers have events instead: each write of their status would raise their generation.
 */
export const FLEET_CONDITIONS = {
  /** A player can be served now. */
  Available: ["ServersReady", "NoServersReady", "NoServersWanted"],
  /** Servers are being made, replaced or removed. */
  Progressing: ["RollingOut", "Scaling", "UpToDate", "Stalled"],
  /** A rolling update waits for something that Stadion does not do by itself. */
  RolloutBlocked: ["NewServersNotReady", "ServersInUse", "NotBlocked"],
} as const satisfies ConditionReasons;

export const GAMESERVERSET_CONDITIONS = {
  /** As many servers live as are wanted, and none of them is still starting. */
  Available: [
    "EnoughServers",
    "ServersStarting",
    "ServersUnschedulable",
    "ContainersWaiting",
    "ServersMissing",
    "ServersStuck",
    "CreationRefused",
    "NoServersWanted",
  ],
  /** Servers end before they are Ready, or fail right after it, and are replaced ever slower. */
  BackingOff: ["StartsFail", "FailsAfterReady", "StartsSucceed"],
} as const satisfies ConditionReasons;

/** Reasons by condition type. */
export type ConditionReasons = Readonly<Record<string, readonly string[]>>;
