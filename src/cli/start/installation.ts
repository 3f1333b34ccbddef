/** What belongs to an installation of Stadion; paths are absolute. */
export interface Installation {
  readonly version: string;
  /** Entry files of the two processes of a cluster. */
  readonly controlPlane: string;
  readonly nodeAgent: string;
  /** Changes with the node agent's program, while its version stays. */
  readonly agentBuild: string;
  /** Entry file of the SDK server of a single game. */
  readonly sdkServer: string;
  /** The manifest that a new cluster starts with. */
  readonly quickStart: string;
  /** Where Node may keep compiled code between starts. */
  readonly compileCache: string;
}
