/** The rules of a place to ask: a URL or a Service, and the certificates to trust. */
import { child, duplicate, type FieldError, invalid, required } from "../meta/field.ts";
import { certificatesOf } from "./ca-bundle.ts";
import type { UrlConfiguration } from "./policy.ts";
import { isUrlReference } from "./url-syntax.ts";

export function validateUrl(configuration: UrlConfiguration | null | undefined, path: string): readonly FieldError[] {
  if (!configuration) return [required(path, "webhook policy config params are missing")];
  const { url, service, caBundle } = configuration;
  const faults: FieldError[] = [];
  const hasUrl = typeof url === "string";
  if (!service && !hasUrl) faults.push(required(path, "url should be provided"));
  if (service && hasUrl) {
    faults.push(duplicate(child(path, "url"), "service and url cannot be used simultaneously"));
  }
  if (typeof caBundle === "string" && certificatesOf(caBundle).length === 0) {
    faults.push(invalid(child(path, "caBundle"), caBundle, "CA Bundle is not valid"));
  }
  if (hasUrl && !isUrlReference(url)) faults.push(invalid(child(path, "url"), url, "url is not valid"));
  return faults;
}
