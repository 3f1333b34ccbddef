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

/**
 * False when no object of well-formed JSON text names a member twice: `value`, which the text was parsed to, has as many members as
 * the text has names. Many times faster than to look which.
 */
export function mayNameTwice(text: string, value: JsonValue): boolean {
  return namesIn(text) !== membersIn(value);
}

const QUOTE = '"';
const COLON = ":";

function namesIn(text: string): number {
  let count = 0;
  for (let start = text.indexOf(QUOTE); start >= 0; ) {
    let end = text.indexOf(QUOTE, start + 1);
    while (isEscaped(text, end)) end = text.indexOf(QUOTE, end + 1);
    let next = end + 1;
    while (isBlank(text.charCodeAt(next))) next++;
    if (text[next] === COLON) count++;
    start = text.indexOf(QUOTE, next);
  }
  return count;
}

/** An odd number of backslashes stands before it. */
function isEscaped(text: string, at: number): boolean {
  let first = at;
  while (text[first - 1] === "\\") first--;
  return (at - first) % 2 === 1;
}

const isBlank = (code: number): boolean => code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;

/** The value is no deeper than `MAX_DEPTH`. */
function membersIn(value: JsonValue | undefined): number {
  if (typeof value !== "object" || value === null) return 0;
  const inner = Object.values(value);
  return inner.reduce((sum: number, member) => sum + membersIn(member), Array.isArray(value) ? 0 : inner.length);
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
