/** A line longer than this is cut: conditions and events are read at a glance. */
const LONGEST = 200;

/** What runtimes begin the line with that says why a program failed. */
const CAUSE = /^\s*(?:Unhandled exception|panic|fatal|thread '.*' panicked|(?:[\w.]*\.)?\w*(?:Error|Exception))\b/i;

/**
 * Of what a program wrote last, the one line that says best why it ended: the last that begins as a runtime names an error, else the
 * last. Empty when it wrote nothing.
 */
export function tellingLine(text: string): string {
  const lines = text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
  const line = lines.findLast((each) => CAUSE.test(each)) ?? lines.at(-1) ?? "";
  return line.length > LONGEST ? `${line.slice(0, LONGEST)}…` : line;
}
