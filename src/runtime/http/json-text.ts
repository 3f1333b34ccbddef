/** Checks on JSON that the language's own parser does not make. */
import type { JsonValue } from "#api/meta/json.ts";

/** How deep arrays and objects may nest in a body; deeper ones are refused so that no walk over them can overflow. */
export const MAX_DEPTH = 256;

/** True when arrays and objects nest deeper than `limit`. Itself bounded by `limit`. */
export function isDeeperThan(value: JsonValue | undefined, limit: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (limit === 0) return true;
  return Object.values(value).some((member) => isDeeperThan(member, limit - 1));
}

interface Frame {
  readonly path: string;
  /** Names seen, in an object; in an array the running position. */
  readonly names?: Set<string>;
  position: number;
}

const token = /"(?:[^"\\]|\\.)*"|[{}[\],:]/gs;

/**
 * Paths of members that an object of well-formed JSON text names twice (`spec.foo`, `items[0].name`), each once, in document order.
 * Works without recursion, in time linear in the text.
 */
export function duplicateMembers(text: string): string[] {
  const found = new Set<string>();
  const stack: Frame[] = [];
  let name: string | undefined;
  let last = "";
  for (const [lexeme] of text.matchAll(token)) {
    const top = stack.at(-1);
    if (lexeme === "{" || lexeme === "[") {
      stack.push({ path: pathOf(top, name), names: lexeme === "{" ? new Set() : undefined, position: 0 });
      name = undefined;
    } else if (lexeme === "}" || lexeme === "]") {
      stack.pop();
      name = undefined;
    } else if (lexeme === "," && top) {
      top.position++;
      name = undefined;
    } else if (lexeme === ":" && top?.names) {
      name = JSON.parse(last) as string;
      if (top.names.has(name)) found.add(pathOf(top, name));
      top.names.add(name);
    }
    last = lexeme;
  }
  return [...found];
}

function pathOf(parent: Frame | undefined, name: string | undefined): string {
  if (!parent) return "";
  if (!parent.names) return `${parent.path}[${parent.position}]`;
  return parent.path ? `${parent.path}.${name}` : (name ?? "");
}
