/** Names that sources use: feature gates, keys of labels and annotations, variables, exit codes. Each sorted, each once. */
import type { Expression, MemberExpression } from "oxc-parser";
import type { Source } from "./sources.ts";

const sorted = (names: Iterable<string>): readonly string[] => [...new Set(names)].sort();

/** Those of `names` that the sources mention as an identifier: `gates.NAME`, `{ NAME }`. */
export function mentioned(sources: readonly Source[], names: readonly string[]): readonly string[] {
  const found: string[] = [];
  for (const source of sources)
    source.visit({
      Identifier: ({ name }) => {
        if (names.includes(name)) found.push(name);
      },
    });
  return sorted(found);
}

/** Keys of labels, annotations, taints and finalizers: `DOMAIN/NAME`, but no API version, no collection and no type of Secret. */
const KEY = /^([a-z0-9-]+\.)+(dev|io)\/[\w.-]*$/;
const NO_KEY = /\/v\d\w*$|^(coordination|apiextensions|events)\.k8s\.io\/|^kubernetes\.io\/tls$/;

export function objectKeys(sources: readonly Source[]): readonly string[] {
  const keys: string[] = [];
  for (const source of sources)
    source.visit({
      Literal: ({ value }) => {
        if (typeof value === "string" && KEY.test(value) && !NO_KEY.test(value)) keys.push(value);
      },
    });
  return sorted(keys);
}

/** Variables read by name: `process.env.NAME`. */
export function readVariables(sources: readonly Source[]): readonly string[] {
  const names: string[] = [];
  for (const source of sources)
    source.visit({
      MemberExpression: (found) => {
        if (source.text.slice(found.object.start, found.object.end) !== "process.env") return;
        const name = memberName(found);
        if (name !== undefined) names.push(name);
      },
    });
  return sorted(names);
}

/** The numbers that are handed to `process.exit` or set as `process.exitCode`. */
export function exitCodes(source: Source): readonly number[] {
  const codes = new Set<number>();
  const collect = (value: Expression | undefined): void => {
    if (value?.type === "Literal" && typeof value.value === "number") codes.add(value.value);
    if (value?.type === "ConditionalExpression") for (const each of [value.consequent, value.alternate]) collect(each);
  };
  const textOf = ({ start, end }: { readonly start: number; readonly end: number }) => source.text.slice(start, end);
  source.visit({
    CallExpression: ({ callee, arguments: [code] }) => {
      if (textOf(callee) === "process.exit" && code?.type !== "SpreadElement") collect(code);
    },
    AssignmentExpression: ({ left, right }) => {
      if (textOf(left) === "process.exitCode") collect(right);
    },
  });
  return [...codes].sort((a, b) => a - b);
}

/** Texts in the array that a file declares under a name. */
export function arrayOf(source: Source, name: string): readonly string[] {
  const texts: string[] = [];
  source.visit({
    VariableDeclarator: ({ id, init }) => {
      if (id.type !== "Identifier" || id.name !== name || init?.type !== "ArrayExpression") return;
      for (const each of init.elements) if (each?.type === "Literal") texts.push(String(each.value));
    },
  });
  return texts;
}

const memberName = ({ computed, property }: MemberExpression): string | undefined =>
  !computed && property.type === "Identifier" ? property.name : undefined;
