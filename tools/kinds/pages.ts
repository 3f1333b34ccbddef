/** The reference pages of the kinds, one a kind, and the page that lists them. */
import { code, table } from "../reference/markdown.ts";
import { type Elsewhere, type Field, fieldsOf } from "./fields.ts";
import { contractKinds, type Kind } from "./kinds.ts";

const GENERATED = "<!-- Made from the schemas by `npm run update:kinds`. -->";

/** Texts of `docs/reference/kinds/`, by file name. */
export function kindPages(): ReadonlyMap<string, string> {
  const kinds = contractKinds();
  return new Map([["README.md", index(kinds)], ...kinds.map((kind) => [fileOf(kind), page(kind)] as const)]);
}

const fileOf = ({ kind }: Kind): string => `${kind.toLowerCase()}.md`;

function index(kinds: readonly Kind[]): string {
  const rows = kinds.map((kind) => [
    `[${kind.kind}](${fileOf(kind)})`,
    code(kind.apiVersion),
    [kind.plural, ...kind.shortNames].map(code).join(", "),
    String(kind.schema.description),
  ]);
  return `# Kinds\n\n${GENERATED}\n\n${table(["Kind", "API", "Names", "What it is"], rows)}\n`;
}

function page(kind: Kind): string {
  const parts = [
    `# ${kind.kind}`,
    GENERATED,
    String(kind.schema.description),
    aboutOf(kind),
    ...sections(fieldsOf(kind.schema, elsewhere(kind))),
  ];
  return `${parts.join("\n\n")}\n`;
}

function aboutOf({ apiVersion, plural, shortNames, subresources, columns, stored }: Kind): string {
  const listed = columns.map(({ name, jsonPath }) => `${name} (${code(jsonPath.slice(1))})`).join(", ");
  const lines = [
    `API: ${code(apiVersion)}, ${code(plural)}, for short ${shortNames.map(code).join(" or ")}.`,
    stored
      ? `Subresources: ${subresources ? Object.keys(subresources).map(code).join(", ") : "none"}.`
      : "It can only be created.",
    ...(listed ? [`Columns: ${listed}.`] : []),
  ];
  return lines.map((line) => `- ${line}`).join("\n");
}

function sections(fields: readonly Field[]): readonly string[] {
  return ["spec", "status"].flatMap((part) => {
    const rows = fields.filter(({ path }) => path.startsWith(`${part}.`));
    return rows.length === 0 ? [] : [`## ${code(part)}`, fieldTable(rows)];
  });
}

function fieldTable(fields: readonly Field[]): string {
  const rows = fields.map((field) => [
    code(field.path),
    field.type,
    field.default === undefined ? "" : code(field.default),
    field.limits.join("; "),
    [field.meaning.replaceAll("<", "&lt;"), ...(field.membersAs ? [`Members: ${field.membersAs}.`] : [])].join(" "),
    field.gate ? `[${field.gate}](../feature-gates.md)` : "",
  ]);
  return table(["Field", "Type", "Default", "Limits", "Meaning", "Gate"], rows);
}

const POD_TEMPLATE =
  "[PodTemplateSpec](https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/pod-template-v1/)";
const OBJECT_META = "[ObjectMeta](https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/object-meta/)";

const elsewhere =
  ({ kind }: Kind): Elsewhere =>
  (path) => {
    if (kind === "GameServer") return path === "spec.template" ? POD_TEMPLATE : undefined;
    if (path === "spec.template.spec") return "[GameServer](gameserver.md), its `spec`";
    return path === "spec.template.metadata" ? OBJECT_META : undefined;
  };
