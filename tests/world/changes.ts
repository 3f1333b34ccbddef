/** What people and games change in a cluster, and the fleets that tests do it to. */
import type { Fleet } from "#api/agones/fleet.ts";
import type { GameServerState } from "#api/agones/gameserver.ts";
import { GAMESERVERS } from "#api/agones/resources.ts";
import type { KubeObject } from "#api/meta/object.ts";
import type { ResourceType } from "#api/meta/resource-type.ts";
import { isConflict, isNotFound } from "#api/meta/status.ts";
import type { Client } from "#kube/client.ts";

/** Changes an object of the namespace `default`: again with the newest version when somebody else was faster. */
export async function changeObject<T extends KubeObject>(
  client: Pick<Client, "get" | "update">,
  type: ResourceType<T>,
  name: string,
  to: (object: T) => T,
): Promise<void> {
  try {
    await client.update(type, to(await client.get(type, "default", name)));
  } catch (error) {
    if (isConflict(error)) return changeObject(client, type, name, to);
    throw error;
  }
}

/** What a game asks its SDK server for. A server that is gone has nothing more to say. */
export async function askForState(
  client: Pick<Client, "get" | "update">,
  name: string,
  state: GameServerState,
): Promise<void> {
  try {
    await changeObject(client, GAMESERVERS, name, (server) => ({ ...server, status: { ...server.status, state } }));
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}

/** A fleet whose template is told apart by the version of its image. */
export function fleetOf(name: string, replicas: number, version = "1", more: Partial<Fleet["spec"]> = {}): Fleet {
  return {
    apiVersion: "agones.dev/v1",
    kind: "Fleet",
    metadata: { name, namespace: "default" },
    spec: { replicas, template: templateOf(version), ...more },
  };
}

export function templateOf(version: string): Fleet["spec"]["template"] {
  return {
    spec: {
      ports: [{ name: "play", containerPort: 7777 }],
      health: { disabled: true },
      template: { spec: { containers: [{ name: "game", image: `game:${version}` }] } },
    },
  };
}
