/** What an autoscaler asks a webhook or a Wasm module, and what it is answered (`FleetAutoscaleReview`; it has no kind). */
import type { FeatureGates } from "../agones/feature-gates.ts";
import type { Fleet, FleetStatus } from "../agones/fleet.ts";
import { isJsonObject, type JsonValue, stringifyJson } from "../meta/json.ts";

export interface FleetAutoscaleRequest {
  /** Made for this request alone. */
  readonly uid: string;
  /** The Fleet's. */
  readonly name: string;
  readonly namespace: string;
  readonly status: FleetStatus;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

export interface FleetAutoscaleResponse {
  readonly uid: string;
  /** False: the Fleet stays as large as its status says it is, whatever `replicas` are. */
  readonly scale: boolean;
  readonly replicas: number;
}

export interface FleetAutoscaleReview {
  readonly request: FleetAutoscaleRequest | null;
  readonly response: FleetAutoscaleResponse | null;
}

/** An answer that is no review with a response. */
export class ReviewError extends Error {
  override readonly name = "ReviewError";
  readonly code = "InvalidReview";
}

/** The question about a Fleet. Counters and lists are left out when empty, players and metadata unless their gates are on. */
export function reviewOf(fleet: Fleet, uid: string, gates: FeatureGates): FleetAutoscaleReview {
  const { name = "", namespace = "", labels, annotations } = fleet.metadata;
  const { FleetAutoscaleRequestMetaData: withMetadata } = gates;
  const { players, counters, lists, ...status } = fleet.status ?? {};
  return {
    request: {
      uid,
      name,
      namespace,
      status: {
        replicas: status.replicas ?? 0,
        readyReplicas: status.readyReplicas ?? 0,
        reservedReplicas: status.reservedReplicas ?? 0,
        allocatedReplicas: status.allocatedReplicas ?? 0,
        ...(gates.PlayerTracking && players && { players }),
        ...(hasMembers(counters) && { counters }),
        ...(hasMembers(lists) && { lists }),
      },
      ...(withMetadata && hasMembers(labels) && { labels }),
      ...(withMetadata && hasMembers(annotations) && { annotations }),
    },
    response: null,
  };
}

const hasMembers = (map: object | null | undefined): boolean => !!map && Object.keys(map).length > 0;

const INT32_MAX = 2 ** 31 - 1;

/**
 * The response in an answer. An absent `uid` is empty, an absent `scale` false; `replicas` must be there where `scale` is true: a size that
 * was forgotten ends no servers. They are 0, and not read, where it is false. Throws `ReviewError`.
 */
export function responseOf(answer: JsonValue): FleetAutoscaleResponse {
  const response = isJsonObject(answer) ? answer.response : undefined;
  if (!isJsonObject(response)) throw new ReviewError("the answer has no response");
  const { uid, scale, replicas } = response;
  const fault = (member: string, rule: string, value: JsonValue | undefined): ReviewError =>
    new ReviewError(`response.${member} must be ${rule}, and is ${stringifyJson(value)}`);
  if (!isAbsent(uid) && typeof uid !== "string") throw fault("uid", "a text", uid);
  if (!isAbsent(scale) && typeof scale !== "boolean") throw fault("scale", "true or false", scale);
  const read = { uid: uid ?? "", scale: scale ?? false };
  if (!read.scale) return { ...read, replicas: 0 };
  if (isAbsent(replicas)) throw new ReviewError("response.replicas must be given where response.scale is true");
  if (!isCount(replicas)) throw fault("replicas", "a whole number from 0 to 2147483647", replicas);
  return { ...read, replicas };
}

const isAbsent = (value: JsonValue | undefined): value is null | undefined => value === undefined || value === null;

const isCount = (value: JsonValue): value is number =>
  typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= INT32_MAX;
