/** Durations in Go's notation: `300ms`, `1.5h`, `2h45m`. In memory they are milliseconds. */

/** Text that is no duration; the message is Go's own. */
export class DurationError extends Error {
  override readonly name = "DurationError";
  readonly code = "InvalidDuration";
}

const nanosecondsOf: ReadonlyMap<string, bigint> = new Map([
  ["ns", 1n],
  ["us", 1_000n],
  ["µs", 1_000n],
  ["μs", 1_000n],
  ["ms", 1_000_000n],
  ["s", 1_000_000_000n],
  ["m", 60_000_000_000n],
  ["h", 3_600_000_000_000n],
]);
const MILLISECOND = 1_000_000n;
const MOST = 2n ** 63n - 1n;

/**
 * Milliseconds of a Go duration, negative ones too; whole milliseconds are exact, fractions down to the nanosecond below a month.
 * At most about ±292 years, as in Go. Throws `DurationError`.
 */
export function parseDuration(text: string): number {
  const invalid = (what = "invalid duration"): DurationError => new DurationError(`time: ${what} ${quoted(text)}`);
  const negative = text.startsWith("-");
  const unsigned = text.replace(/^[-+]/, "");
  if (unsigned === "0") return 0;
  if (unsigned === "") throw invalid();

  // One number with its unit, at the point where the one before ended.
  const part = /(\d*)(?:\.(\d*))?([^\d.]*)/y;
  let total = 0n;
  for (let position = 0; position < unsigned.length; ) {
    part.lastIndex = position;
    const [consumed = "", whole = "", fraction = "", unit = ""] = part.exec(unsigned) ?? [];
    if (whole === "" && fraction === "") throw invalid();
    if (isBeyond(whole)) throw invalid();
    if (unit === "") throw invalid("missing unit in duration");
    const scale = nanosecondsOf.get(unit);
    if (scale === undefined) throw invalid(`unknown unit ${quoted(unit)} in duration`);
    // Digits beyond the 18th cannot reach a nanosecond of any unit.
    const digits = fraction.slice(0, 18);
    total += BigInt(whole || 0) * scale + (BigInt(digits || 0) * scale) / 10n ** BigInt(digits.length);
    if (total > MOST + (negative ? 1n : 0n)) throw invalid();
    position += consumed.length;
  }
  const milliseconds = Number(total / MILLISECOND) + Number(total % MILLISECOND) / 1e6;
  return negative ? -milliseconds : milliseconds;
}

/** Whether a whole number, of whatever unit, is too large: before its unit is looked at. */
const isBeyond = (digits: string): boolean => {
  const significant = digits.replace(/^0+/, "");
  return significant.length > 19 || BigInt(significant || 0) > MOST + 1n;
};

/** As Go quotes durations, unlike other texts: what is not ASCII, or not shown, as the bytes of its UTF-8. */
function quoted(text: string): string {
  const bytes = Array.from(new TextEncoder().encode(text), (byte) => {
    if (byte < 0x20 || byte > 0x7f) return `\\x${byte.toString(16).padStart(2, "0")}`;
    const character = String.fromCharCode(byte);
    return character === '"' || character === "\\" ? `\\${character}` : character;
  });
  return `"${bytes.join("")}"`;
}

/** Go's text of a duration given in milliseconds: `1h30m0s`, `1.5s`, `300ms`, `0s`. */
export function formatDuration(milliseconds: number): string {
  const sign = milliseconds < 0 ? "-" : "";
  const size = Math.abs(milliseconds);
  const nanoseconds = BigInt(Math.trunc(size)) * MILLISECOND + BigInt(Math.round((size % 1) * 1e6));
  if (nanoseconds === 0n) return "0s";
  if (nanoseconds < 1_000n) return `${sign}${nanoseconds}ns`;
  if (nanoseconds < 1_000_000n) return `${sign}${decimal(nanoseconds, 3)}µs`;
  if (nanoseconds < 1_000_000_000n) return `${sign}${decimal(nanoseconds, 6)}ms`;
  const minutes = nanoseconds / 60_000_000_000n;
  const seconds = `${decimal(nanoseconds % 60_000_000_000n, 9)}s`;
  if (minutes === 0n) return sign + seconds;
  return minutes < 60n ? `${sign}${minutes}m${seconds}` : `${sign}${minutes / 60n}h${minutes % 60n}m${seconds}`;
}

/** `value` × 10^−`places`, without trailing zeros. */
function decimal(value: bigint, places: number): string {
  const digits = String(value).padStart(places + 1, "0");
  const fraction = digits.slice(-places).replace(/0+$/, "");
  return digits.slice(0, -places) + (fraction && `.${fraction}`);
}
