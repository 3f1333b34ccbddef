import fc from "fast-check";
import { expect, test } from "vitest";
import { gameServerArbitrary } from "./arbitrary.fixture.ts";
import { defaultFleet, defaultGameServer } from "./defaults.ts";
import { featureGates } from "./feature-gates.ts";
import { fleet } from "./gameserver.fixture.ts";

test("defaulting a GameServer twice is defaulting it once, and nothing that was set is lost", () => {
  fc.assert(
    fc.property(gameServerArbitrary, fc.boolean(), (gameServer, on) => {
      const options = { gates: featureGates({ CountsAndLists: on, PlayerTracking: on }), version: "1" };
      const once = defaultGameServer(gameServer, options);
      expect(defaultGameServer(once, options)).toEqual(once);
      for (const name of ["scheduling", "counters", "lists", "template", "players"] as const)
        if (gameServer.spec[name]) expect(once.spec[name]).toEqual(gameServer.spec[name]);
      expect(once.spec.ports?.length).toBe(gameServer.spec.ports?.length);
    }),
  );
});

test("defaulting a Fleet twice is defaulting it once, and gives back the same object", () => {
  const share = fc.option(fc.oneof(fc.integer(), fc.string()), { nil: undefined });
  const strategy = fc.record({
    type: fc.constantFrom(undefined, "Recreate" as const, "RollingUpdate" as const),
    rollingUpdate: fc.option(fc.record({ maxSurge: share, maxUnavailable: share })),
  });
  fc.assert(
    fc.property(fc.option(strategy, { nil: undefined }), (strategy) => {
      const once = defaultFleet(fleet({ strategy }), "1");
      expect(defaultFleet(once, "1")).toEqual(once);
    }),
  );
});
