import { create, toJson } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import { parseFeatureGates } from "#api/agones/feature-gates.ts";
import type { GameServer } from "#api/agones/gameserver.ts";
import { GameServerSchema } from "#proto/gen/agones/dev/sdk/sdk_pb.ts";
import { gameServer } from "./fake-gameserver-api.ts";
import { toSdkGameServer } from "./sdk-message.ts";

/** As a client sees it, under the field names of the protocol. */
const shown = (server: GameServer, gates = "") =>
  toJson(GameServerSchema, create(GameServerSchema, toSdkGameServer(server, parseFeatureGates(gates))), {
    alwaysEmitImplicit: true,
    useProtoFieldName: true,
  });

describe("a game's view of its server", () => {
  it("has metadata, health settings, state, addresses and ports, and nothing else", () => {
    const server: GameServer = {
      ...gameServer(
        {
          state: "Reserved",
          address: "192.0.2.1",
          addresses: [{ type: "PodIP", address: "10.0.0.1" }],
          ports: [{ name: "default", port: 7777 }],
          nodeName: "node",
          reservedUntil: "2030-01-01T00:00:10Z",
        },
        { health: { disabled: true, periodSeconds: 3, failureThreshold: 5, initialDelaySeconds: 10 } },
      ),
      metadata: {
        name: "simple",
        namespace: "default",
        uid: "u",
        resourceVersion: "7",
        generation: 2,
        creationTimestamp: "2018-07-17T02:49:55Z",
        deletionTimestamp: "2018-07-17T02:49:56Z",
        labels: { a: "b" },
        annotations: { c: "d" },
      },
    };
    expect(shown(server)).toEqual({
      object_meta: {
        name: "simple",
        namespace: "default",
        uid: "u",
        resource_version: "7",
        generation: "2",
        creation_timestamp: "1531795795",
        deletion_timestamp: "1531795796",
        labels: { a: "b" },
        annotations: { c: "d" },
      },
      spec: { health: { disabled: true, period_seconds: 3, failure_threshold: 5, initial_delay_seconds: 10 } },
      status: {
        state: "Reserved",
        address: "192.0.2.1",
        addresses: [{ type: "PodIP", address: "10.0.0.1" }],
        ports: [{ name: "default", port: 7777 }],
        counters: {},
        lists: {},
      },
    });
  });

  it("shows an unset creation as Go's zero time, and no deletion as zero", () => {
    expect(shown(gameServer())).toMatchObject({
      object_meta: { creation_timestamp: "-62135596800", deletion_timestamp: "0" },
    });
  });

  it("shows players, counters and lists only where their gates are on, int64 exactly", () => {
    const most = 2n ** 63n - 1n;
    const server = gameServer({
      state: "Ready",
      players: { count: 1n, capacity: most, ids: ["x"] },
      counters: { rooms: { count: most, capacity: most } },
      lists: { players: { capacity: 3n, values: ["a", "b"] } },
    });
    const counters = { rooms: { count: String(most), capacity: String(most) } };
    const lists = { players: { capacity: "3", values: ["a", "b"] } };
    const players = { count: "1", capacity: String(most), ids: ["x"] };
    expect(shown(server, "PlayerTracking=true")).toMatchObject({ status: { players, counters, lists } });
    const without = shown(server, "CountsAndLists=false") as { status: object };
    expect(without.status).toMatchObject({ counters: {}, lists: {} });
    expect(without.status).not.toHaveProperty("players");
    expect(shown(gameServer({ state: "Ready" }), "PlayerTracking=true")).not.toHaveProperty("status.players");
  });
});
