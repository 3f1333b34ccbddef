import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { logOutput } from "./log-output.ts";
import { createLogger } from "./logger.ts";

test("writes whole lines, one after the other", () => {
  const folder = mkdtempSync(join(tmpdir(), "stadion-log-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const descriptor = openSync(join(folder, "log"), "a");
  const log = createLogger({ source: "a", destination: logOutput(descriptor) });
  const text = "ä".repeat(100_000);
  log.info({ text }, "first");
  log.info({}, "second");
  closeSync(descriptor);
  const lines = readFileSync(join(folder, "log"), "utf8").split("\n").slice(0, -1);
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ message: "first", text }, { message: "second" }]);
});

test.skipIf(!existsSync("/dev/full"))("a full disk, and a file that is closed, cost the line alone", () => {
  const descriptor = openSync("/dev/full", "a");
  const log = createLogger({ source: "a", destination: logOutput(descriptor) });
  log.error({}, "lost");
  closeSync(descriptor);
  expect(() => log.error({}, "lost")).not.toThrow();
});
