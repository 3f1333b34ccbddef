/** The simple game server as a process, with a real SDK server over an API with one object. */
import { type ChildProcess, spawn } from "node:child_process";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { connect } from "node:net";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { GameServerStatus } from "#api/agones/gameserver.ts";
import { FakeEventRecorder } from "#kube/fake-event-recorder.ts";
import { systemClock } from "#runtime/clock.ts";
import { silentLogger } from "#runtime/logger.ts";
import { FakeGameServerApi, gameServer } from "#sdkserver/fake-gameserver-api.ts";
import { createSdkServers, type SdkServersOptions } from "#sdkserver/shared-server.ts";
import { freePort } from "#tests/harness/free-port.ts";

export interface Game {
  readonly process: ChildProcess;
  readonly exit: Promise<number | null>;
  output(): string;
}

/** Starts the program as its manifest would; it ends with the test. */
export function start(args: readonly string[], environment: Readonly<Record<string, string>>): Game {
  const child = spawn(process.execPath, [join(import.meta.dirname, "server.ts"), ...args], {
    env: { PATH: process.env.PATH, ...environment },
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream?.setEncoding("utf8").on("data", (text) => (output += text));
  const exit = once(child, "exit").then(([code]) => code as number | null);
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await exit;
  });
  return { process: child, exit, output: () => output };
}

/** A game with a real SDK server over an API with one object. */
export async function play(
  args: readonly string[] = [],
  environment: Readonly<Record<string, string>> = {},
  { status = {}, gates = "" }: { readonly status?: Partial<GameServerStatus>; readonly gates?: string } = {},
) {
  const api = new FakeGameServerApi(
    gameServer({ state: "Scheduled", ...status }, { health: { periodSeconds: 1, failureThreshold: 1 } }),
  );
  const servers = createSdkServers({
    source: api,
    client: api as SdkServersOptions["client"],
    recorder: new FakeEventRecorder(),
    clock: systemClock,
    log: silentLogger,
  });
  const context = {
    pod: { apiVersion: "v1", kind: "Pod", metadata: {}, spec: { containers: [] } },
    environment: {
      GAMESERVER_NAME: "simple",
      POD_NAMESPACE: "default",
      REQUEST_RATE_LIMIT: "1ms",
      FEATURE_GATES: gates,
    },
    args: [],
    saved: undefined,
    save: async () => {},
  };
  const sdk = await servers.start(context);
  onTestFinished(() => sdk.stop());
  const port = await freePort();
  const game = start(args, { PORT: String(port), ...sdk.environment, ...environment });
  return { api, sdk, port, game, state: () => api.stored?.status?.state, say: (text: string) => sayUdp(port, text) };
}

/** Says a command, and repeats it until answered: the game may not listen yet. */
export async function sayUdp(port: number, text: string): Promise<string> {
  const socket = createSocket("udp4");
  const answer = once(socket, "message").then(([message]) => String(message));
  const repeat = setInterval(() => socket.send(text, port, "127.0.0.1"), 1000);
  socket.send(text, port, "127.0.0.1");
  try {
    return await answer;
  } finally {
    clearInterval(repeat);
    socket.close();
  }
}

export async function sayTcp(port: number, text: string): Promise<string> {
  const socket = connect(port, "127.0.0.1").setEncoding("utf8");
  socket.write(text);
  const [answer] = await once(socket, "data");
  socket.destroy();
  return answer;
}

/** How long a game may take to start. */
export const ready = { timeout: 15_000 };
