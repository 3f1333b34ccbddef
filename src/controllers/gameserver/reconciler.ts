import { generic } from "#api/agones/cloud-product/generic.ts";
import { ERRORED_AT_ANNOTATION, READY_CONTAINER_ID_ANNOTATION } from "#api/agones/constants.ts";
import type { GameServer } from "#api/agones/gameserver.ts";
import { buildPod, type PodOptions } from "#api/agones/pod.ts";
import { PodBuildError } from "#api/agones/pod-build-error.ts";
import { withStaticPortsExpanded } from "#api/agones/port-policy.ts";
import { GAMESERVERS } from "#api/agones/resources.ts";
import type { Pod } from "#api/core/pod.ts";
import { PODS } from "#api/core/resources.ts";
import { isControlledBy, objectKey } from "#api/meta/object.ts";
import { isNewerVersion } from "#api/meta/resource-version.ts";
import { isAlreadyExists, isForbidden, isInvalid, isNotFound } from "#api/meta/status.ts";
import type { Client } from "#kube/client.ts";
import { ExpectedRetry } from "#kube/controller.ts";
import type { EventRecorder } from "#kube/event-recorder.ts";
import { type Allocation, type PortAllocator, PortsExhausted } from "#ports/port-allocator.ts";
import { type Clock, rfc3339 } from "#runtime/clock.ts";
import type { Logger } from "#runtime/logger.ts";
import type { WorkQueueMetrics } from "#runtime/metrics.ts";
import type { ControllerInformers } from "../informers.ts";
import { morePorts } from "../more-ports.ts";
import { OwnWrites } from "../own-writes.ts";
import { decideStep, type Note, type PodRules, withState } from "./decide-step.ts";
import { livePod } from "./live-pod.ts";

export interface GameServerOptions {
  readonly client: Client;
  readonly informers: ControllerInformers;
  readonly ports: PortAllocator;
  /** How Pods are built: gates, cloud product, sidecar image, resources, version. */
  readonly pod: PodOptions;
  readonly recorder: EventRecorder;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics?: WorkQueueMetrics;
  readonly workers: number;
  /** What host ports are set by, as people know it. */
  readonly portSetting?: string;
}

/** A step that has no end in sight would be a fault of `decideStep`; no server needs as many. */
const MOST_STEPS = 12;

/** Walks each GameServer through its states, from ports and Pod to Ready, and cleans up after it. */
export class GameServerReconciler {
  readonly #options: GameServerOptions;
  readonly #rules: PodRules;
  readonly #own: OwnWrites<GameServer>;
  /** The ends of the passes under way. */
  readonly #passes = new Map<string, Promise<void>>();

  constructor(options: GameServerOptions) {
    this.#options = options;
    this.#rules = { gates: options.pod.gates, product: options.pod.product ?? generic };
    this.#own = new OwnWrites(options.informers.gameServers);
  }

  /** One pass at a time for a key, whichever queue it comes from: two at once would run into each other's writes. */
  async reconcile(key: string): Promise<void> {
    while (this.#passes.has(key)) await this.#passes.get(key);
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#passes.set(key, promise);
    try {
      await this.#pass(key);
    } finally {
      this.#passes.delete(key);
      resolve();
    }
  }

  async #pass(key: string): Promise<void> {
    const { informers } = this.#options;
    let gameServer = this.#own.get(key);
    // What this pass wrote of the Pod, until the cache shows it.
    let written: Pod | undefined;
    for (let steps = 0; gameServer && steps < MOST_STEPS; steps++) {
      const pod = newest(written, informers.pods.lister.get(key));
      const own = pod && isControlledBy(pod, gameServer) ? pod : undefined;
      const node = own?.spec.nodeName ? informers.nodes.lister.get(own.spec.nodeName) : undefined;
      const step = decideStep({ gameServer, pod: own, node }, this.#rules);
      switch (step.type) {
        case "done":
        case "wait":
          return;
        case "poll":
          throw new ExpectedRetry(`waits for its ${step.for}`);
        case "fail":
          throw step.error;
        case "deletePod":
          return this.#deletePod(gameServer, step.pod);
        case "release":
          return this.#release(key, step.gameServer);
        case "deleteGameServer":
          return this.#deleteGameServer(gameServer);
        case "write":
          gameServer = await this.#write(step.gameServer, step.notes);
          break;
        case "allocatePorts":
          gameServer = await this.#allocatePorts(gameServer);
          break;
        case "createPod":
          ({ gameServer, created: written } = await this.#createPod(gameServer));
          break;
        case "markPod":
          written = await this.#markPod(step.pod, step.containerId);
      }
    }
  }

  /** Undefined when the server has gone meanwhile. */
  async #write(gameServer: GameServer, notes: readonly Note[]): Promise<GameServer | undefined> {
    const written = await unlessGone(this.#options.client.update(GAMESERVERS, gameServer));
    if (!written) return undefined;
    for (const { type, reason, message } of notes) this.#options.recorder.event(written, type, reason, message);
    return this.#own.wrote(written);
  }

  /** What is picked stays with the server, also when the write fails: the next try gets the same, and its end gives all back. */
  async #allocatePorts(gameServer: GameServer): Promise<GameServer | undefined> {
    let allocation: Allocation;
    try {
      allocation = this.#options.ports.allocate(gameServer);
    } catch (error) {
      if (error instanceof PortsExhausted) return this.#moveToError(gameServer, error.message);
      throw error;
    }
    const warnings = allocation.unknownRange.map(
      ({ name, range }) => `Port ${name} gets no host port: there is no port range ${range}`,
    );
    const mends = morePorts(this.#options.portSetting);
    if (allocation.waitsForNode)
      warnings.push(`No free port on the present nodes: the Pod waits for another node${mends}`);
    const notes: readonly Note[] = [
      { type: "Normal", reason: "PortAllocation", message: "Port allocated" },
      ...warnings.map((message): Note => ({ type: "Warning", reason: "PortAllocation", message })),
    ];
    return this.#write(withState(allocation.gameServer, "Creating"), notes);
  }

  async #createPod(gameServer: GameServer): Promise<{ gameServer: GameServer | undefined; created: Pod | undefined }> {
    const { client, informers, recorder, pod: podOptions } = this.#options;
    const expanded = withStaticPortsExpanded(gameServer);
    const { namespace = "", name = "" } = gameServer.metadata;
    let created: Pod | undefined;
    const there = informers.pods.lister.get(objectKey(gameServer));
    if (there && isControlledBy(there, gameServer)) created = there;
    else {
      try {
        created = await client.create(PODS, buildPod(expanded, podOptions));
        recorder.event(gameServer, "Normal", "Creating", `Pod ${name} created`);
      } catch (error) {
        if (error instanceof PodBuildError || isInvalid(error) || isForbidden(error))
          return { gameServer: await this.#moveToError(gameServer, error.message), created: undefined };
        if (!isAlreadyExists(error)) {
          recorder.event(gameServer, "Warning", "Creating", `error creating Pod for GameServer ${name}`);
          throw error;
        }
        created = await this.#existingPod(gameServer, namespace, name);
      }
    }
    return { gameServer: await this.#write(withState(expanded, "Starting"), []), created };
  }

  /** A Pod of that name is there: ours from a pass whose write was lost, or one that must go first. */
  async #existingPod(gameServer: GameServer, namespace: string, name: string): Promise<Pod> {
    const { client, recorder } = this.#options;
    const pod = await client.get(PODS, namespace, name).catch((error: unknown) => {
      if (isNotFound(error)) throw new ExpectedRetry(`Pod ${name} was there and is gone`);
      throw error;
    });
    if (!isControlledBy(pod, gameServer)) throw new ExpectedRetry(`Pod ${name} belongs to somebody else`);
    recorder.event(gameServer, "Normal", "Creating", "Pod already exists, reused");
    return pod;
  }

  /** The cache keeps only a part of a Pod, so the whole one is read before it is written. */
  async #markPod({ metadata }: Pod, containerId: string): Promise<Pod> {
    const { client } = this.#options;
    const pod = await livePod(client, objectKey({ metadata }));
    if (pod?.metadata.uid !== metadata.uid || !pod) throw new ExpectedRetry(`Pod ${metadata.name} has gone`);
    const annotations = { ...pod.metadata.annotations, [READY_CONTAINER_ID_ANNOTATION]: containerId };
    return client.update(PODS, { ...pod, metadata: { ...pod.metadata, annotations } });
  }

  async #moveToError(gameServer: GameServer, cause: string): Promise<GameServer | undefined> {
    const { clock } = this.#options;
    const annotations = { ...gameServer.metadata.annotations, [ERRORED_AT_ANNOTATION]: rfc3339(clock.now()) };
    const failed = withState({ ...gameServer, metadata: { ...gameServer.metadata, annotations } }, "Error");
    return this.#write(failed, [{ type: "Warning", reason: "Error", message: cause }]);
  }

  async #deletePod(gameServer: GameServer, pod: Pod): Promise<void> {
    const { client, recorder } = this.#options;
    const { namespace = "", name = "", uid } = pod.metadata;
    await unlessGone(client.delete(PODS, namespace, name, uid ? { preconditions: { uid } } : {}));
    recorder.event(gameServer, "Normal", gameServer.status?.state ?? "", `Deleting Pod ${name}`);
  }

  /** Lets a server go whose Pod the cache does not have; one made just now would be left behind. */
  async #release(key: string, released: GameServer): Promise<void> {
    const pod = await livePod(this.#options.client, key);
    if (!pod || !isControlledBy(pod, released)) return void (await this.#write(released, []));
    if (!pod.metadata.deletionTimestamp) await this.#deletePod(released, pod);
    // A Pod that goes before the cache ever shows it goes without an event.
    throw new ExpectedRetry("waits for its Pod to end");
  }

  async #deleteGameServer(gameServer: GameServer): Promise<void> {
    const { client, recorder } = this.#options;
    const { namespace = "", name = "", uid } = gameServer.metadata;
    const deletion = client.delete(GAMESERVERS, namespace, name, {
      propagationPolicy: "Background",
      ...(uid && { preconditions: { uid } }),
    });
    await unlessGone(deletion);
    recorder.event(gameServer, "Normal", "Shutdown", "Deletion started");
  }
}

const newest = (written: Pod | undefined, cached: Pod | undefined): Pod | undefined =>
  written && (!cached || isNewerVersion(written, cached)) ? written : cached;

/** What is gone already needs no write: the cache will show it. */
const unlessGone = <T>(request: Promise<T>): Promise<T | undefined> =>
  request.catch((error: unknown) => {
    if (isNotFound(error)) return undefined;
    throw error;
  });
