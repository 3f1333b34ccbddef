import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, test } from "vitest";

test("a program goes on when nobody reads its output any more, whatever writes there", async () => {
  const script = `
    const { runProgram } = await import(${JSON.stringify(new URL("./program.ts", import.meta.url).href)});
    const { createLogger } = await import(${JSON.stringify(new URL("../../runtime/logger.ts", import.meta.url).href)});
    runProgram({ name: "a", about: "b", options: {} }, async () => {
      process.emitWarning("first");
      await new Promise((resolve) => process.stdin.once("end", resolve).resume());
      for (let times = 0; times < 2; times++) {
        console.log("a");
        console.error("b");
        createLogger({ source: "c" }).info({}, "d");
        process.emitWarning("e");
        await new Promise((resolve) => setTimeout(resolve));
      }
    });`;
  const program = spawn(process.execPath, ["--input-type=module", "-e", script], { cwd: import.meta.dirname });
  await once(program.stderr, "data");
  program.stdout.destroy();
  program.stderr.destroy();
  program.stdin.end();
  expect(await once(program, "exit")).toEqual([0, null]);
});
