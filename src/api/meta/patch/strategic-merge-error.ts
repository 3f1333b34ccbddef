/** A strategic merge patch that is malformed. The document is unchanged. */
export class StrategicMergePatchError extends Error {
  override readonly name = "StrategicMergePatchError";
  readonly code = "InvalidPatch";
}
