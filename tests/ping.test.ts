/** The ping service as a program of its own. */
import { join } from "node:path";
import { expect, test } from "vitest";
import { askUdp } from "./harness/ask.ts";
import { ROOT } from "./harness/cluster.ts";
import { Program, run } from "./harness/program.ts";

const PROGRAM = join(ROOT, "dist", "ping.mjs");

async function start(flags: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const program = new Program(process.execPath, [PROGRAM, "--http-port=0", "--udp-port=0", ...flags], { env });
  await program.prints(/ping serves/);
  const { httpPort, udpPort } = JSON.parse(program.out.split("\n").find((line) => line.includes("ping serves")) ?? "");
  return { program, url: `http://127.0.0.1:${httpPort}`, udp: { address: "127.0.0.1", port: udpPort } };
}

test("answers ok and sends datagrams back, and ends with 0 when it is told to", async () => {
  const { program, url, udp } = await start([]);
  await using _ = program;
  const response = await fetch(`${url}/`);
  expect([response.status, await response.text()]).toEqual([200, "ok"]);
  expect(await askUdp(udp, "hello")).toBe("hello");
  expect(await (await fetch(`${url}/live?full=1`)).json()).toEqual({ "udp-server": "OK" });
  program.signal("SIGTERM");
  expect((await program.ended).code).toBe(0);
});

test("takes text and limit from its environment, and flags win over them", async () => {
  const { program, url, udp } = await start(["--udp-rate-limit=1"], { HTTP_RESPONSE: "here", UDP_RATE_LIMIT: "0" });
  await using _ = program;
  expect(await (await fetch(url)).text()).toBe("here");
  expect(await askUdp(udp, "hello")).toBe("hello");
});

test.each([
  ["--udp-rate-limit=-1", "UDP Rate limit must be greater that or equal to zero"],
  ["--udp-rate-limit=fast", '--udp-rate-limit must be a number, but is "fast"'],
  ["--feature-gates=Nonsense=true", "Nonsense"],
])("does not start with %s", async (flag, message) => {
  const { code, err } = await run(process.execPath, [PROGRAM, flag]);
  expect(code).toBe(1);
  expect(JSON.parse(err).message).toContain(message);
});
