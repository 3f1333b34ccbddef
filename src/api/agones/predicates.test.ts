import { describe, expect, test } from "vitest";
import type { Pod } from "../core/pod.ts";
import { titled } from "../meta/promise-row.ts";
import { manifest, stored } from "./gameserver.fixture.ts";
import { GAMESERVER_STATES } from "./gameserver.ts";
import { isBeingDeleted, isDeletable, isDevelopment, isGameServerPod } from "./predicates.ts";
import { states } from "./states.promises.ts";

const statesOf = (holds: (server: ReturnType<typeof stored>) => boolean) =>
  GAMESERVER_STATES.filter((state) => holds(stored({ state })));
const deleting = { deletionTimestamp: "2030-01-01T00:00:00Z" };

describe("predicates", () => {
  test.each(titled(states))("%s: %s holds in exactly its states", (_section, _name, { holds, states }) => {
    expect(statesOf(holds).toSorted()).toEqual(states.toSorted());
  });

  test("a deletion timestamp makes any server being deleted and deletable", () => {
    expect(isBeingDeleted(stored({ state: "Ready" }, deleting))).toBe(true);
    expect(isDeletable(stored({ state: "Allocated" }, deleting))).toBe(true);
  });

  test("the dev-address annotation makes a development server, even when empty", () => {
    expect(isDevelopment(manifest({}, { annotations: { "agones.dev/dev-address": "" } }))).toBe(true);
    expect(isDevelopment(manifest())).toBe(false);
  });

  test("a game server Pod has the role label and a GameServer for controller, whatever its UID", () => {
    const owner = { apiVersion: "agones.dev/v1", kind: "GameServer", name: "duel-1", uid: "any", controller: true };
    const pod = (labels: Record<string, string>, ...ownerReferences: (typeof owner)[]): Pod => ({
      apiVersion: "v1",
      kind: "Pod",
      metadata: { labels, ownerReferences },
      spec: { containers: [] },
    });
    const role = { "agones.dev/role": "gameserver" };
    expect(isGameServerPod(pod(role, owner))).toBe(true);
    expect(isGameServerPod(pod({}, owner))).toBe(false);
    expect(isGameServerPod(pod(role))).toBe(false);
    expect(isGameServerPod(pod(role, { ...owner, controller: false }))).toBe(false);
    expect(isGameServerPod(pod(role, { ...owner, kind: "ReplicaSet" }))).toBe(false);
  });
});
