import { CONFIG_MAPS } from "#api/core/resources.ts";
import { isAlreadyExists, isConflict, isNotFound } from "#api/meta/status.ts";
import {
  IMAGE_MAP_NAME,
  IMAGE_MAP_NAMESPACE,
  type ImageMap,
  imageMapData,
  readImageMap,
} from "#api/stadion/image-map.ts";
import type { Client } from "#kube/client.ts";

export async function loadImages(client: Client): Promise<ImageMap> {
  return readImageMap(await storedMap(client));
}

/** Changes the image map; tries again when somebody else changed it meanwhile. */
export async function changeImages(client: Client, change: (map: ImageMap) => ImageMap): Promise<void> {
  for (;;) {
    const stored = await storedMap(client);
    const data = imageMapData(change(readImageMap(stored)));
    try {
      if (stored) await client.update(CONFIG_MAPS, { ...stored, data } as typeof stored);
      else {
        const metadata = { name: IMAGE_MAP_NAME, namespace: IMAGE_MAP_NAMESPACE };
        await client.create(CONFIG_MAPS, { apiVersion: "v1", kind: "ConfigMap", metadata, data } as Parameters<
          typeof client.create
        >[1]);
      }
      return;
    } catch (error) {
      if (!isConflict(error) && !isAlreadyExists(error)) throw error;
    }
  }
}

async function storedMap(client: Client) {
  return client.get(CONFIG_MAPS, IMAGE_MAP_NAMESPACE, IMAGE_MAP_NAME).catch((error: unknown) => {
    if (isNotFound(error)) return undefined;
    throw error;
  });
}
