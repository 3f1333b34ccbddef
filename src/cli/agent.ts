/** What commands ask of a node agent; `bin` hands in the client of its socket. */
export interface AgentPort {
  /**
   * Who answers; `undefined` when nobody does. Rejects when somebody is there who says nothing, as `isSilent` tells. Once `ready` it knows
   * its pods, and what an earlier agent left.
   */
  identity(): Promise<AgentIdentity | undefined>;
  containers(): Promise<readonly AgentContainer[]>;
  /** `none` ends the game servers, `servers` leaves them running. */
  stop(keep: "servers" | "none"): Promise<void>;
}

export interface AgentIdentity {
  readonly pid: number;
  readonly version: string;
  /** Which program of that version it is; absent when an agent does not tell. */
  readonly build?: string;
  /** The arguments it was started with; absent when an agent does not tell. */
  readonly settings?: readonly string[];
  readonly ready: boolean;
}

/** A process of a pod. */
export interface AgentContainer {
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
  readonly pid?: number;
  readonly logFile: string;
}

/** Whether an error is that of an agent that is there and does not answer. */
export const isSilent = (error: unknown): boolean => (error as { readonly code?: unknown }).code === "AgentSilent";
