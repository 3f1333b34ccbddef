/** The node agent of a machine: runs game servers as processes, and their SDK server in itself. */
import { isIP } from "node:net";
import { hostname } from "node:os";
import { join, resolve } from "node:path";
import { SIDECAR_NAME } from "#api/agones/constants.ts";
import { GAMESERVERS } from "#api/agones/resources.ts";
import type { NodeAddress } from "#api/core/node.ts";
import { quantityToString } from "#api/meta/quantity.ts";
import { createNodeAgent } from "#cluster/node/agent.ts";
import { createLinuxProcessHost } from "#cluster/node/linux-process-host.ts";
import { machineCapacity } from "#cluster/node/node-registration.ts";
import { createClient } from "#kube/api-client.ts";
import { createEventRecorder } from "#kube/event-recorder.ts";
import { heldTransport } from "#kube/held-transport.ts";
import { createInformer } from "#kube/shared-informer.ts";
import { httpTransport } from "#kube/transport-http.ts";
import { systemClock as clock } from "#runtime/clock.ts";
import type { Config } from "#runtime/config.ts";
import { createLogger } from "#runtime/logger.ts";
import { type Runnable, runGroups } from "#runtime/runnable.ts";
import { informerSource, trimGameServer } from "#sdkserver/game-server-source.ts";
import { createSdkServers } from "#sdkserver/shared-server.ts";
import { keepCompiledCode } from "./wiring/compiled-code.ts";
import { followDevelopmentServers } from "./wiring/development-servers.ts";
import { clusterImages } from "./wiring/image-resolver.ts";
import { findInstallation } from "./wiring/installation.ts";
import { portEnvironment } from "./wiring/port-environment.ts";
import { runProgram } from "./wiring/program.ts";
import { NODE_AGENT } from "./wiring/settings-one-machine.ts";
import { version } from "./wiring/version.ts";

/** What processes of pods inherit from the agent's environment. */
const INHERITED = ["PATH", "HOME", "USER", "LANG", "TZ", "TMPDIR"];

async function main(config: Config<typeof NODE_AGENT.options>): Promise<void> {
  const dataDir = resolve(config.dataDir);
  const log = createLogger({ source: "node-agent", level: config.logLevel });
  keepCompiledCode(clock);
  const stop = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => stop.abort());

  const apiSocket = join(dataDir, "api.sock");
  const transport = httpTransport({ socketPath: apiSocket });
  // The agent outlives its cluster: what it asks while that is away is done once the next one is there.
  const client = createClient(heldTransport(transport, { socketPath: apiSocket, clock, until: stop.signal }));
  const gameServers = createInformer(client, GAMESERVERS, { clock, log, transform: trimGameServer });
  const recorder = createEventRecorder(client, { component: "gameserver-sidecar", clock, log });
  const sdkServers = createSdkServers({ source: informerSource(gameServers), client, recorder, clock, log });
  const developmentServers = followDevelopmentServers({ gameServers, client, dataDir, clock, log });
  const installation = findInstallation();
  const images = clusterImages({ client, simpleGameServer: installation.simpleGameServer, clock, log });

  const loopback: NodeAddress = { type: "InternalIP", address: "127.0.0.1" };
  const agent = createNodeAgent({
    client,
    nodeName: config.nodeName ?? hostname().toLowerCase(),
    addresses: [
      ...(config.nodeAddress ? [publicAddress(config.nodeAddress)] : []),
      loopback,
      { type: "Hostname", address: hostname() },
    ],
    capacity: {
      ...machineCapacity(),
      ...(config.nodeCpu && { cpu: quantityToString(config.nodeCpu) }),
      ...(config.nodeMemory && { memory: quantityToString(config.nodeMemory) }),
    },
    stateFolder: join(dataDir, "node"),
    socketPath: join(dataDir, "agent.sock"),
    images,
    handlers: new Map([[SIDECAR_NAME, sdkServers.start]]),
    host: createLinuxProcessHost({ clock }),
    clock,
    log,
    version,
    build: installation.agentBuild,
    settings: process.argv.slice(2),
    baseEnvironment: Object.fromEntries(
      INHERITED.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])),
    ),
    environmentFor: portEnvironment(gameServers.lister),
    prepared: () => Promise.all([gameServers.ready(), images.runnable.ready()]),
    onStop: () => stop.abort(),
  });

  try {
    const running = runGroups(
      [[gameServers, images.runnable, recorder].map(atOnce), [agent, developmentServers]],
      stop.signal,
      log,
    );
    // The control plane is starting as well: until it answers, there is time for what the first game server takes.
    clock.after(0, () => void sdkServers.load());
    await running;
  } finally {
    await transport.close();
  }
}

/** What comes after does not wait for it: the node is made while caches fill, and its pods wait for them. */
const atOnce = (runnable: Runnable): Runnable => ({ name: runnable.name, run: (signal) => runnable.run(signal) });

/** A name players resolve, or an address. */
const publicAddress = (address: string): NodeAddress => ({
  type: isIP(address) ? "ExternalIP" : "ExternalDNS",
  address,
});

runProgram(NODE_AGENT, main);
