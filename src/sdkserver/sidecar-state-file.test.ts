import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { silentLogger } from "#runtime/logger.ts";
import { openSidecarState } from "./sidecar-state-file.ts";

let folder: string;
let file: string;
let errors: string[];
const log = { ...silentLogger, error: (_fields: object, message: string) => void errors.push(message) };

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "stadion-state-"));
  file = join(folder, "state.json");
  errors = [];
});
afterEach(() => rmSync(folder, { recursive: true }));

test("without a file nothing is kept, and every life is the first", async () => {
  const first = await openSidecarState("", log);
  await first.keep({ ...first.kept, serial: 3 });
  expect(await openSidecarState("", log)).toMatchObject({ resumed: false, kept: { serial: 0, changes: [] } });
});

test("the next life takes up what was kept, and never uses a serial again", async () => {
  const first = await openSidecarState(file, log);
  expect(first).toMatchObject({ resumed: false, kept: { serial: 0, changes: [] } });
  const change = { type: "label", key: "agones.dev/sdk-a", value: "1", serial: 7 } as const;
  await first.keep({ ...first.kept, serial: 7, changes: [change] });
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const second = await openSidecarState(file, log);
  expect(second).toMatchObject({ resumed: true, kept: { id: first.kept.id, changes: [change] } });
  expect(second.kept.serial).toBeGreaterThan(7);
  expect(JSON.parse(readFileSync(file, "utf8")).serial).toBe(second.kept.serial);
});

test.each(["{", "[]", '{"id":1}'])("a damaged file %s is told of and lost; the server goes on", async (content) => {
  writeFileSync(file, content);
  const { resumed, kept } = await openSidecarState(file, log);
  expect(resumed).toBe(true);
  expect(kept.changes).toEqual([]);
  if (content !== "[]") expect(errors).toHaveLength(1);
});

test("a place that cannot be written is told of; the server goes on", async () => {
  const { kept, keep } = await openSidecarState(join(folder, "no", "folder"), log);
  expect(errors).toEqual(["the SDK server cannot keep changes"]);
  await expect(keep(kept)).rejects.toMatchObject({ code: "ENOENT" });
});
