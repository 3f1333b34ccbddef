/** The parts of core/v1 Node that Stadion reads or writes. */
import type { KubeObject } from "../meta/object.ts";
import type { ResourceList, TaintEffect } from "./pod.ts";

export type NodeAddressType = "Hostname" | "InternalIP" | "ExternalIP" | "InternalDNS" | "ExternalDNS";

export interface NodeAddress {
  /** A node's own, or `PodIP` in a GameServer's status. */
  readonly type: NodeAddressType | "PodIP";
  readonly address: string;
}

export interface Taint {
  readonly key: string;
  readonly value?: string;
  readonly effect: TaintEffect;
}

export interface NodeCondition {
  readonly type: string;
  readonly status: "True" | "False" | "Unknown";
  readonly reason?: string;
  readonly message?: string;
  readonly lastHeartbeatTime?: string;
  readonly lastTransitionTime?: string;
}

export interface Node extends KubeObject {
  readonly spec?: {
    readonly unschedulable?: boolean;
    readonly taints?: readonly Taint[];
    readonly podCIDR?: string;
    /** `<cloud>://…`: the machine, as its cloud names it. */
    readonly providerID?: string;
  };
  readonly status?: {
    readonly capacity?: ResourceList;
    readonly allocatable?: ResourceList;
    readonly addresses?: readonly NodeAddress[];
    readonly conditions?: readonly NodeCondition[];
    readonly nodeInfo?: Readonly<Record<string, string>>;
  };
}
