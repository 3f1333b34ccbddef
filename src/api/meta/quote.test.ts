import { expect, test } from "vitest";
import { quoted } from "./quote.ts";

test.each([
  ["", '""'],
  ["duel", '"duel"'],
  ['a "b" \\ c', '"a \\"b\\" \\\\ c"'],
  ["\u0007\b\f\n\r\t\v", '"\\a\\b\\f\\n\\r\\t\\v"'],
  ["\u0000\u0001\u007f", '"\\x00\\x01\\x7f"'],
  ["é 名 😀 e\u0301", '"é 名 😀 e\u0301"'],
  ["\u0085\u00a0\u00ad\u200b\u2028\u3000\ufeff\ue000", '"\\u0085\\u00a0\\u00ad\\u200b\\u2028\\u3000\\ufeff\\ue000"'],
  ["\u{e0001}", '"\\U000e0001"'],
  ["<b> & 'c' `d`", "\"<b> & 'c' `d`\""],
  ["\ud800", '"\ufffd"'],
])("%j is quoted as Go quotes it", (text, written) => {
  expect(quoted(text)).toBe(written);
});
