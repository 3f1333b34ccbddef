import { describe, expect, test } from "vitest";
import { membersOf, titled } from "../meta/promise-row.ts";
import { fleets, gameServers } from "./defaults.promises.ts";
import { defaultFleet, defaultGameServer } from "./defaults.ts";
import { featureGates } from "./feature-gates.ts";
import { duel, fleet, manifest } from "./gameserver.fixture.ts";

const version = "1.2.3";

describe("a new GameServer", () => {
  test("with one container and nothing else gets every default, and no more", () => {
    expect(defaultGameServer(manifest(), { gates: featureGates(), version })).toEqual({
      apiVersion: "agones.dev/v1",
      kind: "GameServer",
      metadata: {
        name: "duel-1",
        namespace: "games",
        uid: "u-1",
        annotations: { "agones.dev/sdk-version": "1.2.3" },
        finalizers: ["agones.dev/controller"],
      },
      spec: {
        template: { spec: { containers: [duel] } },
        container: "duel",
        health: { periodSeconds: 5, failureThreshold: 3, initialDelaySeconds: 5 },
        eviction: { safe: "Never" },
        scheduling: "Packed",
        sdkServer: { logLevel: "Info", grpcPort: 9357, httpPort: 9358 },
      },
      status: { state: "Creating", eviction: { safe: "Never" } },
    });
  });

  test.each(titled(gameServers))("%s: %s", (_section, _name, { given, gates, shows }) => {
    const completed = defaultGameServer(given, { gates: featureGates(gates), version });
    expect(membersOf(completed, shows)).toEqual(shows);
  });
});

describe("a new Fleet", () => {
  test.each(titled(fleets))("%s: %s", (_section, _name, { given, becomes }) => {
    const written = fleet(given);
    const completed = defaultFleet(written, version);
    expect(completed.spec).toEqual({ ...written.spec, scheduling: "Packed", ...becomes });
    expect(completed.spec.template).toBe(written.spec.template);
    expect(completed.metadata.annotations).toEqual({ "agones.dev/sdk-version": version });
  });
});
