import { expect, test } from "vitest";
import { duration, integer, oneOf, text } from "./config.ts";
import { answerOf } from "./program.ts";

const program = {
  name: "referee",
  about: "Decides who has won.",
  options: {
    "num-workers": integer({ default: 64, min: 1, help: "how many at once" }),
    "wait-time": duration({ default: 90_000, help: "how long a match may last" }),
    mood: oneOf(["kind", "strict"], { default: "kind", help: "how fouls are seen" }),
    whistle: text({ default: "", help: "what is blown" }),
  },
};
const asked = (...argv: readonly string[]) => answerOf(program, argv, "1.2.3");

test("help tells every flag with its variable, its default, its meaning and what a value must be", () => {
  expect(asked("--help")).toBe(`Decides who has won.

Usage: referee [--FLAG=VALUE]…

Flags, each with the environment variable that means the same; a flag wins over its variable:

  --num-workers, NUM_WORKERS (default 64)
      how many at once; an integer of at least 1
  --wait-time, WAIT_TIME (default 1m30s)
      how long a match may last; a duration such as 500ms or 1m30s
  --mood, MOOD (default kind)
      how fouls are seen; one of kind, strict
  --whistle, WHISTLE
      what is blown
  --help
      say this
  --version
      say which version this is`);
});

test("help is given wherever it is asked for, even beside wrong flags", () => {
  expect(asked("--nonsense", "-h")).toBe(asked("--help"));
  expect(asked("--version", "--help")).toBe(asked("--help"));
});

test("the version is told alone; nothing when nothing is asked", () => {
  expect(asked("--version")).toBe("1.2.3");
  expect(asked("--num-workers=3")).toBeUndefined();
});
