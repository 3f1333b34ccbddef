import { type KubeObject, objectKey } from "#api/meta/object.ts";
import { isNewerVersion } from "#api/meta/resource-version.ts";
import type { Informer } from "#kube/informer.ts";

/**
 * What a controller wrote itself and its cache does not show yet. Deciding from the newest version it knows, a controller neither
 * repeats a step nor runs into a Conflict with itself.
 */
export class OwnWrites<T extends KubeObject> {
  readonly #informer: Pick<Informer<T>, "lister">;
  readonly #written = new Map<string, T>();

  constructor(informer: Pick<Informer<T>, "lister" | "addHandler">) {
    this.#informer = informer;
    const shown = (object: T): void => {
      if (this.newest(object) === object) this.#forget(object);
    };
    informer.addHandler({ add: shown, update: shown, delete: (object) => this.#forget(object) });
  }

  /** Remembers the answer to a write, unless the object has gone from the cache meanwhile. */
  wrote(object: T): T {
    const uid = object.metadata.uid ?? "";
    const isCached = this.#informer.lister.get(objectKey(object))?.metadata.uid === uid;
    if (isCached || this.#written.has(uid)) this.#written.set(uid, object);
    return object;
  }

  /** Remembers an object that the cache has not shown yet, so that what is written to it counts when the cache shows it as it was before. */
  found(object: T): T {
    this.#written.set(object.metadata.uid ?? "", object);
    return object;
  }

  /** The cached object, or what was written of it since. */
  newest(cached: T): T {
    const written = this.#written.get(cached.metadata.uid ?? "");
    return written && isNewerVersion(written, cached) ? written : cached;
  }

  /** As `newest`, by the object's key. */
  get(key: string): T | undefined {
    const cached = this.#informer.lister.get(key);
    return cached && this.newest(cached);
  }

  #forget({ metadata }: T): void {
    this.#written.delete(metadata.uid ?? "");
  }
}
