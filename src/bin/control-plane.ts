/** The control plane of a cluster on one machine: API server, store, scheduler, garbage collector, controllers, allocation. */

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { AllocationEngine } from "#allocation/engine/engine.ts";
import { parseFeatureGates } from "#api/agones/feature-gates.ts";
import { buildCustomResourceDefinitions } from "#api/definitions/crds.ts";
import type { ControlPlaneMessage } from "#cli/start/control-plane-message.ts";
import { createAgentClient } from "#cluster/node/agent-client.ts";
import { StoreError } from "#cluster/store/store.ts";
import { agonesAdmission } from "#extensions/admission.ts";
import { allocationGroup } from "#extensions/allocation-group.ts";
import { createClient } from "#kube/api-client.ts";
import { inProcessTransport } from "#kube/transport-in-process.ts";
import { portRanges } from "#ports/port-range.ts";
import { systemClock as clock } from "#runtime/clock.ts";
import { type Config, ConfigError } from "#runtime/config.ts";
import { createLogger } from "#runtime/logger.ts";
import { aborted, type Runnable, runGroups } from "#runtime/runnable.ts";
import { type ApiDoors, openDoors } from "./wiring/api-doors.ts";
import { wireClusterServices } from "./wiring/cluster-services.ts";
import { keepCompiledCode } from "./wiring/compiled-code.ts";
import { wireControllers } from "./wiring/controllers.ts";
import { type EmbeddedApi, openEmbeddedApi, openStore } from "./wiring/embedded-api.ts";
import { followLivingServers } from "./wiring/living-servers.ts";
import { isSettingFault, runProgram } from "./wiring/program.ts";
import { CONTROL_PLANE } from "./wiring/settings-one-machine.ts";
import { SIDECAR_IMAGE } from "./wiring/sidecar-image.ts";
import { createStartReport } from "./wiring/start-report.ts";
import { version } from "./wiring/version.ts";

/** Tells the supervisor, when there is one. That it has just ended is heard as the end of the channel. */
const tell = (message: ControlPlaneMessage): void =>
  void (process.connected && process.send?.(message, undefined, undefined, () => {}));

async function main(config: Config<typeof CONTROL_PLANE.options>): Promise<void> {
  const { dataDir, apiPort } = config;
  const log = createLogger({ source: "control-plane", level: config.logLevel });
  const gates = parseFeatureGates(config.featureGates);
  keepCompiledCode(clock);
  const stop = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP", "disconnect"] as const) process.once(signal, () => stop.abort());

  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  // Its thread starts while this one wires, and the node agent finds a door.
  const store = openStore(dataDir, { clock, log });
  store.catch(() => {});
  const doors = openDoors({ dataDir, apiPort, clock, log });

  const user = { username: "system:stadion", groups: ["system:masters"] };
  const transport = inProcessTransport((request) => api.handler(request), user);
  const client = createClient(transport);
  const controllers = wireControllers({
    client,
    gates,
    ranges: portRanges({ min: config.minPort, max: config.maxPort }),
    // Of the supervisor, which passes it on.
    portSetting: "--game-ports",
    workers: config.numWorkers,
    pod: { version, sidecar: { image: SIDECAR_IMAGE, requestsRateLimit: "500ms" } },
    clock,
    log,
  });
  const services = wireClusterServices({ client, clock, log });
  const { gameServers, pods } = controllers.informers;
  const agent = createAgentClient(join(dataDir, "agent.sock"));
  const living = followLivingServers({ agent, gameServers, pods, clock });
  const engine = new AllocationEngine({
    client,
    gameServers,
    living,
    nodeCounts: controllers.nodeCounts,
    gates,
    recorder: controllers.recorderFor("GameServerAllocation-Allocator"),
    clock,
  });
  const api: EmbeddedApi = await openEmbeddedApi({
    dataDir,
    store,
    doors,
    admission: [agonesAdmission({ gates, version, clock })],
    groups: [allocationGroup({ engine, gates, clock })],
    definitions: buildCustomResourceDefinitions({ gates }),
    version,
    clock,
    log,
  });

  // The socket serves before the port is open: nobody waits for that but the supervisor.
  const port: Runnable = {
    name: "api port",
    run: async (signal) => {
      tell({ type: "ready", address: await doors.address });
      await aborted(signal);
    },
  };
  const report = createStartReport({ transport, client, quickStart: config.quickStart, living, tell, clock, log });
  try {
    await bound(doors, apiPort);
    await runGroups(
      [[api.server], [port, report], ...merged(services, [...controllers.groups, [living]])],
      stop.signal,
      log,
    );
  } finally {
    await api.close();
  }
}

/** Both in step: the first groups together, then the second. */
function merged(
  first: readonly (readonly Runnable[])[],
  second: readonly (readonly Runnable[])[],
): readonly (readonly Runnable[])[] {
  return Array.from({ length: Math.max(first.length, second.length) }, (_, at) => [
    ...(first[at] ?? []),
    ...(second[at] ?? []),
  ]);
}

async function bound(doors: ApiDoors, apiPort: number): Promise<void> {
  try {
    await doors.bound;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EADDRINUSE") throw error;
    throw new ConfigError([
      `port ${apiPort} of 127.0.0.1 is in use: choose another with --api-port, or 0 to let the system choose`,
    ]);
  }
}

/** What a restart cannot mend is told to the person; everything else is the supervisor's to try again. */
function failed(error: unknown): void {
  const final = isSettingFault(error) || (error instanceof StoreError && error.code !== "StoreWriteFailed");
  if (!final) return;
  tell({ type: "refused", message: error.message });
  process.exitCode = 78;
}

runProgram(CONTROL_PLANE, main, failed);
