import type { UserInfo } from "#api/meta/exchange.ts";
import type { JsonObject } from "#api/meta/json.ts";
import type { Clock } from "#runtime/clock.ts";
import type { Objects } from "../../store/objects.ts";
import type { ServedResource } from "../resources/served-resource.ts";
import type { AdmissionChain } from "./admission.ts";

/** What every write needs of the server. */
export interface Writing {
  readonly objects: Objects;
  readonly admission: AdmissionChain;
  readonly clock: Clock;
  /** In [0, 1). */
  readonly random: () => number;
  readonly uid: () => string;
}

/** The object a request points at. */
export interface Addressed {
  readonly resource: ServedResource;
  readonly namespace?: string;
  readonly name: string;
}

/** What a write came to: the object as its version shows it. `fresh` when this request made it. */
export interface Written {
  readonly object: JsonObject;
  /** The store's own text of `object`, when they are the same. */
  readonly encoded?: () => Uint8Array;
  readonly created: boolean;
}

export interface Requester {
  readonly user: UserInfo;
  readonly warnings: Set<string>;
}
