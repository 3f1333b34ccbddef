import { expect, test } from "vitest";
import type { Fleet } from "#api/agones/fleet.ts";
import { gameServer } from "#tests/command-line/command-line.ts";
import { developmentServer, devProcessOf, portsOf, portVariables } from "./development-server.ts";

const port = { name: "default", portPolicy: "Static", protocol: "UDP", hostPort: 9000, containerPort: 9000 } as const;
const options = { program: "arena", namespace: "default", address: "192.0.2.7", ports: [port], pid: 4711 };

const fleet: Fleet = {
  apiVersion: "agones.dev/v1",
  kind: "Fleet",
  metadata: { name: "duels", namespace: "default" },
  spec: {
    template: {
      metadata: { labels: { mode: "duel" }, annotations: { map: "dust" } },
      spec: {
        ports: [
          { name: "game", containerPort: 7654, protocol: "TCPUDP", range: "game" },
          { name: "voice", containerPort: 7655, container: "voice" },
        ],
        counters: { rooms: { count: 0n, capacity: 5n } },
        template: { spec: { containers: [{ name: "duel", image: "duel:1" }] } },
      },
    },
  },
};

test("a server is at its address, and not Ready before its game says so", () => {
  const server = developmentServer(options);
  expect(server.metadata).toEqual({
    generateName: "arena-dev-",
    namespace: "default",
    labels: {},
    annotations: { "agones.dev/dev-address": "192.0.2.7", "stadion.dev/dev-process": "4711" },
  });
  expect(server.spec.ports).toEqual([port]);
  expect(server.status).toMatchObject({
    state: "Scheduled",
    address: "192.0.2.7",
    ports: [{ name: "default", port: 9000 }],
  });
  expect(developmentServer({ ...options, name: "mine" }).metadata).toMatchObject({ name: "mine" });
});

test("one of a fleet has its labels, annotations and counts, and is found by its name", () => {
  const { metadata, spec } = developmentServer({ ...options, fleet });
  expect(metadata.labels).toEqual({ mode: "duel", "agones.dev/fleet": "duels" });
  expect(metadata.annotations).toMatchObject({ map: "dust", "agones.dev/dev-address": "192.0.2.7" });
  expect(spec).toMatchObject({ counters: { rooms: { capacity: 5n } }, ports: [port] });
  expect(metadata.ownerReferences).toBeUndefined();
});

test("ports are those of the fleet, without numbers and ranges, or one", () => {
  expect(portsOf(fleet, "UDP")).toEqual([
    { name: "game", protocol: "TCPUDP" },
    { name: "voice", protocol: undefined, container: "voice" },
  ]);
  expect(portsOf(undefined, "TCP")).toEqual([{ name: "default", protocol: "TCP" }]);
});

test("a game finds its ports as it would in a Pod", () => {
  const { name: _, ...unnamed } = port;
  const chat = { ...port, name: "voice-chat", hostPort: 9001 };
  expect(portVariables([port, chat, { ...unnamed, hostPort: 9002 }], undefined)).toEqual({
    PORT: "9000",
    STADION_PORT_DEFAULT: "9000",
    STADION_PORT_VOICE_CHAT: "9001",
  });
});

test("a game does not find the ports of the other containers of its fleet", () => {
  const ports = [
    { ...port, container: "voice" },
    { ...port, name: "game", hostPort: 9001 },
    { ...port, name: "query", hostPort: 9002, container: "duel" },
  ];
  const own = { PORT: "9001", STADION_PORT_GAME: "9001", STADION_PORT_QUERY: "9002" };
  expect(portVariables(ports, fleet)).toEqual(own);
  const { template } = fleet.spec;
  const pod = { spec: { containers: ["voice", "duel"].map((name) => ({ name, image: name })) } };
  const two = {
    ...fleet,
    spec: { template: { ...template, spec: { ...template.spec, container: "duel", template: pod } } },
  };
  expect(portVariables(ports, two)).toEqual(own);
});

test("a server says whose it is; others are nobody's", () => {
  expect(devProcessOf(developmentServer(options))).toBe(4711);
  expect(devProcessOf(gameServer("a"))).toBeUndefined();
  const odd = { ...gameServer("a"), metadata: { name: "a", annotations: { "stadion.dev/dev-process": "-1" } } };
  expect(devProcessOf(odd)).toBeUndefined();
});
