/** Parser of the text form of label selectors, as it stands in `labelSelector=` and on kubectl's command line. */
import { faultsAt, type Requirement, requirement, SelectorError } from "./label-requirement.ts";
import { isQualifiedName } from "./names.ts";

const token = /!=|==|[=!(),<>]|[^=!(),<> \t\r\n]+/g;
const isWord = (text: string): boolean => text !== "" && !/^[=!(),<>]/.test(text);

/**
 * Parses `a=b,c==d,e!=f,g in (h,i),j notin (k),l,!m,n>5,o<6`; empty text selects everything. Values are sorted, each once.
 * Throws `SelectorError` with Kubernetes' texts.
 */
export function parseLabelSelector(text: string): readonly Requirement[] {
  const tokens = new Tokens(text);
  const requirements: Requirement[] = [];
  while (tokens.peek() !== "") {
    if (!isWord(tokens.peek()) && tokens.peek() !== "!")
      throw new SelectorError(`found '${tokens.peek()}', expected: !, identifier, or 'end of string'`);
    requirements.push(parseTerm(tokens));
    const separator = tokens.next();
    if (separator !== "" && separator !== ",")
      throw new SelectorError(`found '${separator}', expected: ',' or 'end of string'`);
    const following = tokens.peek();
    if (separator === "," && !isWord(following) && following !== "!")
      throw new SelectorError(`found '${following}', expected: identifier after ','`);
  }
  return requirements;
}

/** The tokens of a selector; `""` stands for the end, again and again. */
class Tokens {
  readonly #tokens: readonly string[];
  #position = 0;

  constructor(text: string) {
    this.#tokens = text.match(token) ?? [];
  }

  peek(): string {
    return this.#tokens[this.#position] ?? "";
  }

  next(): string {
    const word = this.peek();
    this.#position++;
    return word;
  }
}

function parseTerm(tokens: Tokens): Requirement {
  try {
    const negated = tokens.peek() === "!" && tokens.next() === "!";
    const key = tokens.next();
    if (!isWord(key)) throw new SelectorError(`found '${key}', expected: identifier`);
    const [fault] = faultsAt("<nil>", key, isQualifiedName(key));
    if (fault) throw new SelectorError(`${fault.field}: ${fault.body}`);
    if (negated || tokens.peek() === "" || tokens.peek() === ",")
      return requirement(key, negated ? "DoesNotExist" : "Exists", []);
    return parseComparison(tokens, key);
  } catch (error) {
    if (error instanceof SelectorError)
      throw new SelectorError(`unable to parse requirement: ${error.message}`, { cause: error });
    throw error;
  }
}

function parseComparison(tokens: Tokens, key: string): Requirement {
  const operator = tokens.next();
  switch (operator) {
    case "in":
    case "notin":
      return requirement(key, operator === "in" ? "In" : "NotIn", [...new Set(parseSet(tokens))].sort());
    case "=":
    case "==":
      return requirement(key, "In", [parseValue(tokens)]);
    case "!=":
      return requirement(key, "NotIn", [parseValue(tokens)]);
    case ">":
    case "<":
      return requirement(key, operator === ">" ? "Gt" : "Lt", [parseValue(tokens)]);
    default:
      throw new SelectorError(`found '${operator}', expected: in, notin, =, ==, !=, gt, lt`);
  }
}

/** A value may be empty: `a=` and `a=,b` compare with the empty string. */
function parseValue(tokens: Tokens): string {
  if (tokens.peek() === "" || tokens.peek() === ",") return "";
  const value = tokens.next();
  if (!isWord(value)) throw new SelectorError(`found '${value}', expected: identifier`);
  return value;
}

/** `(a,b)`; a place left empty between commas or parentheses is the empty string. */
function parseSet(tokens: Tokens): readonly string[] {
  const open = tokens.next();
  if (open !== "(") throw new SelectorError(`found '${open}' expected: '('`);
  const values: string[] = [];
  for (let expected = "',', ')' or identifier"; ; expected = "',', or identifier") {
    const value = isWord(tokens.peek()) ? tokens.next() : "";
    values.push(value);
    const separator = tokens.next();
    if (separator === ")") return values;
    if (separator !== ",")
      throw new SelectorError(`found '${separator}', expected: ${value === "" ? expected : "',' or ')'"}`);
  }
}
