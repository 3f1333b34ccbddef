import { expect, test } from "vitest";
import { compilePattern } from "./pattern.ts";

const cases: readonly [pattern: string, matching: readonly string[], other: readonly string[]][] = [
  ["^[a-z0-9]([-a-z0-9]*[a-z0-9])?$", ["a", "a-b"], ["-a", "A", "a\n"]],
  ["(?i)^abc$", ["ABC", "abc"], ["abcd"]],
  ["^a(?i)b|c$", ["aB", "C"], ["AB"]],
  ["^(?i:a)b$", ["Ab"], ["aB"]],
  ["^a.b$", ["a\rb", "a\u2028b", "a🎮b"], ["a\nb"]],
  ["(?s)^a.b$", ["a\nb"], ["ab"]],
  ["(?m)^b$", ["a\nb\nc"], ["ab"]],
  ["\\Aa\\z", ["a"], ["a\n", "ba"]],
  ["^\\s$", [" ", "\t"], ["\u00a0", "\v"]],
  ["^[\\s]\\S[^\\S]$", [" x "], ["\u00a0x "]],
  ["^[\\S]$", ["\u00a0", "x"], [" "]],
  ["^\\d\\w\\-\\_\\@\\:\\/$", ["1a-_@:/"], ["1a-_@:"]],
  ["^[\\w\\-.:]+$", ["a-b.c:d"], ["a b"]],
  ["^[[:alpha:][:digit:]_]+$", ["aZ9_"], ["a-"]],
  ["^[]a]+$", ["]a"], ["[a"]],
  ["^[^]a]$", ["b"], ["]", "a"]],
  ["^[[a]$", ["["], ["]"]],
  ["^a{,2}{$", ["a{,2}{"], ["aa{"]],
  ["^a{2,3}$", ["aa", "aaa"], ["a", "aaaa"]],
  ["^]}$", ["]}"], ["]"]],
  ["^\\pL\\p{Greek}\\PN$", ["aβc"], ["1βc", "aβ1"]],
  ["^\\x{1F3AE}\\x41\\101\\a$", ["🎮AA\x07"], ["🎮AB\x07"]],
  ["^\\Qa.b*\\E$", ["a.b*"], ["aXb"]],
  ["^(?P<year>\\d{4})-(?<month>\\d{2})$", ["2024-01"], ["24-01"]],
  ["^\\{\\}\\$\\(\\)\\[\\]\\^\\|\\*\\+\\?\\\\$", ["{}$()[]^|*+?\\"], [""]],
];

test.for(cases)("%s means what it means in Go", ([pattern, matching, other]) => {
  const compiled = compilePattern(pattern);
  if (!compiled.valid) throw new Error(compiled.fault);
  for (const text of matching) expect([text, compiled.expression.test(text)]).toEqual([text, true]);
  for (const text of other) expect([text, compiled.expression.test(text)]).toEqual([text, false]);
});

test.for([
  "(",
  ")",
  "[a",
  "a\\",
  "(?=a)",
  "(?<!a)b",
  "(a)\\1",
  "\\q",
  "*a",
  "a{1001}",
  "[b-a]",
  "[[:nope:]]",
  "(?U)a*",
  "\\p{Nope}",
])("%s is refused with a reason", (pattern) => {
  const compiled = compilePattern(pattern);
  expect(compiled).toEqual({ valid: false, fault: expect.stringMatching(/./) });
});
