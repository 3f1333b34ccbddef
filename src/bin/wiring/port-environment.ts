import type { GameServer } from "#api/agones/gameserver.ts";
import type { Container, Pod } from "#api/core/pod.ts";
import { portVariable } from "#api/core/port-variable.ts";
import { isControlledBy, objectKey } from "#api/meta/object.ts";
import type { Lister } from "#kube/informer.ts";

/** `STADION_PORT_<NAME>` for the ports that a game server names: in its Pod they have no names. */
export function portEnvironment(servers: Lister<GameServer>) {
  return (pod: Pod, { name }: Container): Readonly<Record<string, string>> => {
    const server = servers.get(objectKey(pod));
    if (!server || !isControlledBy(pod, server)) return {};
    const own = (server.spec.ports ?? []).filter((port) => (port.container ?? server.spec.container) === name);
    return Object.fromEntries(
      own.flatMap((port) => (port.name && port.hostPort ? [[portVariable(port.name), String(port.hostPort)]] : [])),
    );
  };
}
