/**
 * A whole cluster around an API server of either kind: our scheduler and upkeep, simulated nodes with games that answer as their SDK
 * server would, and our controllers as processes of their own.
 */
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { encodeFeatureGates, featureGates } from "#api/agones/feature-gates.ts";
import type { GameServerState } from "#api/agones/gameserver.ts";
import { createSimulatedNode, type SimulatedNode } from "#cluster/node/simulated/simulated-node.ts";
import { createClient } from "#kube/api-client.ts";
import type { Client } from "#kube/client.ts";
import { kubeconfigAccess } from "#kube/kubeconfig.ts";
import { httpsTransport } from "#kube/transport-https.ts";
import { systemClock as clock } from "#runtime/clock.ts";
import { silentLogger as log } from "#runtime/logger.ts";
import { runGroups } from "#runtime/runnable.ts";
import { askForState } from "#tests/world/changes.ts";
import packageJson from "../../../package.json" with { type: "json" };
import { wireClusterServices } from "../../../src/bin/wiring/cluster-services.ts";
import { ApiServer } from "../agreement/api-server.ts";
import { builtBinaries } from "./build.ts";
import { Child, waitFor } from "./child.ts";
import { startControlPlane } from "./control-plane.ts";
import { startEmbedded } from "./embedded.ts";
import { installExtensions } from "./extensions.ts";
import { kubeconfigFor } from "./permissions.ts";

const ROOT = join(import.meta.dirname, "..", "..", "..");
const LEASE_NAMESPACE = "agones-system";
const PATIENCE_MS = 60_000;

/** All that is on by default, and Wasm modules of autoscalers. */
const GATES = featureGates({ WasmAutoscaler: true });

/** Games of this image never say that they are ready. */
export const SILENT_IMAGE = "game:silent";

export type ClusterKind = "Kubernetes" | "embedded";

export interface Controller {
  readonly process: Child;
  /** Where its health and metrics are answered; once it leads. */
  readonly port: () => number | undefined;
}

export interface RigCluster {
  readonly client: Client;
  /** For allocations, and for whatever a client sees of the wire. */
  readonly server: ApiServer;
  readonly nodes: readonly SimulatedNode[];
  /** Starts a controller that waits for the lease; it runs until the cluster closes. */
  startController(name: string): Controller;
  /** What the game in a GameServer asks its SDK server for. */
  setState(name: string, state: GameServerState): Promise<void>;
  close(): Promise<void>;
}

/** Everything but controllers runs. */
export async function openRigCluster(kind: ClusterKind): Promise<RigCluster> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), `stadion-rig-${kind}-`)));
  const ends: (() => unknown)[] = [() => rmSync(folder, { recursive: true, force: true })];
  const close = async (): Promise<void> => {
    for (const end of ends.splice(0).reverse()) await end();
  };
  try {
    const server = await startServer(kind, folder, ends);
    const transport = httpsTransport(await kubeconfigAccess(server.kubeconfig, { clock }), { connections: 32 });
    ends.push(() => transport.close());
    const client = createClient(transport);
    const setState = (name: string, state: GameServerState) => askForState(client, name, state);
    const nodes = ["north", "south"].map((nodeName, at) =>
      createSimulatedNode({
        client,
        nodeName,
        addresses: [{ type: "InternalIP", address: `10.0.0.${at + 1}` }],
        capacity: { cpu: "64", memory: "64Gi", pods: "200" },
        clock,
        log,
        onRun: ({ metadata }, { name, image }) => {
          if (name === "game" && image !== SILENT_IMAGE) void setState(metadata.name ?? "", "RequestReady");
        },
      }),
    );
    const stop = new AbortController();
    const running = runGroups([...wireClusterServices({ client, clock, log }), nodes], stop.signal, log);
    ends.push(() => {
      stop.abort();
      return running;
    });
    const kubeconfig = kind === "embedded" ? server.kubeconfig : await kubeconfigFor("controller", server, folder);
    const startController = (name: string): Controller => {
      const process = startControllerProcess(name, kubeconfig, folder);
      ends.push(() => process.stop());
      return { process, port: () => Number(/"httpPort":(\d+)/.exec(process.output)?.[1]) || undefined };
    };
    return { client, server, nodes, startController, setState, close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function startServer(kind: ClusterKind, folder: string, ends: (() => unknown)[]): Promise<ApiServer> {
  const opened = (kubeconfig: string): ApiServer => {
    const server = new ApiServer(kind, kubeconfig);
    ends.push(() => server.close());
    return server;
  };
  if (kind === "embedded") {
    const embedded = await startEmbedded(folder, packageJson.version, { gates: GATES });
    ends.push(() => embedded.stop());
    const server = opened(embedded.kubeconfig);
    await server.call("POST", "/api/v1/namespaces", {
      apiVersion: "v1",
      kind: "Namespace",
      metadata: { name: LEASE_NAMESPACE },
    });
    return server;
  }
  const binaries = builtBinaries();
  if (!binaries) throw new Error("the control plane is not built: run npm run test:kubernetes");
  const kubernetes = await startControlPlane(binaries, folder);
  ends.push(() => kubernetes.stop());
  const server = opened(kubernetes.kubeconfig);
  const extensions = await installExtensions(server, folder, { gates: GATES });
  ends.push(() => extensions.program.stop());
  return server;
}

function startControllerProcess(name: string, kubeconfig: string, folder: string): Child {
  const flags = [
    `--kubeconfig=${kubeconfig}`,
    "--leader-election",
    `--pod-namespace=${LEASE_NAMESPACE}`,
    "--http-port=0",
    "--min-port=7000",
    "--max-port=7999",
    "--log-level=debug",
    `--feature-gates=${encodeFeatureGates(GATES)}`,
  ];
  return new Child(name, process.execPath, [join(ROOT, "src", "bin", "controller.ts"), ...flags], folder);
}

/** Resolves with the controller that leads, once one does. */
export async function leaderOf(controllers: readonly Controller[]): Promise<Controller> {
  const leads = () => controllers.find(({ process, port }) => !process.hasEnded && port() !== undefined);
  return waitFor(leads, { children: [], within: PATIENCE_MS });
}
