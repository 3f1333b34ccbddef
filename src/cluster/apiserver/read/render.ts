/** Answers in the representation a client accepts: the object itself, a Table, or its metadata alone. */
import type { JsonResponse } from "#api/meta/exchange.ts";
import { type JsonObject, stringifyJson } from "#api/meta/json.ts";
import type { WatchEvent } from "#api/meta/object.ts";
import type { StoredObject } from "../../store/objects.ts";
import type { Representation } from "../request/accept.ts";
import { objectAt } from "../resources/object-fields.ts";
import { apiVersionOf, type ServedResource, shown } from "../resources/served-resource.ts";
import { type IncludeObject, renderTable } from "../table/table.ts";
import type { ListedPage } from "./list.ts";
import type { EventForm } from "./watch.ts";

const encoder = new TextEncoder();
const comma = encoder.encode(",");
const listEnd = encoder.encode("]}");
const metaVersion = "meta.k8s.io/v1";

export interface Rendering {
  readonly representation: Representation;
  readonly includeObject: IncludeObject;
  /** Milliseconds since 1970, for ages. */
  readonly now: number;
}

/** An object that was read or written. `encoded`: its text, where it is kept. */
export function renderObject(
  resource: ServedResource,
  { object, encoded }: { readonly object: JsonObject; readonly encoded?: () => Uint8Array },
  rendering: Rendering,
  status = 200,
  headers?: JsonResponse["headers"],
): JsonResponse {
  const base = { type: "json" as const, status, ...(headers && { headers }) };
  switch (rendering.representation) {
    case "json":
      return { ...base, value: object, encoded };
    case "table":
      return { ...base, value: tableOf(resource, [object], rendering, { resourceVersion: versionOf(object) }) };
    default:
      return { ...base, value: partialOf(object) };
  }
}

/** One page of a list. As JSON its items' kept texts are put together without being written anew. */
export function renderList(resource: ServedResource, page: ListedPage, rendering: Rendering): JsonResponse {
  const { definition } = resource;
  const metadata = {
    resourceVersion: String(page.revision),
    ...(page.continue && { continue: page.continue }),
    ...(page.remaining !== undefined && { remainingItemCount: page.remaining }),
  };
  const items = page.items.map(({ object }) => shown(resource, object));
  if (rendering.representation === "table")
    return { type: "json", status: 200, value: tableOf(resource, items, rendering, metadata) };
  if (rendering.representation !== "json") {
    const head = { kind: "PartialObjectMetadataList", apiVersion: metaVersion, metadata };
    return { type: "json", status: 200, value: { ...head, items: items.map(partialOf) } };
  }
  const head = {
    kind: definition.listKind,
    apiVersion: apiVersionOf(definition),
    // Lists of custom resources always say where they continue.
    metadata: definition.custom ? { ...metadata, continue: page.continue ?? "" } : metadata,
  };
  return {
    type: "json",
    status: 200,
    value: { ...head, items },
    ...(!resource.view && { parts: () => listParts(head, page.items) }),
  };
}

function* listParts(head: JsonObject, items: readonly StoredObject[]): Generator<Uint8Array> {
  yield encoder.encode(`${stringifyJson(head).slice(0, -1)},"items":[`);
  for (const [position, stored] of items.entries()) {
    if (position > 0) yield comma;
    yield stored.encoded();
  }
  yield listEnd;
}

/** How the events of a watch go out. Only the first Table carries the columns. */
export function eventForm(resource: ServedResource, rendering: Omit<Rendering, "now">, clock: () => number): EventForm {
  const { representation } = rendering;
  const read = (stored: JsonObject) => shown(resource, stored);
  const bookmark = (revision: number, endsInitial: boolean): JsonObject => ({
    kind: resource.definition.kind,
    apiVersion: apiVersionOf(resource.definition),
    metadata: {
      resourceVersion: String(revision),
      ...(!resource.definition.custom && { creationTimestamp: null }),
      ...(endsInitial && { annotations: { "k8s.io/initial-events-end": "true" } }),
    },
  });
  if (representation === "json") return { plain: !resource.view, read, event: (event) => event, bookmark };
  if (representation === "table") {
    let first = true;
    const event = ({ type, object }: WatchEvent): WatchEvent => {
      const withColumns = first;
      first = false;
      const metadata = { resourceVersion: versionOf(object) };
      return { type, object: tableOf(resource, [object], { ...rendering, now: clock() }, metadata, withColumns) };
    };
    return { plain: false, read, event, bookmark };
  }
  return {
    plain: false,
    read,
    event: ({ type, object }) => ({ type, object: partialOf(object) }),
    bookmark: (revision, endsInitial) => partialOf(bookmark(revision, endsInitial)),
  };
}

function tableOf(
  resource: ServedResource,
  objects: readonly JsonObject[],
  { includeObject, now }: Pick<Rendering, "includeObject" | "now">,
  metadata: JsonObject,
  columns = true,
): JsonObject {
  return renderTable(resource.definition, objects, { now, includeObject, withColumns: columns, listMeta: metadata });
}

function partialOf(object: JsonObject): JsonObject {
  return { kind: "PartialObjectMetadata", apiVersion: metaVersion, metadata: object.metadata };
}

const versionOf = (object: JsonObject): string => String(objectAt(object, "metadata").resourceVersion ?? "");
