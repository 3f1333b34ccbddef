/**
 * Starts a program COUNT times in a bare loop and prints how many milliseconds passed until each copy has said that it is ready.
 * Arguments: program, count, first port, folder for their logs. Ends them all, and then itself, when its standard input ends.
 */
import { spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";

const [program = "", count = "", firstPort = "", folder = ""] = process.argv.slice(2);
const children = [];
let ready = 0;
let started = 0;
const server = createServer((request, response) => {
  request.resume().on("end", () => {
    response.end("{}");
    if (++ready === Number(count)) console.log(performance.now() - started);
  });
});
server.listen(0, "127.0.0.1", () => {
  const sdk = String(server.address().port);
  started = performance.now();
  for (let number = 0; number < Number(count); number++) {
    const log = openSync(join(folder, `${number}.log`), "a");
    const env = { PORT: String(Number(firstPort) + number), AGONES_SDK_HTTP_PORT: sdk };
    children.push(spawn(program, [], { detached: true, env, stdio: ["ignore", log, log] }));
    closeSync(log);
  }
});
process.stdin.resume().on("end", () => {
  for (const child of children) child.kill("SIGKILL");
  process.exit();
});
