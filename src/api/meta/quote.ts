/** Texts in quotation marks, as Go writes them into messages (`strconv.Quote`). */

/** Quotation marks, backslashes, and what shows nothing by itself: neither a mark nor the space of ASCII. */
const UNSHOWN = /["\\]|[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu;
const NAMED: ReadonlyMap<string, string> = new Map([
  ['"', '\\"'],
  ["\\", "\\\\"],
  ["\u0007", "\\a"],
  ["\b", "\\b"],
  ["\f", "\\f"],
  ["\n", "\\n"],
  ["\r", "\\r"],
  ["\t", "\\t"],
  ["\v", "\\v"],
]);

/** The text in quotation marks; what is not printable as `\x01`, `\u200b` or `\U0010ffff`. */
export function quoted(text: string): string {
  return `"${text.toWellFormed().replace(UNSHOWN, (character) => NAMED.get(character) ?? escaped(character))}"`;
}

function escaped(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  const hex = (digits: number): string => code.toString(16).padStart(digits, "0");
  if (code < 0x80) return `\\x${hex(2)}`;
  return code > 0xffff ? `\\U${hex(8)}` : `\\u${hex(4)}`;
}
