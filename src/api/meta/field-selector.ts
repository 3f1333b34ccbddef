/** Field selectors: `metadata.name=a,status.phase!=Running`, as they stand in `fieldSelector=`. */
import { SelectorError } from "./label-requirement.ts";

/** One condition on a field. All conditions of a selector must hold. */
export interface FieldSelectorTerm {
  /** For instance `metadata.name`; which paths are allowed is up to each resource. */
  readonly path: string;
  readonly operator: "=" | "!=";
  readonly value: string;
}

/**
 * Parses a field selector; `==` is `=`. Terms come in the order of their text, and one that compares nothing with nothing is none. In values, a backslash stands before `,`, `=` and itself.
 * Throws `SelectorError` with Kubernetes' texts.
 */
export function parseFieldSelector(text: string): readonly FieldSelectorTerm[] {
  return splitTerms(text)
    .filter((term) => term !== "" && !/^(!=|==?)$/.test(term))
    .toSorted()
    .map((term) => {
      const operator = /!=|==|=/.exec(term);
      if (!operator) throw new SelectorError(`invalid selector: '${text}'; can't understand '${term}'`);
      return {
        path: term.slice(0, operator.index),
        operator: operator[0] === "!=" ? "!=" : "=",
        value: unescapeValue(term.slice(operator.index + operator[0].length)),
      };
    });
}

/** Cuts at commas that no backslash stands before. */
function splitTerms(text: string): readonly string[] {
  return text.match(/(?:\\[\s\S]?|[^\\,])+/g) ?? [];
}

function unescapeValue(value: string): string {
  return value.replace(/\\([\s\S]?)|[,=]/g, (match, escaped: string | undefined) => {
    if (escaped === undefined)
      throw new SelectorError(`invalid field selector: unescaped character in value: ${match.charCodeAt(0)}`);
    if (escaped !== "\\" && escaped !== "," && escaped !== "=")
      throw new SelectorError(`invalid field selector: invalid escape sequence: \\${escaped}`);
    return escaped;
  });
}
