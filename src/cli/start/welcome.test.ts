import { expect, test } from "vitest";
import { nextCommands, welcome } from "./welcome.ts";

test("what to do next fits the fleet: a server is allocated, some are asked for, or a fleet is made", () => {
  const next = (replicas: number) => nextCommands("stadion", { name: "arena", replicas })[1];
  expect(next(3)).toBe("stadion allocate arena");
  expect(next(0)).toBe("stadion scale fleet arena --replicas 3");
  expect(nextCommands("stadion", undefined)).toEqual([
    "stadion run --replicas 3 -- ./MyServer --port '$(PORT)'",
    "stadion apply -f FILE",
  ]);
});

test("it says where the cluster is, in words that a shell takes", () => {
  const folder = { path: "/my games", kubeconfig: "/my games/kubeconfig" };
  const text = welcome(folder, "https://127.0.0.1:1", { name: "arena", replicas: 3 });
  expect(text).toContain("API         https://127.0.0.1:1\n");
  expect(text).toContain("npx stadion --data-dir '/my games' allocate arena\n");
  expect(text).toContain("kubectl --kubeconfig '/my games/kubeconfig' get fleets,gameservers\n");
});
