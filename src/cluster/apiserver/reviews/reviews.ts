/** Create-only kinds that answer a question. There is one administrator, who may do everything, and the answers say so. */
import type { UserInfo } from "#api/meta/exchange.ts";
import type { JsonObject } from "#api/meta/json.ts";
import type { ResourceDefinition } from "../resource-definition.ts";
import { objectAt } from "../resources/object-fields.ts";
import { apiVersionOf } from "../resources/served-resource.ts";
import { builtinSchema } from "../schema/builtin.ts";

export interface Review {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly namespaced: boolean;
  /** The published definition. */
  readonly schema: string;
  readonly answer: (spec: JsonObject, user: UserInfo) => JsonObject;
}

const authorization = { group: "authorization.k8s.io", version: "v1" };
const authentication = { group: "authentication.k8s.io", version: "v1" };
const ADMINISTRATORS = "system:masters";

const userOf = (user: UserInfo): JsonObject => ({
  username: user.username,
  groups: user.groups,
  ...(user.uid && { uid: user.uid }),
});

const decision = (groups: readonly unknown[]): JsonObject =>
  groups.includes(ADMINISTRATORS)
    ? { allowed: true, reason: `members of ${ADMINISTRATORS} may do everything` }
    : { allowed: false, reason: `only members of ${ADMINISTRATORS} have access` };

const everything = [{ verbs: ["*"], apiGroups: ["*"], resources: ["*"] }];
const everyPath = [{ verbs: ["*"], nonResourceURLs: ["*"] }];

function review(
  base: { readonly group: string; readonly version: string },
  kind: string,
  answer: Review["answer"],
): Review {
  const schema = `io.k8s.api.${base.group === authorization.group ? "authorization" : "authentication"}.v1.${kind}`;
  return { ...base, kind, plural: `${kind.toLowerCase()}s`, namespaced: false, schema, answer };
}

export const reviews: readonly Review[] = [
  review(authorization, "SelfSubjectAccessReview", (_spec, user) => decision(user.groups)),
  review(authorization, "SubjectAccessReview", (spec) => decision(Array.isArray(spec.groups) ? spec.groups : [])),
  review(authorization, "SelfSubjectRulesReview", (_spec, user) => {
    const may = user.groups.includes(ADMINISTRATORS);
    return {
      incomplete: false,
      resourceRules: may ? everything : [],
      nonResourceRules: may ? everyPath : [],
    };
  }),
  review(authentication, "SelfSubjectReview", (_spec, user) => ({ userInfo: userOf(user) })),
  review(authentication, "TokenReview", () => ({
    authenticated: false,
    error: "this server issues no tokens that it would review",
  })),
];

/** As OpenAPI describes it. */
export function reviewDefinition({ group, version, kind, plural, namespaced, schema }: Review): ResourceDefinition {
  return {
    group,
    version,
    kind,
    listKind: `${kind}List`,
    plural,
    singular: kind.toLowerCase(),
    shortNames: [],
    categories: [],
    namespaced,
    schema: builtinSchema(schema),
    columns: [],
    subresources: { status: false },
    custom: false,
  };
}

/** The review with its status filled in. */
export function answered(review: Review, body: JsonObject, user: UserInfo): JsonObject {
  return {
    kind: review.kind,
    apiVersion: apiVersionOf(review),
    metadata: { ...objectAt(body, "metadata"), creationTimestamp: null },
    ...(body.spec !== undefined && { spec: body.spec }),
    status: review.answer(objectAt(body, "spec"), user),
  };
}
