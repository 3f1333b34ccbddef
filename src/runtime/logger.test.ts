import { expect, test } from "vitest";
import { createLogger } from "./logger.ts";

function logged(use: (log: ReturnType<typeof createLogger>) => void, level?: "debug" | "info") {
  const lines: string[] = [];
  use(createLogger({ source: "controller", level, destination: { write: (line) => void lines.push(line) } }));
  return lines.map((line) => JSON.parse(line));
}

test("writes one object a line with time, severity, source and message", () => {
  const [line] = logged((log) => log.child({ controller: "fleet" }).info({ key: "ns/a" }, "created"));
  expect(line).toEqual({
    time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
    severity: "info",
    source: "controller",
    controller: "fleet",
    key: "ns/a",
    message: "created",
  });
});

test("writes a foreseen error with its code and cause, and any other with its stack", () => {
  const error = Object.assign(new Error("outer", { cause: new Error("inner") }), { code: "Broken" });
  const [line] = logged((log) => log.error({ error }, "failed"));
  expect(line.error).toEqual({
    name: "Error",
    message: "outer",
    code: "Broken",
    cause: { name: "Error", message: "inner", stack: expect.stringContaining("logger.test.ts") },
  });
});

test("leaves out what is below its level", () => {
  expect(logged((log) => log.debug({}, "no"))).toEqual([]);
  expect(logged((log) => log.debug({}, "yes"), "debug")).toHaveLength(1);
});
