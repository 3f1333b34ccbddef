import { expect, test } from "vitest";
import { GAMESERVERS } from "#api/agones/resources.ts";
import { HEALTH_PAUSED_UNTIL_ANNOTATION, isHealthPaused } from "#api/core/health-pause.ts";
import { PODS } from "#api/core/resources.ts";
import { gameServer, openCommandLine } from "#tests/command-line/command-line.ts";

const MINUTE = 60_000;

async function withServer() {
  const line = await openCommandLine();
  await line.client.create(GAMESERVERS, gameServer("arena-1"));
  const server = () => line.client.get(GAMESERVERS, "default", "arena-1");
  return { ...line, server };
}

test("a game server and its Pod are paused for an hour, or for as long as is said, and resumed", async () => {
  const { run, client, server } = await withServer();
  const pod = { name: "arena-1", namespace: "default" };
  await client.create(PODS, {
    apiVersion: "v1",
    kind: "Pod",
    metadata: pod,
    spec: { containers: [{ name: "game", image: "i" }] },
  });
  const { code, out } = await run("pause-health arena-1");
  expect({ code, out }).toEqual({
    code: 0,
    out: expect.stringMatching(/^arena-1: missed health does not count until \S+Z, for 1h0m0s$/),
  });
  for (const object of [await server(), await client.get(PODS, "default", "arena-1")]) {
    expect(isHealthPaused(object, Date.now() + 59 * MINUTE)).toBe(true);
    expect(isHealthPaused(object, Date.now() + 61 * MINUTE)).toBe(false);
  }
  await run("pause-health gameserver.agones.dev/arena-1 --for 5m");
  expect(isHealthPaused(await server(), Date.now() + 6 * MINUTE)).toBe(false);
  expect((await run("pause-health arena-1 --resume")).out).toBe("arena-1: missed health counts again");
  for (const { metadata } of [await server(), await client.get(PODS, "default", "arena-1")])
    expect(metadata.annotations ?? {}).not.toHaveProperty([HEALTH_PAUSED_UNTIL_ANNOTATION]);
  expect((await run("pause-health arena-1 --resume")).out).toBe("arena-1: missed health was not paused");
});

test("a server without a Pod is paused as well", async () => {
  const { run, server } = await withServer();
  expect((await run("pause-health arena-1")).code).toBe(0);
  expect(isHealthPaused(await server(), Date.now())).toBe(true);
});

test("what cannot be paused is told, and nothing is written", async () => {
  const { run, client, server } = await withServer();
  expect(await run("pause-health nope")).toMatchObject({
    code: 1,
    err: 'error: gameservers.agones.dev "nope" not found',
  });
  for (const [wrong, why] of [
    ["0s", "It must be one second or more."],
    ["soon", 'time: invalid duration "soon"'],
  ])
    expect(await run(`pause-health arena-1 --for ${wrong}`)).toMatchObject({
      code: 2,
      err: expect.stringContaining(why ?? ""),
    });
  await client.patch(GAMESERVERS, "default", "arena-1", { type: "merge", patch: { status: { state: "Unhealthy" } } });
  expect(await run("pause-health arena-1")).toMatchObject({
    code: 1,
    err: "error: game server arena-1 is Unhealthy already, and stays so",
  });
  expect((await server()).metadata.annotations ?? {}).not.toHaveProperty([HEALTH_PAUSED_UNTIL_ANNOTATION]);
});
