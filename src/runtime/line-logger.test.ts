import { expect, test } from "vitest";
import { FakeClock } from "./clock.ts";
import { createLineLogger } from "./line-logger.ts";
import { createLogger, type Logger } from "./logger.ts";

const ERROR = Object.assign(new Error("outer", { cause: new Error("inner") }), { code: "Broken" });

function say(log: Logger): void {
  log.child({ gsKey: "default/a" }).info({ port: 9357 }, "serves");
  log.warn({ error: ERROR, left: undefined }, "failed");
  log.error({ error: "text" }, "said");
}

test("writes the lines that programs with the library write", () => {
  const [ours, theirs]: [string[], string[]] = [[], []];
  say(createLineLogger({ source: "sdk-server", clock: new FakeClock(), write: (line) => void ours.push(line) }));
  say(createLogger({ source: "sdk-server", destination: { write: (line) => void theirs.push(line) } }));
  const read = (lines: readonly string[]) => lines.map((line) => ({ ...JSON.parse(line), time: "" }));
  expect(read(ours)).toEqual(read(theirs));
  expect(ours[0]).toBe(
    '{"severity":"info","time":"2030-01-01T00:00:00.000Z","source":"sdk-server","gsKey":"default/a","port":9357,"message":"serves"}\n',
  );
});

test("writes every severity: whoever wants less filters", () => {
  const lines: string[] = [];
  const log = createLineLogger({ source: "s", clock: new FakeClock(), write: (line) => void lines.push(line) });
  log.trace({}, "a");
  log.debug({ big: 2n ** 63n }, "b");
  expect(lines.map((line) => JSON.parse(line).severity)).toEqual(["trace", "debug"]);
  expect(lines[1]).toContain('"big":9223372036854775808');
});
