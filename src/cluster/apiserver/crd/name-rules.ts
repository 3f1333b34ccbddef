/** Names of a CustomResourceDefinition. */
import { child, type FieldError, index, invalid, required } from "#api/meta/field.ts";
import type { JsonObject } from "#api/meta/json.ts";
import { isDns1123Subdomain } from "#api/meta/names.ts";
import { textAt } from "../resources/object-fields.ts";
import { groupOf, namesOf, textsOf } from "./definition.ts";

const DNS_1035 = /^[a-z]([-a-z0-9]*[a-z0-9])?$/;

/** Why a text is no DNS-1035 label, in Kubernetes' words. */
export function dns1035Faults(text: string): readonly string[] {
  const faults: string[] = [];
  if (text.length > 63) faults.push("must be no more than 63 characters");
  if (!DNS_1035.test(text)) {
    faults.push(
      "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')",
    );
  }
  return faults;
}

/** The object's own name, which its plural name and group decide. */
export function objectNameFaults(definition: JsonObject): readonly FieldError[] {
  const name = textAt(definition, "metadata", "name");
  const faults = [...isDns1123Subdomain(name)];
  if (name !== `${textAt(namesOf(definition), "plural")}.${groupOf(definition)}`) {
    faults.push('must be spec.names.plural+"."+spec.group');
  }
  return faults.map((fault) => invalid("metadata.name", name, fault));
}

export function groupFaults(definition: JsonObject): readonly FieldError[] {
  const group = groupOf(definition);
  if (group === "") return [required("spec.group", "")];
  const faults = isDns1123Subdomain(group);
  if (faults.length > 0) return [invalid("spec.group", group, faults.join(","))];
  if (!group.includes(".")) return [invalid("spec.group", group, "should be a domain with at least one dot")];
  return approvalFaults(definition, group);
}

const APPROVAL = "api-approved.kubernetes.io";

/** Groups of the Kubernetes community need an approval. */
function approvalFaults(definition: JsonObject, group: string): readonly FieldError[] {
  if (!/(^|\.)(k8s|kubernetes)\.io$/.test(group)) return [];
  const field = `metadata.annotations[${APPROVAL}]`;
  const approval = textAt(definition, "metadata", "annotations", APPROVAL);
  if (approval === "") {
    const where = "see https://github.com/kubernetes/enhancements/pull/1111";
    return [required(field, `protected groups must have approval annotation "${APPROVAL}", ${where}`)];
  }
  if (approval.startsWith("unapproved") || URL.canParse(approval)) return [];
  const text = `protected groups must have approval annotation "${APPROVAL}" with either a URL or a reason starting with "unapproved", see https://github.com/kubernetes/enhancements/pull/1111`;
  return [invalid(field, approval, text)];
}

const FIELD = "spec.names";

export function nameFaults(definition: JsonObject): readonly FieldError[] {
  const names = namesOf(definition);
  const text = (name: string) => textAt(names, name);
  const kind = text("kind");
  const absent = ["plural", "singular", "kind", "listKind"].filter((name) => text(name) === "");
  return [
    ...absent.map((name) => required(child(FIELD, name), "")),
    ...["plural", "singular"].flatMap((name) => labelFaults(child(FIELD, name), text(name))),
    ...["kind", "listKind"].flatMap((name) => kindFaults(child(FIELD, name), text(name))),
    ...textsOf(names.shortNames).flatMap((name, at) => labelFaults(index(child(FIELD, "shortNames"), at), name)),
    ...(kind !== "" && kind === text("listKind")
      ? [invalid(child(FIELD, "listKind"), kind, "kind and listKind may not be the same")]
      : []),
    ...textsOf(names.categories).flatMap((name, at) => labelFaults(index(child(FIELD, "categories"), at), name)),
  ];
}

function labelFaults(field: string, text: string): readonly FieldError[] {
  const faults = text === "" ? [] : dns1035Faults(text);
  return faults.length > 0 ? [invalid(field, text, faults.join(","))] : [];
}

function kindFaults(field: string, text: string): readonly FieldError[] {
  const faults = text === "" ? [] : dns1035Faults(text.toLowerCase());
  const rule = "may have mixed case, but should otherwise match: ";
  return faults.length > 0 ? [invalid(field, text, rule + faults.join(","))] : [];
}
