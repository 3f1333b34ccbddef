/** core/v1 ConfigMap, Secret and ServiceAccount: small data that pods and controllers read. */
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

export interface ServiceAccount extends KubeObject {
  readonly secrets?: readonly { readonly name?: string }[];
  readonly imagePullSecrets?: readonly { readonly name?: string }[];
  readonly automountServiceAccountToken?: boolean;
}
