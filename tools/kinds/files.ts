/** Every file that is made from the schemas of the kinds: reference pages, and the definitions for the Helm chart. */
import { join } from "node:path";
import { stringify } from "yaml";
import { buildCustomResourceDefinitions } from "#api/definitions/crds.ts";
import { ROOT } from "../reference/sources.ts";
import { kindPages } from "./pages.ts";

/** Folders that hold nothing else. */
export const PAGES = join(ROOT, "docs/reference/kinds");
export const DEFINITIONS = join(ROOT, "deploy/helm/stadion/crds");

/** Texts by path. */
export function generatedFiles(): ReadonlyMap<string, string> {
  const pages = [...kindPages()].map(([name, text]) => [join(PAGES, name), text] as const);
  const definitions = buildCustomResourceDefinitions().map(
    (definition) =>
      [
        join(DEFINITIONS, `${definition.metadata.name}.yaml`),
        `# Made from the schemas by npm run update:kinds.\n${stringify(definition, { lineWidth: 0, aliasDuplicateObjects: false })}`,
      ] as const,
  );
  return new Map([...pages, ...definitions]);
}
