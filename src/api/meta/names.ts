/** The naming rules of Kubernetes (apimachinery `util/validation`), with its own messages. An empty answer means valid. */

const LABEL = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
const SUBDOMAIN = `${LABEL}(\\.${LABEL})*`;
const QUALIFIED = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";
const LABEL_VALUE = `(${QUALIFIED})?`;

const whole = (pattern: string): RegExp => new RegExp(`^${pattern}$`);
const label = whole(LABEL);
const subdomain = whole(SUBDOMAIN);
const qualified = whole(QUALIFIED);
const labelValue = whole(LABEL_VALUE);
const ascii = /^[ -~]*$/;

const EMPTY = "must be non-empty";
const tooLong = (most: number): string => `must be no more than ${most} characters`;
const mustMatch = (rule: string, pattern: string, ...examples: readonly string[]): string =>
  `${rule} (e.g. ${examples.map((example) => `'${example}', `).join(" or ")}regex used for validation is '${pattern}')`;

const NOT_LABEL = mustMatch(
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character",
  LABEL,
  "my-name",
  "123-abc",
);
const NOT_SUBDOMAIN = mustMatch(
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
  SUBDOMAIN,
  "example.com",
);
const NOT_QUALIFIED = mustMatch(
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
  QUALIFIED,
  "MyName",
  "my.name",
  "123-abc",
);
const NOT_LABEL_VALUE = mustMatch(
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
  LABEL_VALUE,
  "MyValue",
  "my_value",
  "12345",
);

/** Lengths are counted in UTF-8 bytes, as Kubernetes counts them: at most three for a unit of a text. */
function isLonger(value: string, most: number): boolean {
  if (value.length > most) return true;
  return value.length * 3 > most && !ascii.test(value) && new TextEncoder().encode(value).length > most;
}

/** A namespace name, a container name: at most 63 of `a-z 0-9 -`. */
export function isDns1123Label(value: string): readonly string[] {
  const faults: string[] = [];
  if (isLonger(value, 63)) faults.push(tooLong(63));
  if (!label.test(value)) faults.push(subdomain.test(value) ? "must not contain dots" : NOT_LABEL);
  return faults;
}

/** The name of most objects: labels joined by dots, at most 253 characters. */
export function isDns1123Subdomain(value: string): readonly string[] {
  const faults: string[] = [];
  if (isLonger(value, 253)) faults.push(tooLong(253));
  if (!subdomain.test(value)) faults.push(NOT_SUBDOMAIN);
  return faults;
}

/** A label or annotation key: a name of at most 63 characters, with an optional DNS subdomain and `/` before it. */
export function isQualifiedName(value: string): readonly string[] {
  const parts = value.split("/");
  if (parts.length > 2)
    return [
      `a qualified name ${NOT_QUALIFIED} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ];
  const name = parts.at(-1) as string;
  const prefix = parts.length === 2 ? parts[0] : undefined;
  const faults: string[] = [];
  if (prefix === "") faults.push(`prefix part ${EMPTY}`);
  else if (prefix !== undefined) faults.push(...isDns1123Subdomain(prefix).map((fault) => `prefix part ${fault}`));
  if (name === "") faults.push(`name part ${EMPTY}`);
  else if (isLonger(name, 63)) faults.push(`name part ${tooLong(63)}`);
  if (!qualified.test(name)) faults.push(`name part ${NOT_QUALIFIED}`);
  return faults;
}

/** A label value: empty, or at most 63 characters. */
export function isLabelValue(value: string): readonly string[] {
  const faults: string[] = [];
  if (isLonger(value, 63)) faults.push(tooLong(63));
  if (!labelValue.test(value)) faults.push(NOT_LABEL_VALUE);
  return faults;
}

/** No vowels and no digits that look like them, so that no name spells a word. */
const SUFFIX_ALPHABET = "bcdfghjklmnpqrstvwxz2456789";
const SUFFIX_LENGTH = 5;
const GENERATED_BASE_LENGTH = 63 - SUFFIX_LENGTH;

/** Five random characters, as Kubernetes appends to `generateName`. `random` gives numbers in [0, 1). */
export function randomSuffix(random: () => number = Math.random): string {
  return Array.from(
    { length: SUFFIX_LENGTH },
    () => SUFFIX_ALPHABET[Math.floor(random() * SUFFIX_ALPHABET.length)],
  ).join("");
}

/** The name for a `generateName` of `base`: cut so that it stays within 63 characters. */
export function generatedName(base: string, suffix: string): string {
  return base.slice(0, GENERATED_BASE_LENGTH) + suffix;
}
