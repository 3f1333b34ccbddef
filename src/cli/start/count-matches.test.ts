import { expect, test } from "vitest";
import { stoppingLine } from "./count-matches.ts";

test("how many matches the end of a cluster ends is told where there are any, and known", () => {
  expect([undefined, 0, 1, 12].map(stoppingLine)).toEqual([
    "Stopping the game servers and the cluster …",
    "Stopping the game servers and the cluster …",
    "Stopping the game servers and the cluster, which ends 1 match (an Allocated game server) …",
    "Stopping the game servers and the cluster, which ends 12 matches (Allocated game servers) …",
  ]);
});
