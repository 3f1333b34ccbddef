import fc from "fast-check";
import { expect, test } from "vitest";
import { gameServerArbitrary } from "./arbitrary.fixture.ts";
import { featureGates } from "./feature-gates.ts";
import { fleet, gameServerSet } from "./gameserver.fixture.ts";
import { validateFleet } from "./validate-fleet.ts";
import { validateGameServer } from "./validate-gameserver.ts";
import { validateGameServerSet } from "./validate-gameserverset.ts";

test("validation answers for whatever the schema lets through, in the same words each time", () => {
  fc.assert(
    fc.property(gameServerArbitrary, fc.boolean(), (gameServer, on) => {
      const gates = featureGates({ CountsAndLists: on, PortPolicyNone: on });
      const template = { metadata: gameServer.metadata, spec: gameServer.spec };
      const faults = () => [
        ...validateGameServer(gameServer, gates),
        ...validateFleet(fleet({ template }), gates),
        ...validateGameServerSet(gameServerSet({ template }), gates),
      ];
      expect(faults()).toEqual(faults());
      for (const { field, body } of faults()) expect([field, body]).not.toContain("");
    }),
  );
});
