import { expect, test } from "vitest";
import { fleet } from "#api/agones/gameserver.fixture.ts";
import { nextCommands } from "./welcome.ts";

test("what to do next fits the fleet: a server is allocated, some are asked for, or a fleet is made", () => {
  const next = (replicas: number) => nextCommands("stadion", fleet({ replicas }, { name: "arena" }))[1];
  expect(next(3)).toBe("stadion allocate arena");
  expect(next(0)).toBe("stadion scale fleet arena --replicas 3");
  expect(nextCommands("stadion", undefined)).toEqual([
    "stadion run --replicas 3 -- ./MyServer --port '$(PORT)'",
    "stadion apply -f FILE",
  ]);
});
