/** `pods/log`: what containers wrote. The bytes come from a port that `bin` hands in. */
import type { BytesResponse } from "#api/meta/exchange.ts";
import type { JsonObject } from "#api/meta/json.ts";
import { badRequest, isNotFound } from "#api/meta/status.ts";
import { booleanParameter, integerParameter } from "../request/options.ts";
import { asText, metaOf, objectAt, objectsAt } from "../resources/object-fields.ts";

export interface PodLogRequest {
  readonly namespace: string;
  readonly pod: string;
  readonly container?: string;
  /** Go on with what is written later, until the container ends or `signal` aborts. */
  readonly follow: boolean;
  readonly tailLines?: number;
  /** The log of the container's run before this one. */
  readonly previous: boolean;
  readonly sinceSeconds?: number;
  /** Each line begins with the time it was written. */
  readonly timestamps: boolean;
  readonly limitBytes?: number;
  readonly signal?: AbortSignal;
}

/** Opens logs. Rejects with a `StatusError` when there is none. */
export interface PodLogs {
  open(request: PodLogRequest): Promise<AsyncIterable<Uint8Array>>;
}

/**
 * Answers a log request for a pod that exists. Throws BadRequest when the container is not named and not the only one, and when nothing of
 * the pod runs yet.
 */
export async function podLog(
  logs: PodLogs,
  pod: JsonObject,
  query: URLSearchParams,
  signal: AbortSignal,
): Promise<BytesResponse> {
  const { name = "", namespace = "" } = metaOf(pod);
  const request: PodLogRequest = {
    namespace,
    pod: name,
    container: containerOf(pod, query.get("container") || undefined),
    follow: booleanParameter(query, "follow"),
    tailLines: integerParameter(query, "tailLines"),
    previous: booleanParameter(query, "previous"),
    sinceSeconds: integerParameter(query, "sinceSeconds"),
    timestamps: booleanParameter(query, "timestamps"),
    limitBytes: integerParameter(query, "limitBytes"),
    signal,
  };
  if (!objectAt(pod, "spec").nodeName) throw badRequest(`pod ${name} does not have a host assigned${whyNoHost(pod)}`);
  const body = await logs.open(request).catch((error: unknown) => {
    // Its node has not seen it yet.
    if (!isNotFound(error) || request.previous || objectAt(pod, "status").phase !== "Pending") throw error;
    throw badRequest(`container "${request.container}" in pod "${name}" is waiting to start: ContainerCreating`);
  });
  return { type: "bytes", status: 200, contentType: "text/plain", body };
}

function whyNoHost(pod: JsonObject): string {
  const conditions = objectsAt(objectAt(pod, "status"), "conditions");
  const { message } = conditions.find(({ reason }) => reason === "Unschedulable") ?? {};
  return message === undefined ? "" : `: ${asText(message)}`;
}

function containerOf(pod: JsonObject, asked: string | undefined): string | undefined {
  const { name } = metaOf(pod);
  const spec = objectAt(pod, "spec");
  const containers = objectsAt(spec, "containers").map((each) => asText(each.name));
  const initial = objectsAt(spec, "initContainers").map((each) => asText(each.name));
  if (asked !== undefined) {
    if (containers.includes(asked) || initial.includes(asked)) return asked;
    throw badRequest(`container ${asked} is not valid for pod ${name}`);
  }
  if (containers.length === 1) return containers[0];
  const choices = `[${containers.join(" ")}]${initial.length > 0 ? ` or one of the init containers: [${initial.join(" ")}]` : ""}`;
  throw badRequest(`a container name must be specified for pod ${name}, choose one of: ${choices}`);
}
