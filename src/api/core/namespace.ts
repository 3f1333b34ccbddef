/** core/v1 Namespace. */
import type { KubeObject } from "../meta/object.ts";

export interface Namespace extends KubeObject {
  readonly spec?: { readonly finalizers?: readonly string[] };
  readonly status?: { readonly phase?: "Active" | "Terminating" };
}
