/** Nodes that run every pod given to them, in no time, and the games on them. */
import type { GameServer, GameServerState } from "#api/agones/gameserver.ts";
import { GAMESERVERS, GAMESERVERSETS } from "#api/agones/resources.ts";
import type { Node } from "#api/core/node.ts";
import type { Pod, PodStatus } from "#api/core/pod.ts";
import { NODES, PODS } from "#api/core/resources.ts";
import { controllerOf, objectKey } from "#api/meta/object.ts";
import { isConflict, isNotFound } from "#api/meta/status.ts";
import type { Client } from "#kube/client.ts";

export class Nodes {
  readonly #client: Client;
  /** Whether games say that they are ready once they run. */
  gamesBecomeReady = true;
  /** How games end as soon as they run, or as soon as they are Ready; undefined when they go on. */
  gamesEnd: "Failed" | "Succeeded" | "FailedWhenReady" | undefined;

  constructor(client: Client) {
    this.#client = client;
  }

  async add(name: string): Promise<void> {
    const amounts = { cpu: "64", memory: "64Gi", pods: "500", "ephemeral-storage": "100Gi" };
    const node: Node = {
      apiVersion: "v1",
      kind: "Node",
      metadata: { name, labels: { "kubernetes.io/hostname": name } },
      status: {
        capacity: amounts,
        allocatable: amounts,
        addresses: [{ type: "InternalIP", address: `10.0.0.${Number(name.replace(/\D/g, "")) + 1}` }],
        conditions: [{ type: "Ready", status: "True" }],
      },
    };
    const made = await this.#client.create(NODES, node);
    await this.#client.updateStatus(NODES, { ...made, status: node.status });
  }

  /** The node is gone at once, and its pods with it. */
  async remove(name: string): Promise<void> {
    await this.#client.delete(NODES, "", name);
    for (const pod of await this.pods()) if (pod.spec.nodeName === name) await this.#end(pod);
  }

  async pods(): Promise<readonly Pod[]> {
    return (await this.#client.list(PODS)).items;
  }

  /** One turn: pods that are bound start, pods that are to go are gone, games that run speak, servers without a set are collected. */
  async play(): Promise<void> {
    const running = new Set<string>();
    for (const pod of await this.pods()) {
      if (!pod.spec.nodeName) continue;
      if (pod.metadata.deletionTimestamp) await this.#end(pod);
      else if (pod.status?.phase === "Pending" || !pod.status?.phase) await this.#start(pod);
      else if (pod.status.phase === "Running") running.add(objectKey(pod));
    }
    const sets = new Set((await this.#client.list(GAMESERVERSETS)).items.map(({ metadata }) => metadata.uid));
    for (const server of (await this.#client.list(GAMESERVERS)).items) {
      const owner = controllerOf(server);
      const { name = "", deletionTimestamp } = server.metadata;
      if (owner && !sets.has(owner.uid) && !deletionTimestamp)
        await tried(this.#client.delete(GAMESERVERS, "default", name));
      else if (this.gamesBecomeReady && server.status?.state === "Scheduled" && running.has(objectKey(server)))
        await this.setState(server, "RequestReady");
      else if (this.gamesEnd === "FailedWhenReady" && server.status?.state === "Ready")
        await tried(this.#client.get(PODS, "default", name).then((pod) => this.#endGame(pod, "Failed")));
    }
  }

  async #start(pod: Pod): Promise<void> {
    await this.setStatus(pod, { phase: "Running", podIPs: [{ ip: "10.8.0.1" }] });
    if (this.gamesEnd === "Failed" || this.gamesEnd === "Succeeded")
      await this.#endGame(await this.#client.get(PODS, "default", pod.metadata.name ?? ""), this.gamesEnd);
  }

  #endGame(pod: Pod, phase: "Failed" | "Succeeded"): Promise<boolean> {
    const terminated = { exitCode: phase === "Failed" ? 1 : 0 };
    const game = { name: "game", image: "", imageID: "", ready: false, restartCount: 0, state: { terminated } };
    return this.setStatus(pod, { phase, containerStatuses: [game] });
  }

  /** What a game asks for through the SDK. False when somebody else changed the server first. */
  async setState(server: GameServer, state: GameServerState): Promise<boolean> {
    return tried(this.#client.update(GAMESERVERS, { ...server, status: { ...server.status, state } }));
  }

  async setStatus(pod: Pod, status: PodStatus): Promise<boolean> {
    return tried(this.#client.updateStatus(PODS, { ...pod, status: { ...pod.status, ...status } }));
  }

  async #end({ metadata: { namespace = "", name = "" } }: Pod): Promise<void> {
    await tried(this.#client.delete(PODS, namespace, name, { gracePeriodSeconds: 0 }));
  }
}

/** False when somebody else changed or removed the object first. */
export async function tried(request: Promise<unknown>): Promise<boolean> {
  try {
    await request;
    return true;
  } catch (error) {
    if (isConflict(error) || isNotFound(error)) return false;
    throw error;
  }
}
