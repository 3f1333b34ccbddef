/** A protobuf body that cannot be read. The message is for the client; it says no more than what was wrong. */
export class ProtobufError extends Error {
  override readonly name = "ProtobufError";
  readonly code: "Malformed" | "UnknownKind";

  constructor(code: ProtobufError["code"], message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

export const malformed = (why: string, cause?: unknown): ProtobufError =>
  new ProtobufError("Malformed", `malformed protobuf: ${why}`, { cause });
