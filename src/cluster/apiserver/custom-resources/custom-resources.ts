/** Serves what CustomResourceDefinitions describe, from the moment one is committed until it is gone. */
import type { JsonObject } from "#api/meta/json.ts";
import { isNotFound, statusError } from "#api/meta/status.ts";
import type { Logger } from "#runtime/logger.ts";
import { type Objects, RevisionExpired, type StoredObject } from "../../store/objects.ts";
import { CLEANUP_FINALIZER, DEFINITIONS } from "../builtins/definitions.ts";
import { customRules } from "../builtins/rule-defaults.ts";
import { isEstablished } from "../crd/crd-strategy.ts";
import { customResource } from "../crd/custom-resources.ts";
import { metaOf, objectAt, objectsAt, withMeta } from "../resources/object-fields.ts";
import type { ResourceRegistry } from "../resources/registry.ts";
import { apiVersionOf, collectionOf, keyOf, type ServedResource } from "../resources/served-resource.ts";
import type { Writing } from "../write/context.ts";
import { deleteInstances } from "./delete-instances.ts";

export class CustomResources {
  /** The store, watched for definitions: a write to one is answered when its resources are served. */
  readonly objects: Objects;
  readonly #registry: ResourceRegistry;
  readonly #log: Logger;
  /** What each definition was last registered with. */
  readonly #registered = new Map<string, Registered>();

  constructor(objects: Objects, registry: ResourceRegistry, log: Logger) {
    this.#registry = registry;
    this.#log = log;
    this.objects = {
      get: (collection, key) => objects.get(collection, key),
      list: (collection, namespace) => objects.list(collection, namespace),
      revision: (collection) => objects.revision(collection),
      watch: (collection, options) => objects.watch(collection, options),
      collections: () => objects.collections(),
      write: async (collection, key, change) => {
        const result = await objects.write(collection, key, change);
        if (collection === DEFINITIONS) this.#sync(key);
        return result;
      },
    };
  }

  /** Registers every definition that is stored. */
  load(): void {
    for (const { object } of this.objects.list(DEFINITIONS)) this.#sync(keyOf(undefined, metaOf(object).name ?? ""));
  }

  #sync(key: string): void {
    const stored = this.objects.get(DEFINITIONS, key);
    const wanted = stored && registrationOf(stored);
    const before = this.#registered.get(key);
    if (wanted && before && wanted.spec === before.spec && wanted.terminating === before.terminating) return;
    if (!wanted && !before) return;
    if (wanted) this.#registered.set(key, wanted);
    else this.#registered.delete(key);
    this.#registry.setCustom(key, wanted ? servedBy(wanted) : []);
  }

  /** Deletes the objects of definitions that are being deleted, then lets those go. Ends when `signal` aborts. */
  async clean(writing: Writing, signal: AbortSignal): Promise<void> {
    const running = new Map<string, Promise<void>>();
    const begin = ({ object }: StoredObject) => {
      const { name = "", uid = "", deletionTimestamp } = metaOf(object);
      if (!deletionTimestamp || running.has(uid)) return;
      const finished = this.#finish(writing, name, signal)
        .catch((error: unknown) => {
          if (!signal.aborted) this.#log.error({ error, definition: name }, "custom resources could not be cleaned up");
        })
        .finally(() => running.delete(uid));
      running.set(uid, finished);
    };
    while (!signal.aborted) {
      const changes = this.objects.watch(DEFINITIONS, { since: this.objects.revision(DEFINITIONS), signal });
      for (const stored of this.objects.list(DEFINITIONS)) begin(stored);
      try {
        for await (const batch of changes) for (const { type, stored } of batch) if (type === "MODIFIED") begin(stored);
      } catch (error) {
        if (!(error instanceof RevisionExpired)) throw error;
      }
    }
    await Promise.all(running.values());
  }

  async #finish(writing: Writing, name: string, signal: AbortSignal): Promise<void> {
    const key = keyOf(undefined, name);
    const resource = this.#registry.all().find(({ definition }) => `${definition.plural}.${definition.group}` === name);
    if (resource) await deleteInstances(writing, resource, signal);
    await writing.objects
      .write(DEFINITIONS, key, (current) => {
        if (!current) return undefined;
        const finalizers = (metaOf(current.object).finalizers ?? []).filter((each) => each !== CLEANUP_FINALIZER);
        return finalizers.length === 0 ? "delete" : withMeta(current.object, { finalizers });
      })
      .catch((error: unknown) => {
        if (!isNotFound(error)) throw error;
      });
  }
}

interface Registered {
  readonly object: JsonObject;
  /** By identity: a status update shares it. */
  readonly spec: unknown;
  readonly terminating: boolean;
}

/** `undefined` while the definition is not established. */
function registrationOf({ object }: StoredObject): Registered | undefined {
  if (!isEstablished(object)) return undefined;
  return { object, spec: object.spec, terminating: metaOf(object).deletionTimestamp !== undefined };
}

function servedBy({ object, terminating }: Registered): readonly ServedResource[] {
  const definitions = customResource(object);
  const storage = objectsAt(objectAt(object, "spec"), "versions").find((version) => version.storage === true)?.name;
  const refusesCreation = () =>
    terminating
      ? statusError("MethodNotAllowed", "create not allowed while custom resource definition is terminating")
      : undefined;
  return definitions.map((definition) => {
    const { group, version, plural } = definition;
    const several = definitions.length > 1 || version !== storage;
    return {
      definition,
      collection: collectionOf(group, plural),
      rules: { ...customRules, refusesCreation },
      // Versions differ in name alone (conversion strategy None).
      view: several
        ? {
            read: inVersion(apiVersionOf(definition)),
            write: inVersion(apiVersionOf({ group, version: String(storage) })),
          }
        : undefined,
    };
  });
}

const inVersion = (apiVersion: string) => (object: JsonObject) =>
  object.apiVersion !== apiVersion ? { ...object, apiVersion } : object;
