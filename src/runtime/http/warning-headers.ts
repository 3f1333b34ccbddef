/** `Warning` header (RFC 7234 §5.5) as Kubernetes clients read it; nothing when there is nothing to say. */
export function warningHeaders(warnings: ReadonlySet<string>): Readonly<Record<string, string>> | undefined {
  if (warnings.size === 0) return undefined;
  const texts = bounded([...warnings].map(printable)).map((text) => `299 - "${text.replace(/["\\]/g, "\\$&")}"`);
  return { warning: texts.join(", ") };
}

/** The texts of such a header. */
export const warningsOf = (header: string | undefined): readonly string[] =>
  [...(header ?? "").matchAll(/\d{3} \S+ "((?:[^"\\]|\\.)*)"/g)].map(([, text = ""]) => text.replace(/\\(.)/g, "$1"));

/** Most characters of all warnings of one answer, and of each when there are more: a client takes no larger head. */
const MOST_WARNED = 4096;
const MOST_WARNED_EACH = 256;

function bounded(texts: readonly string[]): readonly string[] {
  if (texts.reduce((sum, { length }) => sum + length, 0) <= MOST_WARNED) return texts;
  const told: string[] = [];
  let written = 0;
  for (const text of texts) {
    const cut = text.slice(0, MOST_WARNED_EACH);
    written += cut.length;
    if (written > MOST_WARNED) break;
    told.push(cut);
  }
  return told;
}

const printable = (text: string): string => text.replace(/[^\x20-\x7e]/g, "?");
