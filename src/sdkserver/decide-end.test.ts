import { expect, test } from "vitest";
import type { GameServer, GameServerState } from "#api/agones/gameserver.ts";
import { mayEnd } from "./decide-end.ts";
import { gameServer } from "./fake-gameserver-api.ts";

const seen = (state: GameServerState, metadata: object = {}): GameServer => {
  const server = gameServer({ state });
  return { ...server, metadata: { ...server.metadata, ...metadata } };
};
const leaving = { deletionTimestamp: "2030-01-01T00:00:00Z" };
const decide = (server: GameServer | undefined, asked?: GameServerState, gone = false) =>
  mayEnd({ gameServer: server, asked, gone });

test.each(["PortAllocation", "Creating", "Starting", "Scheduled"] as const)(
  "a game that never asked for a state is not waited for, in %s",
  (state) => {
    expect(decide(seen(state))).toBe(true);
    expect(decide(seen(state), "RequestReady")).toBe(false);
  },
);

test.each(["RequestReady", "Ready", "Reserved", "Allocated", "Unhealthy"] as const)(
  "a game in %s is served, also by a process that it never asked anything",
  (state) => {
    expect(decide(seen(state))).toBe(false);
    expect(decide(seen(state, leaving))).toBe(false);
  },
);

test("the end is Shutdown once it is stored, or its word where the server is being deleted", () => {
  expect(decide(seen("Shutdown"))).toBe(true);
  expect(decide(seen("Allocated"), "Shutdown")).toBe(false);
  expect(decide(seen("Allocated", leaving), "Shutdown")).toBe(true);
  expect(decide(seen("Allocated", leaving), "Allocated")).toBe(false);
});

test("a server that is gone, or was never seen, keeps nobody", () => {
  expect(decide(undefined)).toBe(true);
  expect(decide(undefined, "Allocated", true)).toBe(true);
});
