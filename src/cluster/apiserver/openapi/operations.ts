/** The paths of a resource in an OpenAPI v3 document, with an operation for each verb. */
import type { JsonObject } from "#api/meta/json.ts";
import type { ResourceDefinition } from "../resource-definition.ts";
import { COMPONENTS } from "../schema/published-schema.ts";

const DELETE_OPTIONS = "io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions";
const STATUS = "io.k8s.apimachinery.pkg.apis.meta.v1.Status";
export const PATCH = "io.k8s.apimachinery.pkg.apis.meta.v1.Patch";
const SCALE = "io.k8s.api.autoscaling.v1.Scale";

/** Names of the components that stand for the resource's object and its list. */
export interface ComponentNames {
  readonly object: string;
  readonly list: string;
}

export function pathsOf(definition: ResourceDefinition, names: ComponentNames): JsonObject {
  const { group, version, plural, namespaced, subresources } = definition;
  const root = group === "" ? `/api/${version}` : `/apis/${group}/${version}`;
  const collection = namespaced ? `${root}/namespaces/{namespace}/${plural}` : `${root}/${plural}`;
  const object = `${collection}/{name}`;
  const operation = operationsOf(definition, names);
  const scoped = namespaced ? [pathParameter("namespace")] : [];
  const named = [pathParameter("name"), ...scoped];
  return {
    ...(namespaced && { [`${root}/${plural}`]: { get: operation("list", "ForAllNamespaces") } }),
    [collection]: {
      get: operation("list"),
      post: operation("post"),
      delete: operation("deletecollection"),
      parameters: scoped,
    },
    [object]: {
      get: operation("get"),
      put: operation("put"),
      patch: operation("patch"),
      delete: operation("delete"),
      parameters: named,
    },
    ...(subresources.status && { [`${object}/status`]: { ...subresource(operation, "Status"), parameters: named } }),
    ...(subresources.scale && { [`${object}/scale`]: { ...subresource(operation, "Scale"), parameters: named } }),
  };
}

type Operation = (action: Action, suffix?: string) => JsonObject;

const subresource = (operation: Operation, name: string): JsonObject => ({
  get: operation("get", name),
  put: operation("put", name),
  patch: operation("patch", name),
});

type Action = "list" | "get" | "post" | "put" | "patch" | "delete" | "deletecollection";

const VERBS: Readonly<Record<Action, string>> = {
  list: "list",
  get: "read",
  post: "create",
  put: "replace",
  patch: "patch",
  delete: "delete",
  deletecollection: "deleteCollection",
};

function operationsOf(definition: ResourceDefinition, names: ComponentNames): Operation {
  const { group, version, kind, namespaced } = definition;
  const service = `${title((group || "core").split(".")[0] ?? "")}${title(version)}`;
  return (action, suffix = "") => {
    const body = suffix === "Scale" ? SCALE : names.object;
    const answer = action === "list" ? names.list : action.startsWith("delete") ? STATUS : body;
    const all = suffix === "ForAllNamespaces";
    return {
      operationId: `${VERBS[action]}${service}${namespaced && !all ? "Namespaced" : ""}${kind}${suffix}`,
      tags: [`${group || "core"}_${version}`],
      parameters: parametersOf(action),
      ...requestBody(action, body, definition.custom),
      responses: responsesOf(action, answer),
      "x-kubernetes-action": action,
      "x-kubernetes-group-version-kind": { group, version, kind },
    };
  };
}

const title = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

const parameter = (name: string, type: string): JsonObject => ({
  name,
  in: "query",
  schema: { type, uniqueItems: true },
});

const pathParameter = (name: string): JsonObject => ({
  name,
  in: "path",
  required: true,
  schema: { type: "string", uniqueItems: true },
});

function parametersOf(action: Action): readonly JsonObject[] {
  const text = (...names: readonly string[]) => names.map((name) => parameter(name, "string"));
  const selecting = [
    ...text("continue", "fieldSelector", "labelSelector", "resourceVersion", "resourceVersionMatch"),
    parameter("limit", "integer"),
    parameter("sendInitialEvents", "boolean"),
    parameter("timeoutSeconds", "integer"),
  ];
  const deleting = [
    ...text("dryRun", "propagationPolicy"),
    parameter("gracePeriodSeconds", "integer"),
    parameter("orphanDependents", "boolean"),
  ];
  switch (action) {
    case "list":
      return [...selecting, parameter("allowWatchBookmarks", "boolean"), parameter("watch", "boolean")];
    case "deletecollection":
      return [...selecting, ...deleting];
    case "delete":
      return deleting;
    case "get":
      return [];
    case "patch":
      return [...text("dryRun", "fieldManager", "fieldValidation"), parameter("force", "boolean")];
    default:
      return text("dryRun", "fieldManager", "fieldValidation");
  }
}

/** Patches by strategic merge are for built-ins alone: a schema of a custom resource says nothing of merging. */
function requestBody(action: Action, body: string, custom: boolean): JsonObject {
  const content = (types: readonly string[], name: string, required: boolean) => ({
    requestBody: { content: contentOf(types, name), ...(required && { required }) },
  });
  switch (action) {
    case "post":
    case "put":
      return content(custom ? ["application/json", "application/yaml"] : ["*/*"], body, true);
    case "patch": {
      const types = ["application/apply-patch+yaml", "application/json-patch+json", "application/merge-patch+json"];
      return content(custom ? types : [...types, "application/strategic-merge-patch+json"], PATCH, true);
    }
    case "delete":
    case "deletecollection":
      return content(["*/*"], DELETE_OPTIONS, false);
    default:
      return {};
  }
}

function contentOf(types: readonly string[], name: string): JsonObject {
  const schema = { $ref: COMPONENTS + name };
  return Object.fromEntries(types.map((type) => [type, { schema }]));
}

function responsesOf(action: Action, name: string): JsonObject {
  const types = action === "list" ? ["application/json", "application/json;stream=watch"] : ["application/json"];
  const answer = (description: string) => ({ description, content: contentOf(types, name) });
  return {
    200: answer("OK"),
    ...((action === "post" || action === "put" || action === "patch") && { 201: answer("Created") }),
    ...((action === "post" || action === "delete") && { 202: answer("Accepted") }),
    401: { description: "Unauthorized" },
  };
}
