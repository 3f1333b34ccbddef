/**
 * Deletes what its owners left behind, and lets go what waits for those it owns (`foregroundDeletion`, `orphan`).
 * Whom to look at comes from caches; that an owner is gone, and what is deleted, is asked of the API server each time.
 */
import type { KubeObject, OwnerReference } from "#api/meta/object.ts";
import { isNotFound } from "#api/meta/status.ts";
import type { Client } from "#kube/client.ts";
import { type Controller, createController, ExpectedRetry, type Outcome } from "#kube/controller.ts";
import { fastThenSlow } from "#kube/rate-limiter.ts";
import type { Clock } from "#runtime/clock.ts";
import type { Logger } from "#runtime/logger.ts";
import type { Runnable } from "#runtime/runnable.ts";
import { idOf } from "./api-types.ts";
import { decideCollection, type OwnerState } from "./decide-collection.ts";
import { GraphBuilder } from "./graph-builder.ts";
import { FOREGROUND, type GraphNode, ORPHAN, OwnerGraph, refersTo, waitsForDependents } from "./owner-graph.ts";
import { TimeSlice } from "./time-slice.ts";

export interface GarbageCollectorOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly log: Logger;
}

const WORKERS = 8;
const DEFINITIONS = "apiextensions.k8s.io/customresourcedefinitions";
/** How often new kinds are looked for, besides when a definition changes. */
const DISCOVERY_MS = 30_000;
/** Definitions come in groups, and are served a moment after they changed. */
const SETTLE_MS = 100;
const RECHECK_MS = 30_000;

export function createGarbageCollector(options: GarbageCollectorOptions): Runnable {
  return new GarbageCollector(options);
}

class GarbageCollector implements Runnable {
  readonly name = "garbage collector";
  readonly #client: Client;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #graph = new OwnerGraph();
  readonly #builder: GraphBuilder;
  /** Keys are UIDs. */
  readonly #queue: Controller;
  readonly #slice: TimeSlice;
  /** A definition changed since the kinds were last looked for. */
  #stale = false;
  #wake: (() => void) | undefined;

  constructor({ client, clock, log }: GarbageCollectorOptions) {
    this.#client = client;
    this.#clock = clock;
    this.#log = log;
    this.#slice = new TimeSlice(clock);
    const changed = (now: GraphNode | undefined, before: GraphNode | undefined) => this.#changed(now, before);
    this.#builder = new GraphBuilder({ client, graph: this.#graph, changed, clock, log });
    this.#queue = createController({
      name: this.name,
      reconcile: (uid) => this.#reconcile(uid),
      workers: WORKERS,
      limiter: fastThenSlow(20, 5_000),
      clock,
      log,
    });
  }

  async run(signal: AbortSignal): Promise<void> {
    await this.#discover(signal);
    const discovering = (async () => {
      while (!signal.aborted) {
        await this.#untilDue(signal);
        await this.#discover(signal);
      }
    })();
    await Promise.all([this.#queue.run(signal), discovering]);
    await this.#builder.ended();
  }

  async #discover(signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    this.#stale = false;
    try {
      await this.#builder.refresh(signal);
    } catch (error) {
      this.#log.warn({ error }, "the kinds of the API could not be read");
    }
  }

  /** Until a little after a definition changed, or half a minute has passed. */
  async #untilDue(signal: AbortSignal): Promise<void> {
    const woken = new AbortController();
    this.#wake = () => woken.abort();
    if (!this.#stale) await this.#clock.sleep(DISCOVERY_MS, AbortSignal.any([signal, woken.signal])).catch(() => {});
    this.#wake = undefined;
    await this.#clock.sleep(SETTLE_MS, signal).catch(() => {});
  }

  #changed(now: GraphNode | undefined, before: GraphNode | undefined): void {
    const node = now ?? before;
    if (!node) return;
    if (idOf(node.type) === DEFINITIONS) {
      this.#stale = true;
      this.#wake?.();
    }
    if (now && (now.deleting || !sameOwners(now.owners, before?.owners ?? []))) this.#queue.enqueue(now.uid);
    const owned = this.#graph.dependents(node.uid);
    if (!now || waitsForDependents(now)) for (const { uid } of owned) this.#queue.enqueue(uid);
    // Whom this one no longer holds up.
    for (const { uid } of before?.owners ?? []) {
      const owner = this.#graph.get(uid);
      if (owner && waitsForDependents(owner)) this.#queue.enqueue(uid);
    }
  }

  async #reconcile(uid: string): Promise<Outcome> {
    await this.#slice.breathe();
    const node = this.#graph.get(uid);
    if (!node) return;
    if (node.deleting) return this.#finishDeletion(node);
    if (!node.owners.every((owner) => this.#stateInCache(owner, node) === "present")) return this.#collect(node);
  }

  async #collect(node: GraphNode): Promise<Outcome> {
    const latest = await this.#latest(node);
    if (!latest || latest.metadata.deletionTimestamp) return;
    const { ownerReferences = [], finalizers = [], resourceVersion } = latest.metadata;
    const owners: { readonly uid: string; readonly state: OwnerState }[] = [];
    for (const reference of ownerReferences)
      owners.push({ uid: reference.uid, state: await this.#stateOf(reference, node) });
    const hasDependents = this.#graph.dependents(node.uid).length > 0;
    const verdict = decideCollection({ owners, finalizers, hasDependents });
    const { type, namespace, name, uid } = node;
    if (verdict.action === "delete") {
      this.#log.debug({ kind: type.kind, namespace, name, propagation: verdict.propagation }, "collecting");
      await this.#client
        .delete(type, namespace, name, {
          propagationPolicy: verdict.propagation,
          preconditions: { uid, resourceVersion },
        })
        .catch(unlessGone);
    } else if (verdict.action === "release") await this.#release(node, latest, verdict.owners);
    // An owner that only the server knows of may go unseen before its cache is filled.
    else if (owners.some((owner) => !this.#graph.get(owner.uid))) return { requeueAfterMs: RECHECK_MS };
  }

  /** `undefined`: only the server can say. */
  #stateInCache(reference: OwnerReference, node: GraphNode): OwnerState | undefined {
    const owner = this.#graph.get(reference.uid);
    if (!owner || !refersTo(reference, node, owner)) return undefined;
    return waitsForDependents(owner) ? "waiting" : "present";
  }

  async #stateOf(reference: OwnerReference, node: GraphNode): Promise<OwnerState> {
    const cached = this.#stateInCache(reference, node);
    if (cached) return cached;
    const type = this.#builder.types?.ofKind(reference.apiVersion, reference.kind);
    // Perhaps its definition comes later; nothing is deleted on a guess.
    if (!type) throw new ExpectedRetry(`the kind of owner ${reference.kind} ${reference.name} is not served`);
    // Such a reference cannot be resolved, and so never be broken.
    if (type.namespaced && !node.type.namespaced) return "present";
    try {
      const { metadata } = await this.#client.get(type, type.namespaced ? node.namespace : "", reference.name);
      if (metadata.uid !== reference.uid) return "absent";
      const deleting = metadata.deletionTimestamp !== undefined;
      return waitsForDependents({ deleting, finalizers: metadata.finalizers ?? [] }) ? "waiting" : "present";
    } catch (error) {
      if (isNotFound(error)) return "absent";
      throw error;
    }
  }

  async #finishDeletion(node: GraphNode): Promise<void> {
    const dependents = this.#graph.dependents(node.uid);
    if (node.finalizers.includes(ORPHAN)) {
      for (const dependent of dependents) {
        await this.#slice.breathe();
        const latest = await this.#latest(dependent);
        if (latest) await this.#release(dependent, latest, [node.uid]);
      }
      await this.#removeFinalizer(node, ORPHAN);
    } else if (node.finalizers.includes(FOREGROUND)) {
      const blocking = dependents.filter(({ owners }) =>
        owners.some(({ uid, blockOwnerDeletion }) => uid === node.uid && blockOwnerDeletion === true),
      );
      if (blocking.length === 0) await this.#removeFinalizer(node, FOREGROUND);
    }
  }

  /** The object as it is now; `undefined` when it is gone, whoever has its name now. */
  async #latest({ type, namespace, name, uid }: GraphNode): Promise<KubeObject | undefined> {
    const latest = await this.#client.get(type, namespace, name).catch(unlessGone);
    return latest?.metadata.uid === uid ? latest : undefined;
  }

  async #release(node: GraphNode, { metadata }: KubeObject, owners: readonly string[]): Promise<void> {
    const ownerReferences = (metadata.ownerReferences ?? []).filter(({ uid }) => !owners.includes(uid));
    if (ownerReferences.length === (metadata.ownerReferences ?? []).length) return;
    await this.#patchMetadata(node, { ownerReferences, resourceVersion: metadata.resourceVersion });
  }

  async #removeFinalizer(node: GraphNode, finalizer: string): Promise<void> {
    const latest = await this.#latest(node);
    if (!latest?.metadata.finalizers?.includes(finalizer)) return;
    const finalizers = latest.metadata.finalizers.filter((each) => each !== finalizer);
    await this.#patchMetadata(node, { finalizers, resourceVersion: latest.metadata.resourceVersion });
  }

  /** Guarded by the version; a conflict is tried again from the start. */
  async #patchMetadata({ type, namespace, name }: GraphNode, metadata: object): Promise<void> {
    const patch = { metadata: metadata as Readonly<Record<string, never>> };
    await this.#client.patch(type, namespace, name, { type: "merge", patch }).catch(unlessGone);
  }
}

function sameOwners(a: readonly OwnerReference[], b: readonly OwnerReference[]): boolean {
  const same = ({ uid, blockOwnerDeletion }: OwnerReference, at: number) =>
    uid === b[at]?.uid && blockOwnerDeletion === b[at]?.blockOwnerDeletion;
  return a.length === b.length && a.every(same);
}

function unlessGone(error: unknown): undefined {
  if (!isNotFound(error)) throw error;
  return undefined;
}
