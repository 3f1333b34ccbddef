/** What a client wants to read, from its Accept header (RFC 9110 §12.5.1, with Kubernetes' `as`, `g` and `v` parameters). */
import { statusError } from "#api/meta/status.ts";

export type Representation = "json" | "table" | "partial" | "partialList";

interface Clause {
  readonly type: string;
  readonly parameters: Readonly<Record<string, string>>;
}

const forms: Readonly<Record<string, Representation>> = {
  Table: "table",
  PartialObjectMetadata: "partial",
  PartialObjectMetadataList: "partialList",
};

const jsonTypes = new Set(["application/json", "application/*", "*/*"]);

/** The first clause that can be answered, in the order of the client. Throws NotAcceptable when there is none. */
export function representationOf(accept: string | undefined): Representation {
  if (!accept) return "json";
  for (const { type, parameters } of clausesOf(accept)) {
    if (!jsonTypes.has(type)) continue;
    if (parameters.as === undefined) return "json";
    const form = forms[parameters.as];
    if (form && parameters.g === "meta.k8s.io" && parameters.v === "v1") return form;
  }
  throw notAcceptable();
}

/** True when aggregated discovery (`APIGroupDiscoveryList`, v2) comes before a plain list. */
export function wantsAggregatedDiscovery(accept: string | undefined): boolean {
  for (const { type, parameters } of clausesOf(accept ?? "")) {
    if (!jsonTypes.has(type)) continue;
    if (parameters.as === undefined) return false;
    if (parameters.as === "APIGroupDiscoveryList" && parameters.g === "apidiscovery.k8s.io" && parameters.v === "v2")
      return true;
  }
  return false;
}

function notAcceptable() {
  return statusError(
    "NotAcceptable",
    "only the following media types are accepted: application/json, application/json;as=Table;v=v1;g=meta.k8s.io",
  );
}

function clausesOf(accept: string): Clause[] {
  return accept.split(",").map((clause) => {
    const [type = "", ...parameters] = clause.split(";").map((part) => part.trim());
    return {
      type: type.toLowerCase(),
      parameters: Object.fromEntries(parameters.map((each) => each.split("=", 2) as [string, string])),
    };
  });
}
