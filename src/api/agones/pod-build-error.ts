export type PodBuildFault = "UnknownContainer" | "NoEviction" | "UnknownEviction" | "NoGameContainer";

/** No Pod can be made of a GameServer as it stands; the message says why, and building it again would give the same. */
export class PodBuildError extends Error {
  override readonly name = "PodBuildError";
  readonly code: PodBuildFault;

  constructor(code: PodBuildFault, message: string) {
    super(message);
    this.code = code;
  }
}
