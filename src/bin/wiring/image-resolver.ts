import { CONFIG_MAPS } from "#api/core/resources.ts";
import { IMAGE_MAP_NAME, IMAGE_MAP_NAMESPACE, type ImageMap, readImageMap } from "#api/stadion/image-map.ts";
import type { ImageCommand, ImageResolver } from "#cluster/node/image-resolver.ts";
import type { Client } from "#kube/client.ts";
import { createInformer } from "#kube/shared-informer.ts";
import type { Clock } from "#runtime/clock.ts";
import type { Logger } from "#runtime/logger.ts";
import type { Runnable } from "#runtime/runnable.ts";

/** Image names, whatever their tag, of the simple game server that the quick-start manifests use. */
const SIMPLE_GAME_SERVER =
  /^(us-docker\.pkg\.dev\/agones-images\/examples|gcr\.io\/agones-images)\/simple-game-server(:|@|$)/;

/** An image without its tag or digest: `host:5000/name:tag` is `host:5000/name`. */
const withoutTag = (image: string): string => image.replace(/(@[^/]*|:[^/:]*)$/, "");

/**
 * What images stand for on this machine: what the cluster's map says for the exact name or for the name without its tag,
 * else the simple game server that comes with Stadion.
 */
export function clusterImages(options: {
  client: Client;
  /** Entry file of the simple game server that comes with Stadion. */
  simpleGameServer: string;
  clock: Clock;
  log: Logger;
}): ImageResolver & { readonly runnable: Required<Runnable> } {
  const { client, simpleGameServer, clock, log } = options;
  const listeners = new Set<() => void>();
  let map: ImageMap = {};
  const informer = createInformer(client, CONFIG_MAPS, {
    namespace: IMAGE_MAP_NAMESPACE,
    fieldSelector: `metadata.name=${IMAGE_MAP_NAME}`,
    clock,
    log,
  });
  const see = (next: ImageMap): void => {
    map = next;
    for (const listener of listeners) listener();
  };
  informer.addHandler({
    add: (configMap) => see(readImageMap(configMap)),
    update: (configMap) => see(readImageMap(configMap)),
    delete: () => see({}),
  });
  const builtIn: ImageCommand = { command: [process.execPath, simpleGameServer] };
  const mapped = (image: string): ImageCommand | undefined => (Object.hasOwn(map, image) ? map[image] : undefined);

  return {
    runnable: informer,
    resolve: (image) =>
      mapped(image) ?? mapped(withoutTag(image)) ?? (SIMPLE_GAME_SERVER.test(image) ? builtIn : undefined),
    onChange: (changed) => {
      listeners.add(changed);
      return () => listeners.delete(changed);
    },
  };
}
