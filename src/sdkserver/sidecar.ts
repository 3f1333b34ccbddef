/** The SDK server of one Pod on Kubernetes: one watch on its own GameServer, the ports games know, and the probes of the kubelet. */
import { createServer, type Server } from "node:http";
import type { FeatureGates } from "#api/agones/feature-gates.ts";
import type { GameServer } from "#api/agones/gameserver.ts";
import { GAMESERVERS } from "#api/agones/resources.ts";
import type { Client } from "#kube/client.ts";
import { createEventRecorder } from "#kube/event-recorder.ts";
import type { Informer } from "#kube/informer.ts";
import { createInformer } from "#kube/shared-informer.ts";
import type { Clock } from "#runtime/clock.ts";
import { listen } from "#runtime/http/listen.ts";
import type { Logger } from "#runtime/logger.ts";
import { aborted, type Runnable, runGroups } from "#runtime/runnable.ts";
import { SdkDoors } from "./doors.ts";
import { GameServerSession } from "./game-server-session.ts";
import { informerSource, trimGameServer } from "./game-server-source.ts";
import { answerProbe } from "./health-probe.ts";
import { SidecarEnd } from "./sidecar-end.ts";
import { openSidecarState } from "./sidecar-state-file.ts";

export interface SidecarOptions {
  readonly namespace: string;
  readonly name: string;
  readonly gates: FeatureGates;
  /** Least time between two writes, in milliseconds. */
  readonly intervalMs: number;
  /** Where games reach it; empty for all interfaces. */
  readonly host: string;
  readonly grpcPort: number;
  readonly httpPort: number;
  /** On all interfaces: the kubelet asks from outside the Pod. */
  readonly healthPort: number;
  /** Goes on after being told to end, until the game has asked for Shutdown: for Pods whose containers are all told at once. */
  readonly outlivesSignal: boolean;
  /** Where changes that wait are kept for the next life; empty for nowhere. */
  readonly stateFile: string;
  readonly client: Client;
  readonly clock: Clock;
  readonly log: Logger;
  readonly random?: () => number;
}

/** There is nothing to serve, or the end came before it was known. The Pod's restart policy starts it again. */
export class SidecarError extends Error {
  override readonly name = "SidecarError";
  readonly code: "NoGameServer" | "NeverConnected";

  constructor(code: SidecarError["code"], message: string) {
    super(message);
    this.code = code;
  }
}

/** How long the end waits for what the game asked for last. */
const STOP_BUDGET_MS = 1000;
/** The list, a patch, and an event; the watch has a connection of its own. */
export const SIDECAR_CONNECTIONS = 2;

/**
 * Serves until `told` aborts and the game may be left, or `forced` aborts. Rejects with `SidecarError`, with `PortInUseError` for a
 * port that games know, and with the first failure of a part.
 */
export async function runSidecar(options: SidecarOptions, told: AbortSignal, forced: AbortSignal): Promise<void> {
  const { client, namespace, name, clock, log } = options;
  const watch = { namespace, fieldSelector: `metadata.name=${name}`, transform: trimGameServer, clock, log };
  const informer = createInformer(client, GAMESERVERS, watch);
  const recorder = createEventRecorder(client, { component: "gameserver-sidecar", clock, log });
  const source = informerSource(informer);
  const state = await openSidecarState(options.stateFile, log);
  const end = new SidecarEnd({ ...options, source });
  const session = new GameServerSession({
    ...options,
    ...state,
    random: options.random ?? Math.random,
    source,
    writer: client,
    recorder,
    onAsked: (asked) => end.ask(asked),
  });
  const serving = Promise.withResolvers<void>();
  const server: Runnable = {
    name: "SDK server",
    run: async (signal) => {
      session.start();
      const close = await open(session, options);
      serving.resolve();
      try {
        await Promise.race([found(informer, options), aborted(signal)]);
        await aborted(signal);
        if (!informer.synced) throw new SidecarError("NeverConnected", "told to end before the API server answered");
        if (options.outlivesSignal) await end.reached(forced);
      } finally {
        await session.stop(STOP_BUDGET_MS);
        await close();
      }
    },
  };
  // Games may call before the GameServer is known: what they ask for waits. So the ports come first, then the way to the API server.
  const watching: Runnable = {
    name: informer.name,
    run: async (signal) => {
      await Promise.race([serving.promise, aborted(signal)]);
      await informer.run(signal);
    },
  };
  await runGroups([[watching, recorder], [server]], told, log);
}

/** Resolves once the GameServer is known; rejects when there is none. */
async function found(informer: Informer<GameServer>, { namespace, name, log }: SidecarOptions): Promise<void> {
  await informer.ready();
  if (!informer.lister.get(`${namespace}/${name}`))
    throw new SidecarError("NoGameServer", `there is no GameServer ${namespace}/${name}`);
  log.info({}, "GameServer is known");
}

/** Opens all ports; resolves with what closes them. */
async function open(session: GameServerSession, options: SidecarOptions): Promise<() => Promise<void>> {
  const { host, grpcPort, httpPort, healthPort, gates, clock, log, random = Math.random } = options;
  const doors = new SdkDoors({ host, portRange: { first: 0, last: 0 }, clock, random });
  const pair = await doors.open({ session, gates, ports: { grpcPort, httpPort } });
  const health = createServer((request, response) => {
    const { status, body } = answerProbe(session, (request.url ?? "").replace(/\?.*/s, ""));
    response.writeHead(status, { "content-type": "text/plain; charset=utf-8" }).end(body);
  });
  // Without it the kubelet ends us after a while; the game is better off with us until then.
  await listen(health, { port: healthPort }).catch((error: unknown) =>
    log.error({ error, healthPort }, "the health port cannot be bound"),
  );
  log.info({ grpcPort: pair.grpcPort, httpPort: pair.httpPort, healthPort: portOf(health) }, "SDK server serves");
  return async () => {
    health.close();
    health.closeAllConnections();
    await pair.close();
  };
}

function portOf(server: Server): number | undefined {
  const address = server.address();
  return typeof address === "object" ? address?.port : undefined;
}
