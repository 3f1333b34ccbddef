export type PodBuildFault = "UnknownContainer" | "NoEviction" | "UnknownEviction" | "NoGameContainer";

/** No Pod can be made of a GameServer as it stands. */
export class PodBuildError extends Error {
  override readonly name = "PodBuildError";
  readonly code: PodBuildFault;

  constructor(code: PodBuildFault, message: string) {
    super(message);
    this.code = code;
  }

  /** The server moves to state Error. Otherwise (the game container itself is missing) building is tried again later. */
  get terminal(): boolean {
    return this.code !== "NoGameContainer";
  }
}
