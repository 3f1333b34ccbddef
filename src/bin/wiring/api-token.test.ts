import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { apiToken } from "./api-token.ts";

function dataFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "stadion-token-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

test("a token that nobody guesses is made once, for its owner's eyes", async () => {
  const folder = dataFolder();
  const token = await apiToken(folder);
  expect(token).toMatch(/^[\w-]{43}$/);
  expect(readFileSync(join(folder, "token"), "utf8")).toBe(token);
  expect(statSync(join(folder, "token")).mode & 0o777).toBe(0o600);
  expect(await apiToken(folder)).toBe(token);
  expect(await apiToken(dataFolder())).not.toBe(token);
});

test("an empty file asks nobody for anything: a token is made", async () => {
  const folder = dataFolder();
  writeFileSync(join(folder, "token"), "\n");
  expect(await apiToken(folder)).toMatch(/^[\w-]{43}$/);
});

test("what no request could carry is told, and left alone", async () => {
  const folder = dataFolder();
  writeFileSync(join(folder, "token"), "hello there\n");
  await expect(apiToken(folder)).rejects.toMatchObject({
    code: "InvalidConfig",
    message: expect.stringContaining(`${join(folder, "token")} holds no token`),
  });
  expect(readFileSync(join(folder, "token"), "utf8")).toBe("hello there\n");
});
