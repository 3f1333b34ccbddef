/**
 * Regular expressions of schemas. They are written for Go's RE2 syntax and run here as JavaScript ones.
 *
 * Translated: flags (`(?i)`, `(?s:…)`), `\A` and `\z`, `\Q…\E`, `\x{…}`, octal and `\a` escapes, POSIX classes, `\pL`,
 * `(?P<name>…)`, escaped punctuation, and literal brackets and braces. `.` stops at a newline only, and `\s` is ASCII, as in Go.
 * Different: a JavaScript expression may take exponential time where RE2 is linear, the `U` flag and `\C` are refused, and
 * scripts inside `\p{…}` must be known to JavaScript. Look-around and back references, which Go refuses, are refused too.
 */
export type CompiledPattern =
  | { readonly valid: true; readonly expression: RegExp }
  | { readonly valid: false; readonly fault: string };

export function compilePattern(pattern: string): CompiledPattern {
  try {
    return { valid: true, expression: new RegExp(new Translation(pattern).run(), "u") };
  } catch (error) {
    return {
      valid: false,
      fault: `error parsing regexp: ${error instanceof Error ? error.message : error}: \`${pattern}\``,
    };
  }
}

const POSIX: Readonly<Record<string, string>> = {
  alnum: "0-9A-Za-z",
  alpha: "A-Za-z",
  ascii: "\\x00-\\x7F",
  blank: "\\t ",
  cntrl: "\\x00-\\x1F\\x7F",
  digit: "0-9",
  graph: "!-~",
  lower: "a-z",
  print: " -~",
  punct: "!-\\/:-@\\[-`\\{-~",
  space: "\\t\\n\\v\\f\\r ",
  upper: "A-Z",
  word: "0-9A-Za-z_",
  xdigit: "0-9A-Fa-f",
};
/** What the negated POSIX classes and `\S` leave, for use inside another class. */
const SPACE = "\\t\\n\\f\\r ";
const NOT_SPACE = "\\0-\\x08\\x0B\\x0E-\\x1F\\x21-\\u{10FFFF}";
const SYNTAX = /[\^$\\.*+?()[\]{}|/]/;

class Translation {
  readonly #source: string;
  #at = 0;
  /** Whether `.` matches a newline, one entry for each open group. */
  #dotAll: boolean[] = [false];
  /** Flags set in the middle of a group, which hold to its end: a group of their own for each, still to be closed. */
  #flags: string[][] = [[]];

  constructor(source: string) {
    this.#source = source;
  }

  run(): string {
    let out = "";
    while (this.#at < this.#source.length) out += this.#next();
    if (this.#dotAll.length !== 1) throw new SyntaxError("missing closing )");
    return out + ")".repeat(this.#flags[0]?.length ?? 0);
  }

  #next(): string {
    const char = this.#take();
    switch (char) {
      case "\\":
        return this.#escape(false);
      case "[":
        return this.#class();
      case "(":
        return this.#group();
      case ")":
        return this.#close();
      case ".":
        return this.#dotAll.at(-1) ? "[^]" : "[^\\n]";
      case "{":
        return this.#repeat();
      case "}":
      case "]":
      case "/":
        return `\\${char}`;
      case "|":
        return this.#alternative();
      default:
        return char;
    }
  }

  #take(): string {
    const char = String.fromCodePoint(this.#source.codePointAt(this.#at) ?? 0);
    this.#at += char.length;
    return char;
  }

  #match(expression: RegExp): RegExpExecArray | null {
    expression.lastIndex = this.#at;
    const found = expression.exec(this.#source);
    if (found) this.#at = expression.lastIndex;
    return found;
  }

  #repeat(): string {
    const found = this.#match(/(\d+)(,(\d*))?\}/y);
    if (!found) return "\\{";
    if (Number(found[1]) > 1000 || Number(found[3] ?? 0) > 1000) throw new SyntaxError("invalid repeat count");
    return `{${found[0]}`;
  }

  #group(): string {
    if (this.#source[this.#at] !== "?") return this.#open("(", this.#dotAll.at(-1) ?? false);
    const named = this.#match(/\?P?<([A-Za-z_]\w*)>/y);
    if (named) return this.#open(`(?<${named[1]}>`, this.#dotAll.at(-1) ?? false);
    const flags = this.#match(/\?([ims]*)(?:-([ims]+))?([:)])/y);
    if (!flags) throw new SyntaxError("invalid or unsupported Perl syntax: `(?`");
    const [, on = "", off = "", end] = flags;
    const dotAll = on.includes("s") || ((this.#dotAll.at(-1) ?? false) && !off.includes("s"));
    const rest = `${on.replace("s", "")}${off.replace("s", "") && `-${off.replace("s", "")}`}`;
    if (end === ":") return this.#open(`(?${rest}:`, dotAll);
    this.#dotAll[this.#dotAll.length - 1] = dotAll;
    if (rest === "") return "";
    this.#flags.at(-1)?.push(rest);
    return `(?${rest}:`;
  }

  /** Flags hold across `|`: their groups are closed before it and opened again behind it. */
  #alternative(): string {
    const flags = this.#flags.at(-1) ?? [];
    return `${")".repeat(flags.length)}|${flags.map((each) => `(?${each}:`).join("")}`;
  }

  #open(text: string, dotAll: boolean): string {
    this.#dotAll.push(dotAll);
    this.#flags.push([]);
    return text;
  }

  #close(): string {
    if (this.#dotAll.length === 1) throw new SyntaxError("unexpected )");
    this.#dotAll.pop();
    return ")".repeat(1 + (this.#flags.pop()?.length ?? 0));
  }

  #escape(inClass: boolean): string {
    if (this.#at >= this.#source.length) throw new SyntaxError("trailing backslash at end of expression");
    const wide = this.#match(/x\{([0-9A-Fa-f]+)\}/y);
    if (wide) return `\\u{${wide[1]}}`;
    const octal = this.#match(/0[0-7]{0,2}|[1-7][0-7]{1,2}/y);
    if (octal) return codePoint(Number.parseInt(octal[0], 8));
    const property = this.#match(/([pP])(?:\{(\^?)(\w+)\}|(\w))/y);
    if (property) return unicodeProperty(property);
    if (!inClass) {
      const quoted = this.#match(/Q([\s\S]*?)(?:\\E|$)/y);
      if (quoted) return [...(quoted[1] ?? "")].map(literal).join("");
    }
    const char = this.#take();
    if (char === "s") return inClass ? SPACE : `[${SPACE}]`;
    if (char === "S") return inClass ? NOT_SPACE : `[^${SPACE}]`;
    if (char === "a") return "\\x07";
    if (char === "A" && !inClass) return "(?<![^])";
    if (char === "z" && !inClass) return "(?![^])";
    if (/[dDwWtnrfvx]/.test(char) || (/[bB]/.test(char) && !inClass)) return `\\${char}`;
    if (/[A-Za-z0-9]/.test(char)) throw new SyntaxError(`invalid escape sequence: \`\\${char}\``);
    return literal(char);
  }

  #class(): string {
    let out = "[";
    if (this.#match(/\^/y)) out += "^";
    // A bracket that comes first is a member, not the end.
    if (this.#match(/\]/y)) out += "\\]";
    for (;;) {
      if (this.#at >= this.#source.length) throw new SyntaxError("missing closing ]");
      const posix = this.#match(/\[:(\^?)(\w+):\]/y);
      if (posix) {
        out += posixClass(posix);
        continue;
      }
      const char = this.#take();
      if (char === "]") return `${out}]`;
      out += char === "\\" ? this.#escape(true) : char === "[" ? "\\[" : char;
    }
  }
}

/** A character that stands for itself, inside a class or out. */
function literal(char: string): string {
  return SYNTAX.test(char) ? `\\${char}` : char === "-" ? codePoint(45) : char;
}

const codePoint = (value: number): string => `\\u{${value.toString(16)}}`;

function unicodeProperty([, sign = "", negated, name = "", letter = ""]: RegExpExecArray): string {
  const kind = (sign === "P") !== (negated === "^") ? "P" : "p";
  const property = letter || name;
  return property.length <= 2 ? `\\${kind}{${property}}` : `\\${kind}{Script=${property}}`;
}

function posixClass([all, negated, name = ""]: RegExpExecArray): string {
  const members = POSIX[name];
  if (members === undefined || negated) throw new SyntaxError(`invalid character class range: \`${all}\``);
  return members;
}
