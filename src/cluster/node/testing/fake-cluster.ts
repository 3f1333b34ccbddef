/** The little of an API server that tests of a node need: objects in memory, versions, watches, and the deletion of pods. */
import { type JsonValue, stringifyJson } from "#api/meta/json.ts";
import { type KubeList, type KubeObject, objectKey, type WatchEvent, type WatchEventType } from "#api/meta/object.ts";
import { applyMergePatch } from "#api/meta/patch/merge-patch.ts";
import type { ResourceType } from "#api/meta/resource-type.ts";
import { alreadyExists, conflict, notFound, staleVersion } from "#api/meta/status.ts";
import type { Client, DeleteOptions } from "#kube/client.ts";
import { apiVersionOf } from "#kube/resource.ts";
import { rfc3339 } from "#runtime/clock.ts";

type Type = ResourceType<KubeObject>;
type Watcher = (event: WatchEvent<KubeObject>) => void;

/** Selectors, admission and validation are absent: every watch shows all objects of its type. */
export class FakeCluster implements Client {
  readonly #objects = new Map<string, KubeObject>();
  readonly #watchers = new Map<string, Set<Watcher>>();
  readonly #now: () => number;
  readonly #history: { readonly plural: string; readonly event: WatchEvent<KubeObject> }[] = [];
  #version = 0;
  #uids = 0;
  /** Every write, for instance `updateStatus pods ns/a`. */
  readonly writes: string[] = [];
  /** Set to make every call fail. */
  outage: Error | undefined;

  constructor(now: () => number = () => Date.UTC(2030, 0, 1)) {
    this.#now = now;
  }

  find<T extends KubeObject>(type: ResourceType<T>, key: string): T | undefined {
    return this.#objects.get(`${type.plural}/${key}`) as T | undefined;
  }

  all<T extends KubeObject>(type: ResourceType<T>): readonly T[] {
    const prefix = `${type.plural}/`;
    return [...this.#objects].filter(([key]) => key.startsWith(prefix)).map(([, object]) => object as T);
  }

  async get<T extends KubeObject>(type: ResourceType<T>, namespace: string, name: string): Promise<T> {
    this.#check();
    return this.#existing(type, namespace, name);
  }

  async list<T extends KubeObject>(type: ResourceType<T>): Promise<KubeList<T>> {
    this.#check();
    const metadata = { resourceVersion: String(this.#version) };
    return { apiVersion: apiVersionOf(type), kind: `${type.kind}List`, metadata, items: this.all(type) };
  }

  async watch<T extends KubeObject>(
    type: ResourceType<T>,
    { signal, resourceVersion = "0" }: { signal?: AbortSignal; resourceVersion?: string },
  ): Promise<AsyncIterable<readonly WatchEvent<T>[]>> {
    this.#check();
    const watchers = this.#watchers.get(type.plural) ?? new Set();
    this.#watchers.set(type.plural, watchers);
    const missed = this.#history.filter(
      ({ plural, event }) =>
        plural === type.plural && Number(event.object.metadata.resourceVersion) > Number(resourceVersion),
    );
    return watchStream(
      watchers,
      missed.map(({ event }) => event),
      signal,
    ) as AsyncIterable<readonly WatchEvent<T>[]>;
  }

  async create<T extends KubeObject>(type: ResourceType<T>, object: T): Promise<T> {
    this.#write("create", type, object);
    if (this.#objects.has(this.#keyOf(type, object)))
      throw alreadyExists(type.group, type.plural, object.metadata.name ?? "");
    const uid = object.metadata.uid ?? `uid-${++this.#uids}`;
    return this.#store(type, "ADDED", { ...object, metadata: { ...object.metadata, uid } });
  }

  async update<T extends KubeObject>(type: ResourceType<T>, object: T): Promise<T> {
    this.#write("update", type, object);
    const stored = this.#guarded(type, object);
    return this.#store(type, "MODIFIED", { ...object, metadata: { ...stored.metadata, ...object.metadata } });
  }

  async updateStatus<T extends KubeObject>(type: ResourceType<T>, object: T): Promise<T> {
    this.#write("updateStatus", type, object);
    const { status } = object as T & { status?: unknown };
    return this.#store(type, "MODIFIED", { ...this.#guarded(type, object), status });
  }

  async patch<T extends KubeObject>(
    type: ResourceType<T>,
    namespace: string,
    name: string,
    patch: Parameters<Client["patch"]>[3],
  ): Promise<T> {
    const stored = this.#existing(type, namespace, name);
    this.#write("patch", type, stored);
    if (patch.type !== "merge") throw new Error(`no ${patch.type} patches here`);
    return this.#store(type, "MODIFIED", applyMergePatch(stored as unknown as JsonValue, patch.patch) as unknown as T);
  }

  async delete(type: Type, namespace: string, name: string, options: DeleteOptions = {}): Promise<void> {
    const stored = this.#existing(type, namespace, name);
    this.#write("delete", type, stored);
    const { uid } = options.preconditions ?? {};
    if (uid !== undefined && uid !== stored.metadata.uid)
      throw conflict(type.group, type.plural, name, `the UID in the precondition (${uid}) does not match`);
    const { spec } = stored as unknown as { spec?: { nodeName?: string; terminationGracePeriodSeconds?: number } };
    const bound = type.kind === "Pod" && spec?.nodeName;
    const grace = options.gracePeriodSeconds ?? (bound ? (spec.terminationGracePeriodSeconds ?? 30) : 0);
    if (grace > 0) this.#mark(type, stored, grace);
    else this.#remove(type, stored);
  }

  async raw(_method: string, path: string): Promise<JsonValue> {
    throw new Error(`no raw calls here: ${path}`);
  }

  #mark(type: Type, stored: KubeObject, grace: number): void {
    const deletionTimestamp = stored.metadata.deletionTimestamp ?? rfc3339(this.#now() + grace * 1000);
    this.#store(type, "MODIFIED", {
      ...stored,
      metadata: { ...stored.metadata, deletionTimestamp, deletionGracePeriodSeconds: grace },
    });
  }

  #remove(type: Type, stored: KubeObject): void {
    this.#objects.delete(this.#keyOf(type, stored));
    const resourceVersion = String(++this.#version);
    this.#tell(type, "DELETED", { ...stored, metadata: { ...stored.metadata, resourceVersion } });
  }

  #store<T extends KubeObject>(type: ResourceType<T>, event: WatchEventType, object: T): T {
    const before = this.#objects.get(this.#keyOf(type, object));
    if (before && stringifyJson({ ...before, metadata: 0 }) === stringifyJson({ ...object, metadata: 0 })) {
      if (stringifyJson(before.metadata) === stringifyJson(object.metadata)) return before as T;
    }
    const stored = { ...object, metadata: { ...object.metadata, resourceVersion: String(++this.#version) } };
    this.#objects.set(this.#keyOf(type, stored), stored);
    this.#tell(type, event, stored);
    return stored;
  }

  #tell(type: Type, eventType: WatchEventType, object: KubeObject): void {
    const event = { type: eventType, object };
    this.#history.push({ plural: type.plural, event });
    for (const watcher of this.#watchers.get(type.plural) ?? []) watcher(event);
  }

  #existing<T extends KubeObject>(type: ResourceType<T>, namespace: string, name: string): T {
    const stored = this.#objects.get(`${type.plural}/${namespace ? `${namespace}/` : ""}${name}`);
    if (!stored) throw notFound(type.group, type.plural, name);
    return stored as T;
  }

  #guarded<T extends KubeObject>(type: ResourceType<T>, { metadata }: T): T {
    const { namespace = "", name = "", resourceVersion } = metadata;
    const stored = this.#existing(type, namespace, name);
    if (resourceVersion !== undefined && resourceVersion !== stored.metadata.resourceVersion)
      throw conflict(type.group, type.plural, name, staleVersion);
    return stored;
  }

  #write(verb: string, type: Type, object: KubeObject): void {
    this.#check();
    this.writes.push(`${verb} ${type.plural} ${objectKey(object)}`);
  }

  #check(): void {
    if (this.outage) throw this.outage;
  }

  #keyOf(type: Type, object: KubeObject): string {
    return `${type.plural}/${objectKey(object)}`;
  }
}

/** Listens from the call on, not from the first read. */
function watchStream(
  watchers: Set<Watcher>,
  missed: readonly WatchEvent<KubeObject>[],
  signal: AbortSignal | undefined,
): AsyncIterable<readonly WatchEvent<KubeObject>[]> {
  let waiting = [...missed];
  let wake = () => {};
  const watcher: Watcher = (event) => {
    waiting.push(event);
    wake();
  };
  watchers.add(watcher);
  signal?.addEventListener("abort", () => {
    watchers.delete(watcher);
    wake();
  });
  return (async function* () {
    while (!signal?.aborted) {
      if (waiting.length === 0) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      const batch = waiting;
      waiting = [];
      if (batch.length > 0) yield batch;
    }
  })();
}
