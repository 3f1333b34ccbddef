import { expect, test } from "vitest";
import type { GameServer } from "#api/agones/gameserver.ts";
import type { Pod } from "#api/core/pod.ts";
import { portEnvironment } from "./port-environment.ts";

const server: GameServer = {
  apiVersion: "agones.dev/v1",
  kind: "GameServer",
  metadata: { name: "a", namespace: "default", uid: "1" },
  spec: {
    container: "game",
    ports: [
      { name: "game-udp", containerPort: 1, hostPort: 7001 },
      { name: "admin", container: "side", containerPort: 2, hostPort: 7002 },
      { name: "inside", containerPort: 3 },
    ],
    template: { spec: { containers: [{ name: "game", image: "i" }] } },
  },
};
const podOf = (uid: string): Pod =>
  ({
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name: "a",
      namespace: "default",
      ownerReferences: [{ apiVersion: "agones.dev/v1", kind: "GameServer", name: "a", uid, controller: true }],
    },
    spec: { containers: [] },
  }) as Pod;
const lister = { get: (key: string) => (key === "default/a" ? server : undefined) } as Parameters<
  typeof portEnvironment
>[0];
const environment = portEnvironment(lister);

test("each container learns its own ports by their names, those without a host port not", () => {
  expect(environment(podOf("1"), { name: "game", image: "i" })).toEqual({ STADION_PORT_GAME_UDP: "7001" });
  expect(environment(podOf("1"), { name: "side", image: "i" })).toEqual({ STADION_PORT_ADMIN: "7002" });
  expect(environment(podOf("1"), { name: "else", image: "i" })).toEqual({});
});

test("a pod that is not the server's learns nothing", () => {
  expect(environment(podOf("2"), { name: "game", image: "i" })).toEqual({});
  const plain = { ...podOf("1"), metadata: { name: "b", namespace: "default" } };
  expect(environment(plain, { name: "game", image: "i" })).toEqual({});
});
