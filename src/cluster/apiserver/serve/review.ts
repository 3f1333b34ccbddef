/** Requests for create-only review kinds. */
import type { ApiRequest, ApiResponse } from "#api/meta/exchange.ts";
import { identified } from "../metadata/identity.ts";
import { decodeBody, objectBody } from "../request/body.ts";
import type { ResourcePath } from "../request/path.ts";
import { answered, type Review, reviews } from "../reviews/reviews.ts";
import { methodNotAllowed, pathNotFound } from "./server-context.ts";

export function reviewAt({ group, version, resource }: ResourcePath): Review | undefined {
  return reviews.find((each) => each.group === group && each.version === version && each.plural === resource);
}

export function serveReview(request: ApiRequest, path: ResourcePath, review: Review): ApiResponse {
  if (path.name !== undefined || review.namespaced !== (path.namespace !== undefined)) throw pathNotFound();
  if (request.method !== "POST") throw methodNotAllowed();
  const body = identified(review, objectBody(decodeBody(request, { findDuplicates: false })), {
    namespace: path.namespace,
  });
  return { type: "json", status: 201, value: answered(review, body, request.user) };
}
