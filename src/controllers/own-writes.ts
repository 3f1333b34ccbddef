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
    informer.addHandler({
      update: (object) => void this.newest(object),
      delete: ({ metadata }) => void this.#written.delete(metadata.uid ?? ""),
    });
  }

  /** Remembers the answer to a write, unless the object has gone from the cache meanwhile. */
  wrote(object: T): T {
    const uid = object.metadata.uid ?? "";
    if (this.#informer.lister.get(objectKey(object))?.metadata.uid === uid) this.#written.set(uid, object);
    return object;
  }

  /** The cached object, or what was written of it since. */
  newest(cached: T): T {
    const uid = cached.metadata.uid ?? "";
    const written = this.#written.get(uid);
    if (!written) return cached;
    if (isNewerVersion(written, cached)) return written;
    this.#written.delete(uid);
    return cached;
  }

  /** As `newest`, by the object's key. */
  get(key: string): T | undefined {
    const cached = this.#informer.lister.get(key);
    return cached && this.newest(cached);
  }
}
