/** Label and field selectors of a list, a watch or a collection's deletion. */
import { type FieldSelectorTerm, parseFieldSelector } from "#api/meta/field-selector.ts";
import type { JsonObject } from "#api/meta/json.ts";
import { labelSelectorMatcher, parseLabelSelector, SelectorError } from "#api/meta/label-selector.ts";
import { badRequest } from "#api/meta/status.ts";
import { metaOf, textAt } from "../resources/object-fields.ts";
import type { ServedResource } from "../resources/served-resource.ts";

export interface Selection {
  /** Absent: everything is selected. Takes objects as the version shows them. */
  readonly matches?: (object: JsonObject) => boolean;
  /** Only objects of this name can match. */
  readonly name?: string;
  /** Only objects of this namespace can match. */
  readonly namespace?: string;
}

/** The selection that a query asks for. Throws BadRequest on a malformed selector or a field that cannot be selected by. */
export function selectionOf(resource: ServedResource, query: URLSearchParams): Selection {
  const labels = query.get("labelSelector") ?? "";
  const fields = query.get("fieldSelector") ?? "";
  if (labels === "" && fields === "") return {};
  try {
    const terms = parseFieldSelector(fields);
    const tests = terms.map((term) => fieldTest(resource, term));
    if (labels !== "") {
      const matcher = labelSelectorMatcher(parseLabelSelector(labels));
      tests.push((object) => matcher(metaOf(object).labels));
    }
    const pinned = (field: string) =>
      terms.find((each) => each.path === field && each.operator !== "!=" && each.value !== "")?.value;
    return {
      matches: (object) => tests.every((test) => test(object)),
      name: pinned("metadata.name"),
      namespace: pinned("metadata.namespace"),
    };
  } catch (error) {
    if (!(error instanceof SelectorError)) throw error;
    throw badRequest(error.message);
  }
}

function fieldTest(
  resource: ServedResource,
  { path, operator, value }: FieldSelectorTerm,
): (object: JsonObject) => boolean {
  const read = readerOf(resource, path);
  return operator === "!=" ? (object) => read(object) !== value : (object) => read(object) === value;
}

function readerOf({ rules }: ServedResource, field: string): (object: JsonObject) => string {
  if (field === "metadata.name" || field === "metadata.namespace")
    return (object) => textAt(object, "metadata", field.slice("metadata.".length));
  const fields = rules.selectableFields ?? {};
  const read = Object.hasOwn(fields, field) ? fields[field] : undefined;
  if (!read) throw new SelectorError(`field label not supported: ${field}`);
  return read;
}
