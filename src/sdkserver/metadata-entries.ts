/** Labels and annotations a game sets: their keys get a prefix, and must be valid with it. */
import { SDK_PREFIX } from "#api/agones/constants.ts";
import { isLabelValue, isQualifiedName } from "#api/meta/names.ts";
import { RpcError } from "#runtime/grpc/rpc-error.ts";
import type { EntryChange } from "./decide-write.ts";

/** The label as it is stored. Refuses with `InvalidArgument`. */
export function labelChange(key: string, value: string): EntryChange {
  const prefixed = prefixedKey("label", key);
  const faults = isLabelValue(value);
  if (faults.length)
    throw new RpcError("InvalidArgument", `invalid label value "${value}" for key "${key}": ${faults.join(", ")}`);
  return { type: "label", key: prefixed, value };
}

/** The annotation as it is stored; any value will do. Refuses with `InvalidArgument`. */
export function annotationChange(key: string, value: string): EntryChange {
  return { type: "annotation", key: prefixedKey("annotation", key), value };
}

function prefixedKey(kind: "label" | "annotation", key: string): string {
  const prefixed = `${SDK_PREFIX}${key}`;
  const bare = isQualifiedName(key);
  const faults = bare.length ? bare : isQualifiedName(prefixed);
  if (faults.length) throw new RpcError("InvalidArgument", `invalid ${kind} key "${key}": ${faults.join(", ")}`);
  return prefixed;
}
