/** Keeps the owner graph from informers of everything that can be listed, watched and deleted. */
import type { KubeObject } from "#api/meta/object.ts";
import type { Client } from "#kube/client.ts";
import type { Informer } from "#kube/informer.ts";
import { createInformer, waitForSync } from "#kube/shared-informer.ts";
import type { Clock } from "#runtime/clock.ts";
import type { Logger } from "#runtime/logger.ts";
import { type ApiType, type ApiTypes, discoverTypes, idOf } from "./api-types.ts";
import type { GraphNode, OwnerGraph } from "./owner-graph.ts";

export interface GraphBuilderOptions {
  readonly client: Client;
  readonly graph: OwnerGraph;
  /** After the graph changed; `now` is absent when the object is gone. */
  readonly changed: (now: GraphNode | undefined, before: GraphNode | undefined) => void;
  readonly clock: Clock;
  readonly log: Logger;
}

/** A kind that cannot be listed must not keep the others waiting. */
const SYNC_MS = 30_000;
/** Events own nothing, are owned by nobody, and are many. */
const unwatched = new Set(["/events", "events.k8s.io/events"]);

interface Followed {
  readonly informer: Informer<KubeObject>;
  readonly stop: AbortController;
  readonly ended: Promise<void>;
}

export class GraphBuilder {
  readonly #options: GraphBuilderOptions;
  readonly #followed = new Map<string, Followed>();
  #types: ApiTypes | undefined;

  constructor(options: GraphBuilderOptions) {
    this.#options = options;
  }

  get types(): ApiTypes | undefined {
    return this.#types;
  }

  /** Follows what is served now, and no more what is not. Resolves when the first lists are in the graph, or after 30 s. */
  async refresh(signal: AbortSignal): Promise<void> {
    const { client, clock } = this.#options;
    const types = await discoverTypes(client);
    if (signal.aborted) return;
    this.#types = types;
    const wanted = new Map(types.all.filter(canFollow).map((type) => [idOf(type), type]));
    for (const [id, followed] of this.#followed) if (!wanted.has(id) && !types.incomplete) this.#drop(id, followed);
    const fresh = [...wanted]
      .filter(([id]) => !this.#followed.has(id))
      .map(([id, type]) => this.#follow(id, type, signal));
    const enough = new AbortController();
    await Promise.race([
      waitForSync(fresh, AbortSignal.any([signal, enough.signal])).catch(() => {}),
      clock.sleep(SYNC_MS, enough.signal).catch(() => {}),
    ]);
    enough.abort();
  }

  /** Resolves when all informers have ended; they do when the signal of their `refresh` aborts. */
  async ended(): Promise<void> {
    await Promise.all([...this.#followed.values()].map((followed) => followed.ended));
  }

  #follow(id: string, type: ApiType, signal: AbortSignal): Informer<KubeObject> {
    const { client, clock, log } = this.#options;
    const informer = createInformer(client, type, { transform: identityOnly, clock, log });
    const stop = new AbortController();
    informer.addHandler({
      add: (object) => this.#seen(type, object),
      update: (object) => this.#seen(type, object),
      delete: ({ metadata }) => this.#gone(metadata.uid ?? ""),
    });
    this.#followed.set(id, { informer, stop, ended: informer.run(AbortSignal.any([signal, stop.signal])) });
    return informer;
  }

  #drop(id: string, { informer, stop }: Followed): void {
    this.#followed.delete(id);
    stop.abort();
    // Gone with their definition.
    for (const { metadata } of informer.lister.list()) this.#gone(metadata.uid ?? "");
  }

  #seen(type: ApiType, { metadata }: KubeObject): void {
    const { namespace = "", name = "", uid = "", ownerReferences = [], finalizers = [] } = metadata;
    const { graph, changed } = this.#options;
    const before = graph.get(uid);
    const deleting = metadata.deletionTimestamp !== undefined;
    const now = { type, namespace, name, uid, owners: ownerReferences, finalizers, deleting };
    graph.set(now);
    changed(now, before);
  }

  #gone(uid: string): void {
    const { graph, changed } = this.#options;
    const before = graph.get(uid);
    graph.remove(uid);
    changed(undefined, before);
  }
}

const canFollow = (type: ApiType): boolean =>
  !unwatched.has(idOf(type)) && ["list", "watch", "delete"].every((verb) => type.verbs.includes(verb));

/** What an object is, and whose: the rest need not be kept. */
function identityOnly({ apiVersion, kind, metadata }: KubeObject): KubeObject {
  const { name, namespace, uid, resourceVersion, ownerReferences, finalizers, deletionTimestamp } = metadata;
  return {
    apiVersion,
    kind,
    metadata: { name, namespace, uid, resourceVersion, ownerReferences, finalizers, deletionTimestamp },
  };
}
