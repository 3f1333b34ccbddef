/** There is nothing to serve, or the end came before it was known. The Pod's restart policy starts it again. */
export class SidecarError extends Error {
  override readonly name = "SidecarError";
  readonly code: "NoGameServer" | "NeverConnected";

  constructor(code: SidecarError["code"], message: string) {
    super(message);
    this.code = code;
  }
}
