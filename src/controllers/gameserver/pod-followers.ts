import type { CloudProduct } from "#api/agones/cloud-product/cloud-product.ts";
import { generic } from "#api/agones/cloud-product/generic.ts";
import type { FeatureGates } from "#api/agones/feature-gates.ts";
import type { GameServer } from "#api/agones/gameserver.ts";
import { isGameServerPod } from "#api/agones/predicates.ts";
import { GAMESERVERS } from "#api/agones/resources.ts";
import type { Node } from "#api/core/node.ts";
import type { Pod } from "#api/core/pod.ts";
import { deepEqual } from "#api/meta/equality.ts";
import { controllerOf, objectKey } from "#api/meta/object.ts";
import type { Client } from "#kube/client.ts";
import { type Controller, createController, ExpectedRetry } from "#kube/controller.ts";
import type { EventRecorder } from "#kube/event-recorder.ts";
import { defaultLimiter } from "#kube/rate-limiter.ts";
import type { Clock } from "#runtime/clock.ts";
import type { Logger } from "#runtime/logger.ts";
import type { WorkQueueMetrics } from "#runtime/metrics.ts";
import type { ControllerInformers } from "../informers.ts";
import { OwnWrites } from "../own-writes.ts";
import { decideHealth, decideSucceeded } from "./decide-health.ts";
import { decideMigration, decideMissingPod, type PodSnapshot, type PodVerdict } from "./decide-pod-health.ts";
import type { PodRules } from "./decide-step.ts";
import { livePod } from "./live-pod.ts";

export interface PodFollowerOptions {
  readonly client: Client;
  readonly informers: ControllerInformers;
  readonly gates: FeatureGates;
  /** Default `generic`. */
  readonly product?: CloudProduct;
  /** Events name the follower as their source. */
  readonly recorderFor: (component: string) => EventRecorder;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics?: WorkQueueMetrics;
  readonly workers: number;
}

interface Follower {
  readonly name: string;
  readonly component: string;
  readonly decide: (snapshot: PodSnapshot, rules: PodRules) => PodVerdict;
  readonly onlyWithSidecarContainers?: boolean;
  /** The absence of a Pod is believed only after the API was asked: a cache may lag. */
  readonly asksBeforeAbsence?: boolean;
  readonly followsNodes?: boolean;
}

const FOLLOWERS: readonly Follower[] = [
  {
    name: "agones.dev.HealthController",
    component: "health-controller",
    decide: decideHealth,
  },
  {
    name: "agones.dev.MigrationController",
    component: "migration-controller",
    decide: decideMigration,
    followsNodes: true,
  },
  {
    name: "agones.dev.MissingPodController",
    component: "missing-pod-controller",
    decide: decideMissingPod,
    asksBeforeAbsence: true,
  },
  {
    name: "agones.dev.SucceededController",
    component: "succeeded-controller",
    decide: decideSucceeded,
    onlyWithSidecarContainers: true,
  },
];

/** The controllers that bring a GameServer's state after what became of its Pod: health, migration, missing Pod, success. */
export function createPodFollowers(options: PodFollowerOptions): readonly Controller[] {
  const own = new OwnWrites(options.informers.gameServers);
  const { SidecarContainers } = options.gates;
  return FOLLOWERS.filter(({ onlyWithSidecarContainers }) => SidecarContainers || !onlyWithSidecarContainers).map(
    (follower) => createFollower(follower, options, own),
  );
}

function createFollower(
  { name, component, decide, asksBeforeAbsence, followsNodes }: Follower,
  options: PodFollowerOptions,
  own: OwnWrites<GameServer>,
): Controller {
  const { client, informers, gates, product = generic, clock, log, metrics, workers } = options;
  const rules: PodRules = { gates, product };
  const recorder = options.recorderFor(component);
  const caches = Object.values(informers);

  const snapshot = (gameServer: GameServer): PodSnapshot => {
    const pod = informers.pods.lister.get(objectKey(gameServer));
    const node = pod?.spec.nodeName ? informers.nodes.lister.get(pod.spec.nodeName) : undefined;
    return { gameServer, pod, node };
  };

  const controller = createController({
    name,
    logKey: "gsKey",
    workers,
    limiter: defaultLimiter(clock),
    clock,
    log,
    ...(metrics && { metrics }),
    reconcile: async (key) => {
      const gameServer = own.get(key);
      if (!gameServer) return;
      const seen = snapshot(gameServer);
      let verdict = decide(seen, rules);
      if (!verdict) return;
      if (asksBeforeAbsence) verdict = decide({ ...seen, pod: await livePod(client, key) }, rules);
      // One that the cache never shows may go without a word.
      if (!verdict) throw new ExpectedRetry("waits for its Pod in the cache");
      const written = own.wrote(await client.update(GAMESERVERS, verdict.gameServer));
      recorder.event(written, verdict.note.type, verdict.note.reason, verdict.note.message);
    },
  });

  // Decided once before queueing: nearly every event concerns none of them. While a cache fills it tells too little to say so.
  const consider = (gameServer: GameServer | undefined): void => {
    if (!gameServer) return;
    const filling = caches.some(({ synced }) => !synced);
    if (filling || decide(snapshot(own.newest(gameServer)), rules)) controller.enqueue(objectKey(gameServer));
  };
  const considerOwner = (pod: Pod): void => {
    if (isGameServerPod(pod))
      consider(informers.gameServers.lister.get(`${pod.metadata.namespace}/${controllerOf(pod)?.name}`));
  };
  informers.pods.addHandler({ add: considerOwner, update: considerOwner, delete: considerOwner });
  informers.gameServers.addHandler({ add: consider, update: consider });
  if (followsNodes) {
    const considerServersOn = ({ metadata: { name } }: Node): void => {
      for (const server of informers.gameServers.lister.list()) {
        const pod = informers.pods.lister.get(objectKey(server));
        if (server.status?.nodeName === name || pod?.spec.nodeName === name) consider(server);
      }
    };
    informers.nodes.addHandler({
      add: considerServersOn,
      update: (node, old) => {
        if (!deepEqual(node.status?.addresses, old.status?.addresses)) considerServersOn(node);
      },
    });
  }
  return controller;
}
