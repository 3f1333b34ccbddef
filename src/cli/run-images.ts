/** The images that `stadion run` maps: one for each command that a fleet of it has had. They go with the fleet. */
import { createHash } from "node:crypto";
import type { GameServerSet } from "#api/agones/fleet.ts";
import { FLEETS, GAMESERVERSETS } from "#api/agones/resources.ts";
import type { KubeObject } from "#api/meta/object.ts";
import type { ResourceType } from "#api/meta/resource-type.ts";
import { isNotFound } from "#api/meta/status.ts";
import type { ImageCommand, ImageMap } from "#api/stadion/image-map.ts";
import type { Client } from "#kube/client.ts";
import { changeImages, loadImages } from "./images.ts";

/** Its tag follows from the command, so that another command rolls the fleet over. */
export function runImage(fleet: string, command: readonly string[], cwd: string): string {
  const tag = createHash("sha256")
    .update(JSON.stringify([command, cwd]))
    .digest("hex")
    .slice(0, 8);
  return `stadion.local/${fleet}:${tag}`;
}

export const isRunImage = (image: string, fleet: string): boolean => image.startsWith(`stadion.local/${fleet}:`);

/** The template of a Fleet or of a set. */
interface Templated {
  readonly spec: Pick<GameServerSet["spec"], "template">;
}

export const imagesOf = ({ spec }: Templated): readonly string[] =>
  (spec.template.spec.template.spec?.containers ?? []).map(({ image = "" }) => image);

/** Unmaps what was mapped for fleets of this name, but for what a fleet still runs, or an older set of it. */
export async function forgetRunImages(client: Client, fleet: string): Promise<void> {
  const isTheirs = (image: string): boolean => isRunImage(image, fleet);
  if (!Object.keys(await loadImages(client)).some(isTheirs)) return;
  const used = await usedImages(client);
  await changeImages(client, (map) =>
    Object.fromEntries(Object.entries(map).filter(([image]) => !isTheirs(image) || used.has(image))),
  );
}

/**
 * The mappings that are of use: all that people made, and of those that `run` made the ones that a fleet or a set runs. A fleet that
 * another program than ours deleted leaves its own behind. They are not forgotten here: a `run` maps before it makes its fleet.
 */
export async function imagesInUse(client: Client): Promise<ImageMap> {
  const map = await loadImages(client);
  if (!Object.entries(map).some(isMadeByRun)) return map;
  const used = await usedImages(client);
  return Object.fromEntries(Object.entries(map).filter((entry) => !isMadeByRun(entry) || used.has(entry[0])));
}

function isMadeByRun([image, { command, cwd = "" }]: readonly [string, ImageCommand]): boolean {
  const fleet = /^stadion\.local\/([^/:]+):/.exec(image)?.[1];
  return fleet !== undefined && image === runImage(fleet, command, cwd);
}

/** What the fleets run, and the older sets of those fleets. */
async function usedImages(client: Client): Promise<ReadonlySet<string>> {
  // With its definition, all of a kind is gone.
  const itemsOf = <T extends KubeObject>(type: ResourceType<T>): Promise<readonly T[]> =>
    client.list(type).then(
      ({ items }) => items,
      (error: unknown) => {
        if (isNotFound(error)) return [];
        throw error;
      },
    );
  const [living, sets] = await Promise.all([itemsOf(FLEETS), itemsOf(GAMESERVERSETS)]);
  const uids = new Set(living.map(({ metadata }) => metadata.uid));
  const owned = sets.filter(({ metadata: { ownerReferences = [] } }) =>
    ownerReferences.every(({ uid }) => uids.has(uid)),
  );
  return new Set([...living, ...owned].flatMap(imagesOf));
}
