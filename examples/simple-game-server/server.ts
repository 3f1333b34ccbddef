/** A game server for examples and tests: answers text commands over UDP and TCP, and tells its SDK server how it is. */
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { createServer } from "node:net";
import { format, runCommand } from "./commands.ts";
import type { CommandContext } from "./replies.ts";
import { SdkClient } from "./sdk-client.ts";
import type { SdkError } from "./sdk-connection.ts";
import { readSettings, type Settings } from "./settings.ts";

const PING_MS = 2000;
/** Longest datagram or line that is read. */
const MOST_BYTES = 1024;

const log = (message: string): void => console.log(`${new Date().toISOString()} ${message}`);

function fail(error: unknown): never {
  console.error(`${new Date().toISOString()} ${error instanceof Error ? error.message : error}`);
  process.exit(1);
}

async function main(): Promise<void> {
  const settings = readSettings(process.argv.slice(2), process.env);
  process.on("SIGTERM", () => void terminate(settings)).on("SIGINT", () => void terminate(settings));
  const sdk = new SdkClient({ host: "127.0.0.1", port: Number(process.env.AGONES_SDK_HTTP_PORT || 9358) });
  await sdk.ping();
  let away = false;
  const pings = setInterval(async () => {
    try {
      await sdk.ping(0);
      away = false;
    } catch (error) {
      // An SDK server that is away for a while keeps its games; one that refuses a ping does not know this one.
      if ((error as SdkError).code !== "Unreachable") fail(error);
      if (!away) log(`SDK server is away: ${(error as Error).message}`);
      away = true;
    }
  }, PING_MS);

  const context: CommandContext = {
    sdk,
    stopPings: () => clearInterval(pings),
    watch: () => void sdk.watch((gameServer) => log(`GameServer Event: ${JSON.stringify(gameServer)}`)).catch(fail),
    exit: (code) => process.exit(code),
  };
  const port = settings.passthrough ? await passthroughPort(sdk) : settings.port;
  if (settings.tcp) await listenTcp(port, context);
  if (settings.udp) await listenUdp(port, context);
  if (settings.shutdownDelay > 0) followAllocations(settings, sdk);
  if (settings.ready) {
    await pause(settings.readyDelay);
    await sdk.ready();
    log("Ready");
  }
  // Where NODE_COMPILE_CACHE names a folder, the next game servers start from compiled code: half the time.
  process.getBuiltinModule("node:module").flushCompileCache();
}

/** The game server's first port, once it has one. */
async function passthroughPort(sdk: SdkClient): Promise<number> {
  for (;;) {
    const [first] = (await sdk.gameServer()).status.ports;
    if (first) return first.port;
    await pause(0.2);
  }
}

async function listenUdp(port: number, context: CommandContext): Promise<void> {
  const socket = createSocket("udp4", async (datagram, sender) => {
    // Port 0 is forged: nobody can be answered there.
    if (sender.port === 0) return;
    const text = datagram.subarray(0, MOST_BYTES).toString("utf8").trim();
    const reply = await runCommand(text, context).catch(fail);
    socket.send(format(reply, "ACK"), sender.port, sender.address, () => {});
    if (text === "EXIT") context.sdk.shutdown().catch(fail);
  });
  socket.bind(port);
  await once(socket, "listening");
  log(`Listening on UDP port ${port}`);
}

async function listenTcp(port: number, context: CommandContext): Promise<void> {
  const server = createServer(async (socket) => {
    let rest = "";
    socket.setEncoding("utf8").on("error", () => socket.destroy());
    try {
      for await (const chunk of socket as AsyncIterable<string>) {
        const lines = (rest + chunk).split("\n");
        rest = lines.pop() ?? "";
        for (const line of lines) {
          const reply = await runCommand(line.trim(), context).catch(fail);
          socket.write(`${format(reply, "ACK TCP")}\n`);
        }
        if (rest.length > MOST_BYTES) socket.destroy();
      }
    } catch {
      socket.destroy();
    }
  });
  server.listen(port, "0.0.0.0");
  await once(server, "listening");
  log(`Listening on TCP port ${port}`);
}

/** Some time after each allocation the game is over: ready again while iterations are left, else shut down. */
function followAllocations({ shutdownDelay, readyIterations }: Settings, sdk: SdkClient): void {
  let iterations = readyIterations;
  let last: string | undefined;
  const finish = async (): Promise<void> => {
    await pause(shutdownDelay);
    await (iterations > 0 ? sdk.ready() : sdk.shutdown());
  };
  sdk
    .watch(({ object_meta }) => {
      const allocated = object_meta.annotations["agones.dev/last-allocated"];
      if (allocated === undefined || allocated === last) return;
      last = allocated;
      iterations--;
      finish().catch(fail);
    })
    .catch(fail);
}

async function terminate({ terminationDelay }: Settings): Promise<void> {
  log("Received signal, terminating");
  await pause(terminationDelay);
  process.exit(0);
}

const pause = (seconds: number): Promise<void> =>
  seconds > 0 ? new Promise((resolve) => setTimeout(resolve, seconds * 1000)) : Promise.resolve();

main().catch(fail);
