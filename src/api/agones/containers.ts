/** The containers of a game server's pod template that matter to it. */
import type { Container, PodSpec } from "../core/pod.ts";
import type { GameServerSpec } from "./gameserver.ts";

/** The template's Pod. A template may leave it out altogether, which the schema allows: then it has no containers. */
export function podSpecOf(spec: GameServerSpec): PodSpec {
  const pod: Partial<PodSpec> | undefined = spec.template?.spec;
  return { ...pod, containers: pod?.containers ?? [] };
}

export const findContainer = (containers: readonly Container[], name: string): Container | undefined =>
  containers.find((container) => container.name === name);

/** An init container that keeps running beside the others. */
const isSidecar = (container: Container): boolean => container.restartPolicy === "Always";

/** Names of those that may have game ports. */
export const portContainerNames = (pod: PodSpec): ReadonlySet<string> =>
  new Set(portContainers(pod).map(({ name }) => name));

/** Those that may have game ports, in the order they are looked up: regular ones, then sidecars. */
export const portContainers = ({ containers, initContainers }: PodSpec): readonly Container[] => [
  ...containers,
  ...(initContainers ?? []).filter(isSidecar),
];
