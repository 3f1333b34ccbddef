import type { FeatureGates } from "#api/agones/feature-gates.ts";
import { FLEETS, GAMESERVERS, GAMESERVERSETS } from "#api/agones/resources.ts";
import { NODES, PODS } from "#api/core/resources.ts";
import { createFleetController } from "#controllers/fleet/controller.ts";
import { createGameServerController } from "#controllers/gameserver/controller.ts";
import { createPodFollowers } from "#controllers/gameserver/pod-followers.ts";
import { createGameServerSetController } from "#controllers/gameserverset/controller.ts";
import { addControllerIndexes, type ControllerInformers, trimPod } from "#controllers/informers.ts";
import type { Client } from "#kube/client.ts";
import { createEventRecorder, type EventRecorder } from "#kube/event-recorder.ts";
import { createInformer } from "#kube/shared-informer.ts";
import { PortAllocator } from "#ports/port-allocator.ts";
import type { PortRange } from "#ports/port-range.ts";
import type { Clock } from "#runtime/clock.ts";
import type { Logger } from "#runtime/logger.ts";
import type { Runnable } from "#runtime/runnable.ts";
import { NodeCounts } from "#views/node-counts.ts";

export interface ControllersOptions {
  readonly client: Client;
  readonly gates: FeatureGates;
  readonly ranges: ReadonlyMap<string, PortRange>;
  readonly workers: number;
  readonly version: string;
  readonly sidecarImage: string;
  readonly clock: Clock;
  readonly log: Logger;
}

export interface WiredControllers {
  readonly informers: ControllerInformers;
  readonly nodeCounts: NodeCounts;
  /** A recorder that runs with the controllers. */
  readonly recorderFor: (component: string) => EventRecorder;
  /** Caches first, then what writes events, then the controllers. */
  readonly groups: readonly (readonly Runnable[])[];
}

/** Wires the controllers that run in every mode: on the embedded cluster and on Kubernetes. */
export function wireControllers(options: ControllersOptions): WiredControllers {
  const { client, gates, clock, log, version, workers } = options;
  const informers: ControllerInformers = {
    gameServers: createInformer(client, GAMESERVERS, { clock, log }),
    gameServerSets: createInformer(client, GAMESERVERSETS, { clock, log }),
    fleets: createInformer(client, FLEETS, { clock, log }),
    pods: createInformer(client, PODS, { clock, log, transform: trimPod }),
    nodes: createInformer(client, NODES, { clock, log }),
  };
  addControllerIndexes(informers);

  const nodeCounts = new NodeCounts();
  informers.gameServers.addHandler(nodeCounts);
  informers.nodes.addHandler({ delete: ({ metadata }) => nodeCounts.nodeDeleted(metadata.name ?? "") });

  const ports = new PortAllocator(options.ranges, { namedRanges: gates.PortRanges });
  const countNodes = () =>
    ports.setNodes(informers.nodes.lister.list().filter(({ spec }) => !spec?.unschedulable).length);
  informers.nodes.addHandler({ add: countNodes, update: countNodes, delete: countNodes });
  informers.gameServers.addHandler({
    add: (server) => ports.observe(server),
    update: (server) => ports.observe(server),
    delete: ({ metadata }) => ports.release(metadata.uid ?? ""),
  });

  const recorders: (EventRecorder & Runnable)[] = [];
  const recorderFor = (component: string): EventRecorder => {
    const recorder = createEventRecorder(client, { component, clock, log });
    recorders.push(recorder);
    return recorder;
  };
  const shared = { client, informers, gates, clock, log, workers };
  const controllers = [
    createGameServerController({
      ...shared,
      ports,
      pod: { gates, version, sidecar: { image: options.sidecarImage, requestsRateLimit: "500ms" } },
      recorder: recorderFor("gameserver-controller"),
    }),
    ...createPodFollowers({ ...shared, recorderFor }),
    createGameServerSetController({ ...shared, nodeCounts, recorder: recorderFor("gameserverset-controller") }),
    createFleetController({ ...shared, recorder: recorderFor("fleet-controller") }),
  ];
  return { informers, nodeCounts, recorderFor, groups: [Object.values(informers), recorders, controllers] };
}
