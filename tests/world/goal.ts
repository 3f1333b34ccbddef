/** Where a fleet must end up once nothing disturbs it any more. */
import type { GameServerSet } from "#api/agones/fleet.ts";
import type { GameServer } from "#api/agones/gameserver.ts";
import { FLEETS } from "#api/agones/resources.ts";
import { semanticEqual } from "#api/meta/equality.ts";
import { isControlledBy } from "#api/meta/object.ts";
import type { World } from "./world.ts";

const count = (servers: readonly GameServer[], ...states: string[]): number =>
  servers.filter(({ status, metadata }) => !metadata.deletionTimestamp && states.includes(status?.state ?? "")).length;

/** What is missing to the goal; undefined when it is reached. */
export async function missingToGoal(world: World, name: string): Promise<string | undefined> {
  const fleet = await world.api.client.get(FLEETS, "default", name);
  const [servers, sets, pods] = [await world.servers(), await world.sets(), await world.nodes.pods()];
  const active = sets.filter((set) => semanticEqual(set.spec.template, fleet.spec.template));
  const [set] = active;
  if (!set || active.length > 1) return `${active.length} sets have the fleet's template`;

  const of = (owner: GameServerSet) => servers.filter((server) => isControlledBy(server, owner));
  let held = 0;
  for (const old of sets.filter((each) => each !== set)) {
    const busy = count(of(old), "Allocated", "Reserved");
    // Without RollingUpdateFix an old set may keep a number while its servers are in use.
    const kept = world.gates.RollingUpdateFix ? 0 : busy;
    if (busy === 0 || busy !== of(old).length || old.spec.replicas > kept)
      return `old set ${old.metadata.name} wants ${old.spec.replicas} and has ${states(of(old))}`;
    held += busy;
  }
  const wanted = Math.max(0, (fleet.spec.replicas ?? 0) - held);
  const busy = count(of(set), "Allocated", "Reserved");
  const ready = count(of(set), "Ready");
  if (set.spec.replicas !== wanted || ready !== Math.max(0, wanted - busy) || ready + busy !== of(set).length)
    return `set ${set.metadata.name} should have ${wanted}, is asked for ${set.spec.replicas} and has ${states(of(set))}`;

  for (const each of sets) {
    const expected = { replicas: of(each).length, readyReplicas: count(of(each), "Ready") };
    const told = { replicas: each.status?.replicas, readyReplicas: each.status?.readyReplicas };
    if (!semanticEqual(expected, told)) return `the status of set ${each.metadata.name} is ${JSON.stringify(told)}`;
  }
  const total = { replicas: servers.length, allocatedReplicas: count(servers, "Allocated") };
  const told = { replicas: fleet.status?.replicas, allocatedReplicas: fleet.status?.allocatedReplicas };
  if (!semanticEqual(total, told)) return `the fleet has ${JSON.stringify(total)} and says ${JSON.stringify(told)}`;
  const orphans = pods.filter((pod) => !servers.some((server) => isControlledBy(pod, server)));
  if (orphans.length > 0) return `${orphans.length} Pods have lost their servers`;
  return pods.length === servers.length ? undefined : `${servers.length} servers have ${pods.length} Pods`;
}

const states = (servers: readonly GameServer[]): string =>
  servers.map(({ status, metadata }) => `${status?.state}${metadata.deletionTimestamp ? " (going)" : ""}`).join(", ") ||
  "none";
