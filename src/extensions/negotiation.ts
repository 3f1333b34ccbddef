/** In which format an answer goes out. */
import { stringify } from "yaml";
import type { ApiResponse } from "#api/meta/exchange.ts";
import { YAML_TYPE } from "#runtime/http/body-text.ts";

interface Clause {
  readonly type: string;
  readonly quality: number;
}

/**
 * The answer as YAML where the Accept header (RFC 9110 §12.5.1) puts that before JSON. What it cannot be answered in is answered
 * in JSON, never refused.
 */
export function negotiated(answer: ApiResponse, accept: string | undefined): ApiResponse {
  if (answer.type !== "json" || !prefersYaml(accept ?? "")) return answer;
  const { status, headers, value } = answer;
  return {
    type: "bytes",
    status,
    contentType: YAML_TYPE,
    ...(headers && { headers }),
    body: new TextEncoder().encode(stringify(value, { aliasDuplicateObjects: false })),
  };
}

/** Between clauses of one quality the more specific comes first, then the earlier. */
function prefersYaml(accept: string): boolean {
  const known = accept
    .split(",")
    .map(clauseOf)
    .filter(({ type, quality }) => quality > 0 && /^(application\/(json|yaml|\*)|\*\/\*)$/.test(type))
    .sort((a, b) => b.quality - a.quality || a.type.split("*").length - b.type.split("*").length);
  return known[0]?.type === YAML_TYPE;
}

function clauseOf(clause: string): Clause {
  const [type = "", ...parameters] = clause.split(";").map((part) => part.trim().toLowerCase());
  const quality = parameters.find((parameter) => parameter.startsWith("q="))?.slice(2);
  return { type, quality: quality === undefined ? 1 : Number(quality) || 0 };
}
