import type { FeatureGates } from "#api/agones/feature-gates.ts";
import type { PodOptions } from "#api/agones/pod.ts";
import type { FleetAutoscaler } from "#api/autoscaling/fleetautoscaler.ts";
import { FLEETAUTOSCALERS } from "#api/autoscaling/resources.ts";
import { createFleetController } from "#controllers/fleet/controller.ts";
import { createFleetAutoscalerController } from "#controllers/fleetautoscaler/controller.ts";
import { openReviewers } from "#controllers/fleetautoscaler/open-reviewers.ts";
import { createGameServerControllers } from "#controllers/gameserver/controller.ts";
import { createPodFollowers } from "#controllers/gameserver/pod-followers.ts";
import { createGameServerSetController, type GameServerSetLimits } from "#controllers/gameserverset/controller.ts";
import { type ControllerInformers, createControllerInformers } from "#controllers/informers.ts";
import type { Client } from "#kube/client.ts";
import type { Controller } from "#kube/controller.ts";
import { createEventRecorder, type EventRecorder } from "#kube/event-recorder.ts";
import type { Informer } from "#kube/informer.ts";
import { createInformer } from "#kube/shared-informer.ts";
import { PortAllocator } from "#ports/port-allocator.ts";
import type { PortRange } from "#ports/port-range.ts";
import type { Clock } from "#runtime/clock.ts";
import type { Logger } from "#runtime/logger.ts";
import type { CacheMetrics, CreationMetrics, WorkQueueMetrics } from "#runtime/metrics.ts";
import type { Runnable } from "#runtime/runnable.ts";
import { NodeCounts } from "#views/node-counts.ts";

export interface ControllersOptions {
  readonly client: Client;
  readonly gates: FeatureGates;
  readonly ranges: ReadonlyMap<string, PortRange>;
  /** What `ranges` are set by, as people know it. */
  readonly portSetting?: string;
  readonly workers: number;
  readonly pod: Omit<PodOptions, "gates">;
  readonly limits?: GameServerSetLimits;
  readonly metrics?: {
    readonly queues: WorkQueueMetrics;
    readonly caches: CacheMetrics;
    readonly creations: CreationMetrics;
  };
  readonly clock: Clock;
  readonly log: Logger;
}

export interface WiredControllers {
  readonly informers: ControllerInformers;
  readonly autoscalers: Informer<FleetAutoscaler>;
  readonly nodeCounts: NodeCounts;
  /** A recorder that runs with the controllers. */
  readonly recorderFor: (component: string) => EventRecorder;
  readonly controllers: readonly Controller[];
  /** Caches first, then what writes events, then the controllers. */
  readonly groups: readonly (readonly Runnable[])[];
}

/** Wires the controllers that run in every mode: on the embedded cluster and on Kubernetes. */
export function wireControllers(options: ControllersOptions): WiredControllers {
  const { client, gates, clock, log, workers, metrics, limits } = options;
  const { product } = options.pod;
  const cache = { clock, log, ...(metrics && { metrics: metrics.caches }) };
  const informers = createControllerInformers(client, cache);
  const autoscalers = createInformer(client, FLEETAUTOSCALERS, cache);
  const nodeCounts = new NodeCounts();
  nodeCounts.follow(informers);

  const ports = new PortAllocator(options.ranges, { namedRanges: gates.PortRanges, product });
  ports.follow(informers);

  const recorders: (EventRecorder & Runnable)[] = [];
  const recorderFor = (component: string): EventRecorder => {
    const recorder = createEventRecorder(client, { component, clock, log });
    recorders.push(recorder);
    return recorder;
  };
  const portSetting = options.portSetting === undefined ? {} : { portSetting: options.portSetting };
  const shared = { client, informers, gates, clock, log, workers, ...(metrics && { metrics: metrics.queues }) };
  const controllers = [
    ...createGameServerControllers({
      ...shared,
      ports,
      ...portSetting,
      pod: { ...options.pod, gates },
      recorder: recorderFor("gameserver-controller"),
    }),
    ...createPodFollowers({ ...shared, product, recorderFor }),
    createGameServerSetController({
      ...shared,
      nodeCounts,
      ...portSetting,
      ...(limits && { limits }),
      ...(metrics && { creationMetrics: metrics.creations }),
      recorder: recorderFor("gameserverset-controller"),
    }),
    createFleetController({ ...shared, recorder: recorderFor("fleet-controller") }),
    createFleetAutoscalerController({
      ...shared,
      autoscalers,
      nodeCounts,
      reviewers: openReviewers({ clock, log }),
      recorder: recorderFor("fleetautoscaler-controller"),
    }),
  ];
  return {
    informers,
    autoscalers,
    nodeCounts,
    recorderFor,
    controllers,
    groups: [[...Object.values(informers), autoscalers], recorders, controllers],
  };
}
