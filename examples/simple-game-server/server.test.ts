import { createSocket } from "node:dgram";
import { once } from "node:events";
import { createServer } from "node:http";
import { afterEach, describe, expect, it } from "vitest";
import { freePort } from "#tests/harness/free-port.ts";
import { play, ready, sayTcp, sayUdp, start } from "./game.fixture.ts";

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

describe("over UDP", () => {
  it("answers every command with its exact reply, and does what it says", async () => {
    const { api, say, state, game } = await play();
    await expect.poll(state, ready).toBe("RequestReady");
    expect(await say("Hello World !")).toBe("ACK: Hello World !\n");
    expect(await say("ready\n")).toBe("ACK: ready\n");
    expect(await say("GAMESERVER")).toBe("NAME: simple\n");

    expect(await say("ALLOCATE")).toBe("ACK: ALLOCATE\n");
    await expect.poll(state).toBe("Allocated");
    expect(await say("READY")).toBe("ACK: READY\n");
    await expect.poll(state).toBe("RequestReady");
    expect(await say("RESERVE 0")).toBe("ACK: RESERVE 0\n");
    await expect.poll(state).toBe("Reserved");
    expect(api.stored?.status?.reservedUntil).toBeUndefined();
    expect(await say("RESERVE 1m30s")).toBe("ACK: RESERVE 1m30s\n");
    await expect.poll(() => api.stored?.status?.reservedUntil).toBeTruthy();
    expect(await say("RESERVE")).toBe("ERROR: Invalid RESERVE, should have 1 argument\n");
    expect(await say("RESERVE soon")).toBe('ERROR: time: invalid duration "soon"\n\n');

    expect(await say("LABEL")).toBe("ACK: LABEL\n");
    expect(await say("LABEL available true")).toBe("ACK: LABEL available true\n");
    expect(await say("LABEL x")).toBe("ERROR: Invalid LABEL command, must use zero or 2 arguments\n");
    expect(await say("ANNOTATION")).toBe("ACK: ANNOTATION\n");
    expect(await say("ANNOTATION map de_dust")).toBe("ACK: ANNOTATION map de_dust\n");
    expect(await say("ANNOTATION a b c")).toBe("ERROR: Invalid ANNOTATION command, must use zero or 2 arguments\n");
    await expect
      .poll(() => api.stored?.metadata)
      .toMatchObject({
        labels: { "agones.dev/sdk-timestamp": expect.stringMatching(/^\d{10}$/), "agones.dev/sdk-available": "true" },
        annotations: {
          "agones.dev/sdk-timestamp": expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d+ \+0000 UTC$/),
          "agones.dev/sdk-map": "de_dust",
        },
      });

    expect(await say("WATCH")).toBe("ACK: WATCH\n");
    await expect.poll(game.output).toContain('GameServer Event: {"object_meta":{"name":"simple"');

    expect(await say("EXIT")).toBe("ACK: EXIT\n");
    await expect.poll(state).toBe("Shutdown");
    expect(await say("still here")).toBe("ACK: still here\n");
    game.process.kill("SIGTERM");
    expect(await game.exit).toBe(0);
  });

  it.each([
    ["CRASH", 1],
    ["CRASH 0", 0],
    ["CRASH 7", 7],
    ["CRASH x", 1],
  ])("%s ends the process with %i and no reply", async (text, code) => {
    const { port, state, game } = await play();
    await expect.poll(state, ready).toBe("RequestReady");
    const socket = createSocket("udp4");
    ends.push(() => socket.close());
    let replies = 0;
    socket.on("message", () => replies++);
    socket.send(text, port, "127.0.0.1");
    expect(await game.exit).toBe(code);
    expect(replies).toBe(0);
  });

  it("keeps its server healthy until UNHEALTHY", async () => {
    const { say, state, sdk, api } = await play(["--ready=false"]);
    api.write({ metadata: {}, status: { state: "Ready" } });
    expect(await say("UNHEALTHY")).toBe("ACK: UNHEALTHY\n");
    await sdk.probe(8080, "/gshealthz");
    await expect.poll(state, ready).toBe("Unhealthy");
  });

  it("ends when the SDK refuses a call", async () => {
    const { port, state, game } = await play();
    await expect.poll(state, ready).toBe("RequestReady");
    const socket = createSocket("udp4");
    ends.push(() => socket.close());
    socket.send("LABEL a/b c", port, "127.0.0.1");
    expect(await game.exit).toBe(1);
    expect(game.output()).toContain(
      'could not set label: rpc error: code = InvalidArgument desc = invalid label key "a/b": ',
    );
  });
});

describe("over TCP", () => {
  it("answers each line, with one more line end", async () => {
    const { port, state } = await play(["--tcp"]);
    await expect.poll(state, ready).toBe("RequestReady");
    expect(await sayTcp(port, "Hello World !\n")).toBe("ACK TCP: Hello World !\n\n");
    expect(await sayTcp(port, "GAMESERVER\n")).toBe("NAME: simple\n\n");
    expect(await sayTcp(port, "RESERVE\n")).toBe("ERROR: Invalid RESERVE, should have 1 argument\n\n");
    expect(await sayTcp(port, "EXIT\n")).toBe("ACK TCP: EXIT\n\n");
    expect(state()).toBe("RequestReady");
    expect(await sayUdp(port, "both")).toBe("ACK: both\n");
  });
});

describe("settings", () => {
  it("wait before Ready, and serve meanwhile", async () => {
    const { say, state } = await play(["-readyDelaySec=2"]);
    expect(await say("here")).toBe("ACK: here\n");
    expect(state()).toBe("Scheduled");
    await expect.poll(state, ready).toBe("RequestReady");
  });

  it("serve on for a while after being told to end", async () => {
    const { say, game } = await play(["--gracefulTerminationDelaySec", "2"]);
    expect(await say("here")).toBe("ACK: here\n");
    game.process.kill("SIGTERM");
    await expect.poll(game.output).toContain("Received signal");
    expect(await say("GAMESERVER")).toBe("NAME: simple\n");
    expect(await game.exit).toBe(0);
  });

  it("leave out UDP", async () => {
    const { port, state } = await play(["-udp=false"], { TCP: "True" });
    await expect.poll(state, ready).toBe("RequestReady");
    expect(await sayTcp(port, "here\n")).toBe("ACK TCP: here\n\n");
    const socket = createSocket("udp4");
    ends.push(() => socket.close());
    // The port is free.
    socket.bind(port);
    await once(socket, "listening");
  });

  it("shut down some time after an allocation", async () => {
    const { say, state } = await play(["-automaticShutdownDelaySec=1", "-readyIterations", "2"]);
    await expect.poll(state, ready).toBe("RequestReady");
    await say("ALLOCATE");
    await expect.poll(state).toBe("Allocated");
    await expect.poll(state, ready).toBe("RequestReady");
    await say("ALLOCATE");
    await expect.poll(state, ready).toBe("Shutdown");
  });

  it("take the port of the game server's status with passthrough", async () => {
    const { api, game } = await play([], { PASSTHROUGH: "TRUE" });
    const port = await freePort();
    api.write({ status: { state: "Scheduled", ports: [{ name: "default", port }] } });
    expect(await sayUdp(port, "here")).toBe("ACK: here\n");
    expect(game.output()).toContain(`Listening on UDP port ${port}`);
  });

  it.each([
    [["--nope"], "unknown flag --nope"],
    [["--port=x"], 'port must be a whole number, not "x"'],
    [["-readyIterations=2"], "readyIterations needs automaticShutdownDelaySec"],
    [
      ["-automaticShutdownDelaySec=1", "-automaticShutdownDelayMin=1"],
      "automaticShutdownDelaySec and automaticShutdownDelayMin cannot both be given",
    ],
  ])("refuse %j", async (args, message) => {
    const game = start(args, {});
    expect(await game.exit).toBe(1);
    expect(game.output()).toContain(message);
  });
});

it("outlives its SDK server, and finds it again", async () => {
  const pings: string[] = [];
  const listen = (port: number) => {
    const server = createServer((request, response) => {
      pings.push(request.url ?? "");
      request.resume().on("end", () => response.end("{}"));
    }).listen(port, "127.0.0.1");
    ends.push(
      () => server.closeAllConnections(),
      () => server.close(),
    );
    return once(server, "listening").then(() => server);
  };
  const port = await freePort();
  const first = await listen(port);
  const game = start([], { PORT: String(await freePort()), AGONES_SDK_HTTP_PORT: String(port) });
  await expect.poll(() => pings, ready).toContain("/ready");
  first.close();
  first.closeAllConnections();
  await expect.poll(() => first.listening).toBe(false);
  await expect.poll(game.output, ready).toContain("SDK server is away");
  pings.length = 0;
  await listen(port);
  await expect.poll(() => pings, ready).toContain("/health");
  expect(game.process.exitCode).toBeNull();
});
