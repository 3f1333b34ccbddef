import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { stadionProgram } from "./reference/commands.ts";

// Plain JavaScript without types, for any Node.
const { takenByNpm }: { takenByNpm(env: NodeJS.ProcessEnv): readonly string[] } = await import(
  new URL("./npm-flags.mjs", import.meta.url).href
);

test.each([
  [["--keep-servers"], ["--keep-servers"]],
  [["--no-quick-start"], ["--no-quick-start"]],
  [
    ["--data-dir", "/nowhere", "--api-port=0"],
    ["--data-dir", "--api-port"],
  ],
  [["--silent", "--", "--keep-servers"], []],
])("npm start %j: npm takes %j for its own", (words, taken) => {
  const folder = mkdtempSync(join(tmpdir(), "stadion-npm-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, "env.mjs"), "console.log(JSON.stringify(process.env))");
  writeFileSync(join(folder, "package.json"), JSON.stringify({ scripts: { start: "node env.mjs" } }));
  const said = execFileSync("npm", ["start", ...words], {
    cwd: folder,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  });
  const env = JSON.parse(said.slice(said.indexOf("{")).split("\n")[0] ?? "");
  expect(takenByNpm(env)).toEqual(taken);
});

test("it knows every option of start, and those before it", async () => {
  const program = await stadionProgram();
  const start = program.commands.find((command) => command.name() === "start");
  const options = [...program.options, ...(start?.options ?? [])].map(
    ({ long }) => long?.replace(/^--no-/, "--") ?? "",
  );
  const everything = new Proxy<NodeJS.ProcessEnv>({}, { get: () => "true" });
  // npm answers --version itself.
  expect(["--version", ...takenByNpm(everything)].toSorted()).toEqual(options.toSorted());
});
