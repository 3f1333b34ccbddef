import { expect, test } from "vitest";
import { featureGates } from "#api/agones/feature-gates.ts";
import { manifest } from "#api/agones/gameserver.fixture.ts";
import { titled } from "#api/meta/promise-row.ts";
import { PortAllocator } from "./port-allocator.ts";
import { PortRangeError, parseAdditionalRanges, portRanges } from "./port-range.ts";
import { ports, RANGES, ranges } from "./ports.promises.ts";

test.each(titled(ports))("%s: %s", (_section, _name, { ports: given, gates, become }) => {
  const { PortRanges } = featureGates(gates);
  const known = portRanges(RANGES.standard, parseAdditionalRanges(RANGES.additional));
  const allocator = new PortAllocator(known, { namedRanges: PortRanges });
  expect(allocator.allocate(manifest({ ports: given })).gameServer.spec.ports).toEqual(become);
});

test.each(titled(ranges))("%s: %s", (_section, _name, { min, max, additional = "", error }) => {
  const read = () => [...portRanges({ min, max }, parseAdditionalRanges(additional)).values()];
  if (error !== undefined) expect(read).toThrow(new PortRangeError(error));
  else expect(read()[0]).toEqual({ min, max });
});
