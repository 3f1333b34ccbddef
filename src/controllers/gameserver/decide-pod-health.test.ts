import { describe, expect, test } from "vitest";
import type { GameServerState } from "#api/agones/gameserver.ts";
import type { Node } from "#api/core/node.ts";
import type { Pod, PodStatus } from "#api/core/pod.ts";
import type { ObjectMeta } from "#api/meta/object.ts";
import { buildGameServer } from "../fixtures.ts";
import { decideMigration, decideMissingPod, type PodVerdict } from "./decide-pod-health.ts";

const pod = (status: PodStatus = { phase: "Running" }, metadata: ObjectMeta = {}): Pod => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: {
    name: "s",
    namespace: "default",
    labels: { "agones.dev/role": "gameserver" },
    ownerReferences: [{ apiVersion: "agones.dev/v1", kind: "GameServer", name: "s", uid: "uid-s", controller: true }],
    ...metadata,
  },
  spec: { containers: [], nodeName: "n1" },
  status,
});
const node = (address: string, metadata: ObjectMeta = {}): Node => ({
  apiVersion: "v1",
  kind: "Node",
  metadata: { name: "n1", ...metadata },
  status: { addresses: [{ type: "InternalIP", address }] },
});
const server = (state: GameServerState, status = {}, metadata: ObjectMeta = {}) =>
  buildGameServer("s", state, { status: { state, ...status }, metadata: { name: "s", uid: "uid-s", ...metadata } });
/** The Pod of an earlier server of the name. */
const left = (status: PodStatus): Pod =>
  pod(status, {
    ownerReferences: [{ apiVersion: "agones.dev/v1", kind: "GameServer", name: "s", uid: "older", controller: true }],
  });
const stateOf = (verdict: PodVerdict) => verdict?.gameServer.status?.state;

const SETTLED: readonly GameServerState[] = ["Shutdown", "Error", "Unhealthy"];

describe("a missing Pod", () => {
  test.each(["Starting", "Scheduled", "RequestReady", "Ready", "Allocated", "Reserved"] as const)(
    "makes a server in %s Unhealthy",
    (state) => {
      const verdict = decideMissingPod({ gameServer: server(state), pod: undefined, node: undefined });
      expect([stateOf(verdict), verdict?.note.message]).toEqual(["Unhealthy", "Pod is missing"]);
    },
  );

  test.each(["PortAllocation", "Creating", ...SETTLED] as const)("is no fault of a server in %s", (state) => {
    expect(decideMissingPod({ gameServer: server(state), pod: undefined, node: undefined })).toBeUndefined();
  });

  test("a Pod of the same name that belongs to another server is as good as none", () => {
    const foreign = left({ phase: "Running" });
    expect(stateOf(decideMissingPod({ gameServer: server("Ready"), pod: foreign, node: undefined }))).toBe("Unhealthy");
    expect(decideMissingPod({ gameServer: server("Ready"), pod: pod(), node: undefined })).toBeUndefined();
  });

  test("a development server never has one", () => {
    const development = server("Ready", {}, { annotations: { "agones.dev/dev-address": "192.0.2.9" } });
    expect(decideMissingPod({ gameServer: development, pod: undefined, node: undefined })).toBeUndefined();
  });
});

describe("migration", () => {
  const at = (address: string, nodeName = "n1") => ({ address, nodeName });

  test("a server follows its node's new address until it is Ready, and is Unhealthy after", () => {
    const early = decideMigration({
      gameServer: server("Scheduled", at("10.0.0.1")),
      pod: pod(),
      node: node("10.0.0.2"),
    });
    expect([stateOf(early), early?.gameServer.status?.address, early?.note.reason]).toEqual([
      "Scheduled",
      "10.0.0.2",
      "Scheduled",
    ]);
    const late = decideMigration({
      gameServer: server("Allocated", at("10.0.0.1")),
      pod: pod(),
      node: node("10.0.0.2"),
    });
    expect([stateOf(late), late?.note.message]).toEqual(["Unhealthy", "Node migration occurred"]);
  });

  test("a Pod on another node counts, one at home does not", () => {
    expect(
      stateOf(
        decideMigration({ gameServer: server("Ready", at("10.0.0.1", "n0")), pod: pod(), node: node("10.0.0.1") }),
      ),
    ).toBe("Unhealthy");
    expect(
      decideMigration({ gameServer: server("Ready", at("10.0.0.1")), pod: pod(), node: node("10.0.0.1") }),
    ).toBeUndefined();
  });

  test("a node without an address for players is waited for", () => {
    const empty = { ...node(""), status: { addresses: [{ type: "Hostname" as const, address: "n1" }] } };
    expect(
      decideMigration({ gameServer: server("Scheduled", at("10.0.0.1")), pod: pod(), node: empty }),
    ).toBeUndefined();
  });

  test("a node that is leaving is no migration", () => {
    const leaving = node("10.0.0.2", { deletionTimestamp: "2030-01-01T00:00:00Z" });
    expect(decideMigration({ gameServer: server("Ready", at("10.0.0.1")), pod: pod(), node: leaving })).toBeUndefined();
  });
});
