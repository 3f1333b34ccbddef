import { describe, expect, test } from "vitest";
import { buildGameServer } from "../fixtures.ts";
import { InFlight } from "./in-flight.ts";

const names = (servers: readonly { metadata: { name?: string } }[]) => servers.map(({ metadata }) => metadata.name);

describe("InFlight", () => {
  test("a creation counts until the cache shows it, and not after it came and went", () => {
    const inFlight = new InFlight();
    inFlight.creating(buildGameServer("a", undefined));
    expect(names(inFlight.overlay([], 0))).toEqual(["a"]);
    expect(names(inFlight.overlay([buildGameServer("a", "Creating")], 0))).toEqual(["a"]);
    expect(names(inFlight.overlay([], 0))).toEqual([]);

    inFlight.creating(buildGameServer("b", undefined));
    inFlight.gone(buildGameServer("b", "Shutdown"));
    expect(inFlight.overlay([], 0)).toEqual([]);
  });

  test("a creation that certainly failed does not count", () => {
    const inFlight = new InFlight();
    inFlight.creating(buildGameServer("a", undefined));
    inFlight.forget("a");
    expect(inFlight.overlay([], 0)).toEqual([]);
  });

  test("a removal shows as being deleted until the cache says so itself", () => {
    const inFlight = new InFlight();
    const server = buildGameServer("a", "Ready");
    inFlight.removing(server);
    expect(inFlight.overlay([server], Date.UTC(2030, 0, 1))[0]?.metadata.deletionTimestamp).toBe(
      "2030-01-01T00:00:00Z",
    );
    expect(server.metadata.deletionTimestamp).toBeUndefined();
  });

  test("a removal does not touch a later server of the same name", () => {
    const inFlight = new InFlight();
    inFlight.removing(buildGameServer("a", "Ready"));
    const later = buildGameServer("a", "Ready", { metadata: { uid: "other" } });
    expect(inFlight.overlay([later], 0)[0]?.metadata.deletionTimestamp).toBeUndefined();
  });
});
