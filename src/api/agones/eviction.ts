/** How a game server's Pod says whether a node may be emptied under it. */
import { quoted } from "../meta/quote.ts";
import { SAFE_TO_EVICT_ANNOTATION, SAFE_TO_EVICT_LABEL } from "./constants.ts";
import type { Eviction } from "./gameserver.ts";
import { PodBuildError } from "./pod-build-error.ts";

/** Marks to put on the Pod unless its template carries them: the cluster autoscaler's annotation and the disruption budget's label. */
export interface EvictionMarks {
  readonly annotations: Readonly<Record<string, string>>;
  readonly labels: Readonly<Record<string, string>>;
}

/** Throws `PodBuildError` when there is no value, or one that is not known. */
export function evictionMarks(eviction: Eviction | null | undefined): EvictionMarks {
  if (!eviction) throw new PodBuildError("NoEviction", "No eviction value set. Should be the default value");
  switch (eviction.safe) {
    case "Always":
      return marks("true", "true");
    case "OnUpgrade":
      return marks("false", "true");
    case "Never":
      return marks("false", "false");
    default:
      throw new PodBuildError("UnknownEviction", `unknown eviction.safe value ${quoted(eviction.safe ?? "")}`);
  }
}

const marks = (annotation: string, label: string): EvictionMarks => ({
  annotations: { [SAFE_TO_EVICT_ANNOTATION]: annotation },
  labels: { [SAFE_TO_EVICT_LABEL]: label },
});
