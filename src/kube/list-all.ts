import type { KubeList, KubeObject } from "#api/meta/object.ts";
import type { ResourceType } from "#api/meta/resource-type.ts";
import { isExpired } from "#api/meta/status.ts";
import type { ListOptions, Reader } from "./client.ts";

/**
 * The whole list, read in pages of `limit` (default 500) that all show the same version. When the server forgets that version
 * half-way (410), it is read once more in one piece, as the API asks of its clients.
 */
export async function listAll<T extends KubeObject>(
  reader: Pick<Reader, "list">,
  type: ResourceType<T>,
  options: ListOptions = {},
): Promise<KubeList<T>> {
  const first = await reader.list(type, { limit: 500, ...options });
  if (!first.metadata.continue) return first;
  const items = [...first.items];
  let next: string | undefined = first.metadata.continue;
  try {
    while (next) {
      const page: KubeList<T> = await reader.list(type, {
        limit: 500,
        ...options,
        resourceVersion: undefined,
        continue: next,
      });
      items.push(...page.items);
      next = page.metadata.continue;
    }
  } catch (error) {
    if (!isExpired(error)) throw error;
    return reader.list(type, { ...options, limit: undefined });
  }
  return { ...first, metadata: { resourceVersion: first.metadata.resourceVersion }, items };
}
