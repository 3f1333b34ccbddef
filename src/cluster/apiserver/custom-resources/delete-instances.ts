import { isNotFound } from "#api/meta/status.ts";
import { RevisionExpired } from "../../store/objects.ts";
import { metaOf } from "../resources/object-fields.ts";
import { type ServedResource, shown } from "../resources/served-resource.ts";
import type { Writing } from "../write/context.ts";
import { deleteObject } from "../write/delete.ts";

const SERVER = { username: "system:apiserver", groups: ["system:masters"] };
/** As many are deleted before others have their turn. */
const SLICE = 20;

/** Deletes every object of a resource and waits until finalizers have let the last one go. Rejects when `signal` aborts first. */
export async function deleteInstances(writing: Writing, resource: ServedResource, signal: AbortSignal): Promise<void> {
  for (;;) {
    signal.throwIfAborted();
    const wait = new AbortController();
    const changes = writing.objects.watch(resource.collection, {
      since: writing.objects.revision(resource.collection),
      signal: AbortSignal.any([signal, wait.signal]),
    });
    try {
      const left = writing.objects.list(resource.collection);
      if (left.length === 0) return;
      const metas = left.map(({ object }) => metaOf(shown(resource, object)));
      const live = metas.filter(({ deletionTimestamp }) => !deletionTimestamp);
      for (let at = 0; at < live.length; at += SLICE) {
        await Promise.all(live.slice(at, at + SLICE).map((meta) => remove(writing, resource, meta)));
        await new Promise<void>((resolve) => setImmediate(resolve));
      }
      await firstOf(changes);
    } finally {
      wait.abort();
    }
  }
}

async function remove(writing: Writing, resource: ServedResource, meta: ReturnType<typeof metaOf>): Promise<void> {
  await deleteObject(writing, {
    resource,
    namespace: meta.namespace,
    name: meta.name ?? "",
    request: {},
    dryRun: false,
    user: SERVER,
    warnings: new Set(),
  }).catch((error: unknown) => {
    if (!isNotFound(error)) throw error;
  });
}

async function firstOf(changes: AsyncIterable<unknown>): Promise<void> {
  try {
    for await (const _ of changes) return;
  } catch (error) {
    if (!(error instanceof RevisionExpired)) throw error;
  }
}
