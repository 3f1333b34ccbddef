/** Which of two versions of an object is the later one. */
import type { KubeObject } from "./object.ts";

/**
 * True when `a` is a later version of the same object than `b`. Versions of one object are decimal numbers of any length that
 * only grow: so in the embedded cluster, and so Kubernetes promises it of its own and of custom resources.
 */
export function isNewerVersion(a: KubeObject, b: KubeObject): boolean {
  const [first, second] = [a.metadata.resourceVersion ?? "", b.metadata.resourceVersion ?? ""];
  return first.length === second.length ? first > second : first.length > second.length;
}
