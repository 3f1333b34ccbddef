import { type AllocationEngine, AllocationFailed } from "#allocation/engine/engine.ts";
import type { FeatureGates } from "#api/agones/feature-gates.ts";
import { typeFault } from "#api/agones/type-fault.ts";
import { unknownMembers } from "#api/agones/unknown-members.ts";
import { allocated, unallocated } from "#api/allocation/answer.ts";
import { convertSelectors, defaultAllocation } from "#api/allocation/defaults.ts";
import {
  type GameServerAllocation,
  GameServerAllocationSpec,
  GROUP,
  VERSION,
} from "#api/allocation/gameserverallocation.ts";
import { GAMESERVERALLOCATIONS } from "#api/allocation/resources.ts";
import { validateAllocation } from "#api/allocation/validate.ts";
import type { ApiGroup } from "#api/meta/admission.ts";
import type { ApiRequest, ApiResponse } from "#api/meta/exchange.ts";
import { isJsonObject, type JsonObject } from "#api/meta/json.ts";
import { badRequest, invalidObject, statusError } from "#api/meta/status.ts";
import { type Clock, rfc3339 } from "#runtime/clock.ts";
import { pageNotFound } from "#runtime/http/respond.ts";
import { warningHeaders } from "#runtime/http/warning-headers.ts";
import { allocationOpenApi } from "./allocation-openapi.ts";

const KIND = "GameServerAllocation";
const PLURAL = "gameserverallocations";
const path = new RegExp(`^/apis/${GROUP}/${VERSION}/namespaces/([^/]+)/${PLURAL}/?$`);

/** The group `allocation.agones.dev`: one resource that can be created and is never stored. */
export function allocationGroup(options: { engine: AllocationEngine; gates: FeatureGates; clock: Clock }): ApiGroup {
  return {
    group: GROUP,
    version: VERSION,
    resources: [
      {
        name: PLURAL,
        singularName: "gameserverallocation",
        namespaced: true,
        kind: KIND,
        verbs: ["create"],
        shortNames: ["gsa"],
      },
    ],
    openApi: allocationOpenApi,
    handle: (request) => serve(request, options),
  };
}

async function serve(
  request: ApiRequest,
  { engine, gates, clock }: { engine: AllocationEngine; gates: FeatureGates; clock: Clock },
): Promise<ApiResponse> {
  const namespace = decodeURIComponent(path.exec(request.path)?.[1] ?? "");
  if (!namespace) return pageNotFound;
  if (request.method !== "POST") throw statusError("MethodNotAllowed", "Method not supported");

  const allocation = readAllocation(request, namespace, clock);
  const unknown = unknownFields(request);
  const defaulted = defaultAllocation(allocation, gates);
  const faults = validateAllocation(defaulted, gates);
  if (faults.length > 0) throw invalidObject(GROUP, KIND, allocation.metadata.name ?? "", faults);
  const converted = convertSelectors(defaulted);
  try {
    const dryRun = request.query.getAll("dryRun").includes("All");
    const result = await engine.allocate(namespace, converted, { dryRun, signal: request.signal });
    const answer =
      result.state === "Allocated"
        ? allocated(converted, result.gameServer, gates)
        : unallocated(converted, result.state);
    const headers = warningHeaders(unknown);
    return { type: "json", status: 201, value: answer as unknown as JsonObject, ...(headers && { headers }) };
  } catch (error) {
    if (error instanceof AllocationFailed) throw statusError("InternalError", error.message);
    if (request.signal.aborted) throw statusError("Timeout", "the caller has gone: nothing was allocated");
    throw error;
  }
}

const MEMBERS: readonly string[] = ["apiVersion", "kind", "metadata", "spec", "status"];

/**
 * What to warn of. Members that nobody knows are refused when the client asks for that, as kubectl does: a misspelt selector would
 * otherwise take a server of any fleet. Throws BadRequest in the words of Kubernetes.
 */
function unknownFields({ body, query }: ApiRequest): ReadonlySet<string> {
  const validation = query.get("fieldValidation");
  if (validation === "Ignore" || body instanceof Uint8Array || !isJsonObject(body)) return new Set();
  const paths = [
    ...Object.keys(body).filter((name) => !MEMBERS.includes(name)),
    ...unknownMembers(GameServerAllocationSpec as unknown as JsonObject, body.spec, "spec"),
  ];
  const faults = paths.map((path) => `unknown field ${JSON.stringify(path)}`);
  if (validation === "Strict" && faults.length > 0)
    throw badRequest(
      `${KIND} in version "${VERSION}" cannot be handled as a ${KIND}: strict decoding error: ${faults.join(", ")}`,
    );
  return new Set(faults);
}

/** The request as sent, in the path's namespace. Throws BadRequest when it is not one. */
function readAllocation({ body }: ApiRequest, namespace: string, clock: Clock): GameServerAllocation {
  if (body === undefined) throw badRequest(`a ${KIND} is required in the body`);
  if (body instanceof Uint8Array || !isJsonObject(body)) throw badRequest(`the body must be a ${KIND} object`);
  const { kind = KIND, apiVersion = `${GROUP}/${VERSION}` } = body;
  if (kind !== KIND || apiVersion !== `${GROUP}/${VERSION}`)
    throw badRequest(
      `the body must be a ${KIND} of ${GROUP}/${VERSION}, found ${String(kind)} of ${String(apiVersion)}`,
    );
  const metadata = isJsonObject(body.metadata) ? body.metadata : {};
  const fault =
    body.spec == null ? undefined : typeFault(GameServerAllocationSpec as unknown as JsonObject, body.spec, "spec");
  if (fault !== undefined) throw badRequest(`error decoding body: ${fault}`);
  const { spec, status: _, ...rest } = body;
  return GAMESERVERALLOCATIONS.decode({
    ...rest,
    apiVersion,
    kind,
    metadata: { ...metadata, namespace, creationTimestamp: rfc3339(clock.now()) },
    ...(isJsonObject(spec) && { spec }),
  });
}
