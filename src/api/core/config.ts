/** core/v1 ConfigMap and Secret: small data that pods and controllers read. */
import type { KubeObject } from "../meta/object.ts";

export interface ConfigMap extends KubeObject {
  readonly data?: Readonly<Record<string, string>>;
  /** Base64. */
  readonly binaryData?: Readonly<Record<string, string>>;
  readonly immutable?: boolean;
}

export interface Secret extends KubeObject {
  /** Defaults to `Opaque`. */
  readonly type?: string;
  /** Base64. */
  readonly data?: Readonly<Record<string, string>>;
  readonly immutable?: boolean;
}
