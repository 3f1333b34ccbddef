/** What differs from one Kubernetes product to another: rules of specs, marks on Pods, and who finds host ports. */
import type { Pod } from "../../core/pod.ts";
import type { FieldError } from "../../meta/field.ts";
import type { ObjectMeta } from "../../meta/object.ts";
import type { FeatureGates } from "../feature-gates.ts";
import type { Eviction, GameServer, GameServerSpec } from "../gameserver.ts";

export type CloudProductName = "generic" | "gke-autopilot";

/** First and last host port, both inclusive. */
export interface HostPortRange {
  readonly min: number;
  readonly max: number;
}

/** One product. All functions are pure; objects that need no change are returned themselves. */
export interface CloudProduct {
  readonly name: CloudProductName;
  /** Rules of a defaulted spec at `path`, besides those that hold everywhere. */
  readonly validateGameServerSpec: (spec: GameServerSpec, gates: FeatureGates, path: string) => readonly FieldError[];
  /** Rules of the scheduling of a GameServer, GameServerSet or Fleet. */
  readonly validateScheduling: (scheduling: string | null | undefined, path: string) => readonly FieldError[];
  /** Marks and settings of a Pod, before its eviction marks. */
  readonly mutatePod: (pod: Pod, gameServer: GameServer) => Pod;
  /** A Pod's metadata with marks that say whether a node may be emptied under it. Throws `PodBuildError`. */
  readonly markEviction: (
    metadata: ObjectMeta,
    eviction: Eviction | null | undefined,
    gates: FeatureGates,
  ) => ObjectMeta;
  /**
   * Only where the product finds host ports itself: the server with placeholders for them, which no allocator of ours gave and
   * none takes back. Without it host ports come from our own ranges.
   */
  readonly placeholderPorts?: (gameServer: GameServer, range: HostPortRange) => GameServer;
  /** The server with the host ports that its scheduled Pod got. Throws `CloudProductError`. */
  readonly portsFromPod: (gameServer: GameServer, pod: Pod) => GameServer;
  /** A Pod that finds no node with its ports free will be given one: it is not Unhealthy. */
  readonly waitsForFreePorts: boolean;
}

/** What the product wrote on a Pod cannot be read. */
export class CloudProductError extends Error {
  override readonly name = "CloudProductError";
  readonly code = "CloudProductError";
}
