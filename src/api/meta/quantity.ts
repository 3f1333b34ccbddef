/** Resource quantities (apimachinery `api/resource`): `1500m`, `0.5`, `64Mi`, `1e3`. Exact; never a floating-point number. */

/** How a quantity is written: with `Ki`, `Mi` …; with `m`, `k`, `M` …; or with an exponent. */
type QuantityFormat = "BinarySI" | "DecimalSI" | "DecimalExponent";

export interface Quantity {
  /** In units of 10^−9, the smallest step there is. */
  readonly nano: bigint;
  readonly format: QuantityFormat;
  /** As it was written, where Kubernetes takes that for canonical: `1.500`, `1e0`, `+7`. */
  readonly text?: string;
}

/** Text that is no quantity; the message is Kubernetes' own. */
export class QuantityError extends Error {
  override readonly name = "QuantityError";
  readonly code = "InvalidQuantity";
}

const NOT_A_QUANTITY = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
const BAD_NUMBER = "unable to parse numeric part of quantity";
const BAD_SUFFIX = "unable to parse quantity's suffix";

const NANO = 1_000_000_000n;
const MOST_BINARY = (2n ** 63n - 1n) * NANO;
/** Longer numbers and larger exponents mean nothing, and would cost time to compute. */
const MOST_DIGITS = 400;

const decimalSuffixes = ["n", "u", "m", "", "k", "M", "G", "T", "P", "E"];
const binarySuffixes = ["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];

/**
 * Parses a quantity; steps below 10^−9 are rounded away from zero. A JSON number is taken too. As to Kubernetes, a suffix or a sign
 * alone is zero, unless it makes too much of a number that is not there (`Ei`). Throws `QuantityError`.
 */
export function parseQuantity(value: string | number | bigint): Quantity {
  const text = String(value);
  const parts = notation.exec(text);
  if (text === "" || !parts) throw new QuantityError(NOT_A_QUANTITY);
  const [, sign = "", integer = "", fraction = "", suffix = ""] = parts;
  const whole = integer.replace(/^0+/, "");
  if (whole === "" && text.length === sign.length + integer.length) return { nano: 0n, format: "DecimalSI" };
  const { base, exponent, format } = readSuffix(suffix);
  if (whole.length + fraction.length > MOST_DIGITS) throw new QuantityError(BAD_NUMBER);
  const scaled: Scaled = { digits: (whole || "0") + fraction, places: fraction.length, base, exponent };
  if (!isCountedAtOnce(scaled) && integer + fraction === "") throw new QuantityError(BAD_NUMBER);

  const magnitude = nanoOf(scaled);
  return {
    nano: (sign === "-" ? -1n : 1n) * (base === 2n && magnitude > MOST_BINARY ? MOST_BINARY : magnitude),
    // A binary fraction of one is written in decimal, as Kubernetes does.
    format: format === "BinarySI" && magnitude > 0n && magnitude < NANO ? "DecimalSI" : format,
    ...(isTakenForCanonical(scaled) && { text }),
  };
}

/** Sign, digits, fraction, suffix: each ends where the next must begin, so that a long text that is none is soon known. */
const notation = /^([+-]?)(\d*)(?:\.(\d*))?((?:[eEinumkKMGTP]+[-+]?|[-+])\d*)?$/;

/** A number as it is written: its digits, those after the point, and the power of the suffix. */
interface Scaled {
  readonly digits: string;
  readonly places: number;
  readonly base: bigint;
  readonly exponent: number;
}

function nanoOf({ digits, places, base, exponent }: Scaled): bigint {
  const factor = base ** BigInt(Math.abs(exponent));
  const numerator = BigInt(digits) * NANO * (exponent >= 0 ? factor : 1n);
  return divideUp(numerator, 10n ** BigInt(places) * (exponent >= 0 ? 1n : factor));
}

/** Kubernetes counts short numbers in 64 bits, and others in decimals of any length; it treats both a little differently. */
function isCountedAtOnce({ digits, places, base, exponent }: Scaled): boolean {
  if (base === 10n) return digits.length <= 18 && exponent - places >= -9;
  return places === 0 && digits.length + Math.trunc((exponent * 3) / 10) <= 14;
}

/** Those it then prints as they were written: no third zero at the end, none in front, whole thousands; in binary no factor of eight. */
function isTakenForCanonical(scaled: Scaled): boolean {
  const { digits, places, base, exponent } = scaled;
  if (!isCountedAtOnce(scaled)) return false;
  if (base === 2n) return BigInt(digits) % 8n !== 0n;
  return (exponent - places) % 3 === 0 && !digits.endsWith("000") && !digits.startsWith("0");
}

function readSuffix(suffix: string): { base: bigint; exponent: number; format: QuantityFormat } {
  const decimal = decimalSuffixes.indexOf(suffix);
  if (decimal >= 0) return { base: 10n, exponent: 3 * decimal - 9, format: "DecimalSI" };
  const binary = binarySuffixes.indexOf(suffix);
  if (binary > 0) return { base: 2n, exponent: 10 * binary, format: "BinarySI" };
  const exponent = /^[eE]([-+]?\d+)$/.exec(suffix)?.[1];
  if (exponent === undefined || Math.abs(Number(exponent)) > MOST_DIGITS) throw new QuantityError(BAD_SUFFIX);
  return { base: 10n, exponent: Number(exponent), format: "DecimalExponent" };
}

/** Rounds away from zero: who asks for a little gets some. The divisor is positive. */
function divideUp(value: bigint, divisor: bigint): bigint {
  const quotient = value / divisor;
  if (value % divisor === 0n) return quotient;
  return value > 0n ? quotient + 1n : quotient - 1n;
}

/** −1, 0 or 1; the way they are written does not count. */
export function compareQuantities(a: Quantity, b: Quantity): -1 | 0 | 1 {
  return a.nano < b.nano ? -1 : a.nano > b.nano ? 1 : 0;
}

/** The sum, written like `a` (like `b` when `a` is zero). */
export function addQuantities(a: Quantity, b: Quantity): Quantity {
  return { nano: a.nano + b.nano, format: a.nano === 0n ? b.format : a.format };
}

/** The difference, which may be negative, written like `a` (like `b` when `a` is zero). */
export function subtractQuantities(a: Quantity, b: Quantity): Quantity {
  return { nano: a.nano - b.nano, format: a.nano === 0n ? b.format : a.format };
}

/** The value in units (cores, bytes, pieces) or in thousandths of them, rounded away from zero to a whole. Exact up to 2^53. */
export function quantityToNumber(quantity: Quantity, unit: "unit" | "milli" = "unit"): number {
  return Number(divideUp(quantity.nano, unit === "milli" ? NANO / 1000n : NANO));
}

/** The canonical text: no fraction, the largest suffix that keeps the value exact; or as it was written, see `Quantity.text`. */
export function quantityToString({ nano, format, text }: Quantity): string {
  if (text !== undefined) return text;
  if (nano === 0n) return "0";
  const whole = nano / NANO;
  const inBinary = format === "BinarySI" && nano % NANO === 0n && (whole <= -1024n || whole >= 1024n);
  if (inBinary) {
    const [mantissa, power] = factorOut(whole, 1024n, binarySuffixes.length - 1);
    return `${mantissa}${binarySuffixes[power]}`;
  }
  if (format === "DecimalExponent") {
    const [mantissa, power] = factorOut(nano, 1000n, MOST_DIGITS);
    const exponent = 3 * power - 9;
    return exponent === 0 ? `${mantissa}` : `${mantissa}e${exponent}`;
  }
  const [mantissa, power] = factorOut(nano, 1000n, decimalSuffixes.length - 1);
  return `${mantissa}${decimalSuffixes[power]}`;
}

/** `value` without its factors of `base`, at most `most`, and how many they were. */
function factorOut(value: bigint, base: bigint, most: number): readonly [bigint, number] {
  let rest = value;
  let power = 0;
  while (power < most && rest % base === 0n) {
    rest /= base;
    power++;
  }
  return [rest, power];
}
