/** What becomes of an object, given what became of its owners. Follows the garbage collector of Kubernetes. */

/** `waiting`: being deleted, and waiting for those it owns. */
export type OwnerState = "present" | "absent" | "waiting";

export interface CollectionSubject {
  readonly owners: readonly { readonly uid: string; readonly state: OwnerState }[];
  readonly finalizers: readonly string[];
  readonly hasDependents: boolean;
}

export type Verdict =
  | { readonly action: "keep" }
  /** Drop the references to these owners: another owner keeps the object. */
  | { readonly action: "release"; readonly owners: readonly string[] }
  | { readonly action: "delete"; readonly propagation: "Background" | "Foreground" | "Orphan" };

/** One owner that is there keeps an object; without any, and with at least one that was, it goes. */
export function decideCollection({ owners, finalizers, hasDependents }: CollectionSubject): Verdict {
  const lost = owners.filter(({ state }) => state !== "present").map(({ uid }) => uid);
  if (lost.length === 0) return { action: "keep" };
  if (lost.length < owners.length) return { action: "release", owners: lost };
  if (hasDependents && owners.some(({ state }) => state === "waiting"))
    return { action: "delete", propagation: "Foreground" };
  if (finalizers.includes("orphan")) return { action: "delete", propagation: "Orphan" };
  return { action: "delete", propagation: finalizers.includes("foregroundDeletion") ? "Foreground" : "Background" };
}
