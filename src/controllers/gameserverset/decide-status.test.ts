import { expect, test } from "vitest";
import { featureGates } from "#api/agones/feature-gates.ts";
import { buildGameServer, buildSet } from "../fixtures.ts";
import { decideStatus } from "./decide-status.ts";

const going = { metadata: { name: "going", deletionTimestamp: "2030-01-01T00:00:00Z" } };

test("the status of a set counts its servers by state; those that are going count as going alone, whatever their state", () => {
  const servers = [
    buildGameServer("a", "Ready"),
    buildGameServer("b", "Ready"),
    buildGameServer("c", "Allocated"),
    buildGameServer("d", "Reserved"),
    buildGameServer("e", "Starting"),
    buildGameServer("f", "Shutdown"),
    buildGameServer("g", "Ready", going),
    buildGameServer("h", "Allocated", going),
  ];
  expect(decideStatus(buildSet("set", 5), servers, featureGates())).toEqual({
    replicas: 5,
    readyReplicas: 2,
    reservedReplicas: 1,
    allocatedReplicas: 1,
    shutdownReplicas: 3,
  });
});
