/** What commands ask of a node agent; `bin` hands in the client of its socket. */
export interface AgentPort {
  /** Who answers; `undefined` when nobody does. Once `ready` it knows its pods, and what an earlier agent left. */
  identity(): Promise<{ readonly pid: number; readonly version: string; readonly ready: boolean } | undefined>;
  containers(): Promise<readonly AgentContainer[]>;
  /** `none` ends the game servers, `servers` leaves them running. */
  stop(keep: "servers" | "none"): Promise<void>;
}

/** A process of a pod. */
export interface AgentContainer {
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
  readonly pid?: number;
  readonly logFile: string;
}
