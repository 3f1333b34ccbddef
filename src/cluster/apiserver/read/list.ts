/** Lists: selection, pages, and the version they are of. */
import { badRequest } from "#api/meta/status.ts";
import type { Objects, StoredObject } from "../../store/objects.ts";
import { integerParameter } from "../request/options.ts";
import { keyOf, type ServedResource, shown } from "../resources/served-resource.ts";
import { type Selection, selectionOf } from "./selection.ts";
import type { Snapshots } from "./snapshots.ts";
import { checkNotAhead, expired, wantedVersion } from "./versions.ts";

export interface ListedPage {
  readonly items: readonly StoredObject[];
  readonly revision: number;
  readonly continue?: string;
  /** Known only where nothing was selected away. */
  readonly remaining?: number;
}

export interface Listing {
  readonly objects: Objects;
  readonly snapshots: Snapshots;
}

/** Answers a list request. Throws BadRequest, Expired, Timeout or Invalid. */
export function listPage(
  { objects, snapshots }: Listing,
  resource: ServedResource,
  namespace: string | undefined,
  query: URLSearchParams,
): ListedPage {
  const limit = integerParameter(query, "limit") || Number.POSITIVE_INFINITY;
  const token = query.get("continue") || undefined;
  const wanted = wantedVersion(query);
  if (token && wanted && wanted.revision > 0)
    throw badRequest("specifying resource version is not allowed when using continue");
  const selection = selectionOf(resource, query);
  const scope = JSON.stringify([
    resource.collection,
    resource.definition.version,
    namespace,
    query.get("labelSelector"),
    query.get("fieldSelector"),
  ]);
  const { snapshot, position } = token
    ? snapshots.resume(token, scope)
    : { snapshot: { ...begin(objects, resource, namespace, selection, wanted), scope }, position: 0 };
  const end = position + limit;
  const { items, revision } = snapshot;
  if (end >= items.length) return { items: position === 0 ? items : items.slice(position), revision };
  return {
    items: items.slice(position, end),
    revision,
    continue: snapshots.keep(snapshot, end, token),
    remaining: selection.matches ? undefined : items.length - end,
  };
}

function begin(
  objects: Objects,
  resource: ServedResource,
  namespace: string | undefined,
  selection: Selection,
  wanted: ReturnType<typeof wantedVersion>,
): { items: readonly StoredObject[]; revision: number } {
  const revision = objects.revision(resource.collection);
  if (wanted) checkNotAhead(wanted.revision, revision);
  if (wanted?.match === "Exact" && wanted.revision !== revision)
    throw expired(`The resourceVersion for the provided list is too old: ${wanted.revision} (${revision})`);
  return { items: selectStored(objects, resource, namespace, selection), revision };
}

/** The stored objects a selection picks, in order; one lookup where the selection names the object. */
export function selectStored(
  objects: Objects,
  resource: ServedResource,
  namespace: string | undefined,
  selection: Selection,
): readonly StoredObject[] {
  const { matches } = selection;
  const place = resource.definition.namespaced ? (namespace ?? selection.namespace) : undefined;
  const pinned = selection.name !== undefined && (place !== undefined || !resource.definition.namespaced);
  const one = pinned ? objects.get(resource.collection, keyOf(place, selection.name as string)) : undefined;
  const candidates = pinned ? (one ? [one] : []) : objects.list(resource.collection, place);
  return matches ? candidates.filter(({ object }) => matches(shown(resource, object))) : candidates;
}
