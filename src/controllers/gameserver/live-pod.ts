import type { Pod } from "#api/core/pod.ts";
import { PODS } from "#api/core/resources.ts";
import { splitKey } from "#api/meta/object.ts";
import { isNotFound } from "#api/meta/status.ts";
import type { Reader } from "#kube/client.ts";

/** The Pod of a server's key as the API has it now: the absence of one is believed only after asking, since a cache may lag. */
export async function livePod(client: Pick<Reader, "get">, key: string): Promise<Pod | undefined> {
  const { namespace, name } = splitKey(key);
  return client.get(PODS, namespace, name).catch((error: unknown) => {
    if (isNotFound(error)) return undefined;
    throw error;
  });
}
