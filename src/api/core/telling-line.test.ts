import { expect, test } from "vitest";
import { tellingLine } from "./telling-line.ts";

test.each([
  ["a shell", "starting\nno config file\n", "no config file"],
  [
    "Node",
    'file:///game.mjs:3\nthrow new TypeError("no map");\n      ^\n\nTypeError: no map\n    at file:///game.mjs:3:7\n\nNode.js v26.3.0',
    "TypeError: no map",
  ],
  [
    "Python",
    'Traceback (most recent call last):\n  File "game.py", line 1, in <module>\nmodule.MapError: no map',
    "module.MapError: no map",
  ],
  ["Go", "panic: no map\n\ngoroutine 1 [running]:\nmain.main()\n\t/game.go:4\nexit status 2", "panic: no map"],
  [
    ".NET",
    "Unhandled exception. System.Exception: no map\n   at Game.Main()",
    "Unhandled exception. System.Exception: no map",
  ],
  [
    "Java",
    'Exception in thread "main" java.lang.Exception: no map\n\tat Game.main(Game.java:3)',
    'Exception in thread "main" java.lang.Exception: no map',
  ],
  ["a game that logs its errors", "ERROR no config file\nbye", "ERROR no config file"],
  ["nobody", "\n \n", ""],
])("of what %s wrote last one line is told", (_name, text, line) => {
  expect(tellingLine(text)).toBe(line);
});

test("a long line is cut", () => {
  expect(tellingLine("x".repeat(1000))).toBe(`${"x".repeat(200)}…`);
});
