import { isDns1123Subdomain } from "#api/meta/names.ts";
import type { ResourceRules } from "../resources/served-resource.ts";

/** What holds for a built-in that says nothing else. */
export const builtinRules: ResourceRules = {
  nameFaults: isDns1123Subdomain,
  hasGeneration: false,
  unconditionalUpdate: true,
};

/** What holds for every custom resource. */
export const customRules: ResourceRules = {
  nameFaults: isDns1123Subdomain,
  hasGeneration: true,
  unconditionalUpdate: false,
};

/** A name that only has to fit a path (events, whose names carry arbitrary suffixes). */
export function pathSegmentFaults(name: string): readonly string[] {
  if (name === "." || name === "..") return [`may not be '${name}'`];
  return ["/", "%"].filter((part) => name.includes(part)).map((part) => `may not contain '${part}'`);
}
