import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { gkeAutopilot } from "#api/agones/cloud-product/gke-autopilot.ts";
import type { GameServer, GameServerPort } from "#api/agones/gameserver.ts";
import { PortAllocator, PortsExhausted } from "./port-allocator.ts";
import { parseAdditionalRanges, portRanges } from "./port-range.ts";

const server = (uid: string, ports: readonly GameServerPort[]): GameServer => ({
  apiVersion: "agones.dev/v1",
  kind: "GameServer",
  metadata: { name: uid, namespace: "default", uid },
  spec: { ports: [...ports], template: { spec: { containers: [{ name: "game", image: "game" }] } } },
});
const dynamic: GameServerPort = { name: "play", portPolicy: "Dynamic", containerPort: 7654, protocol: "UDP" };
const allocator = (min = 7000, max = 7009) =>
  new PortAllocator(portRanges({ min, max }), { namedRanges: true, random: () => 0.5 });
const hostPorts = (gameServer: GameServer) => gameServer.spec.ports?.map(({ hostPort }) => hostPort);

describe("PortAllocator", () => {
  test("gives every server of a range another port while there are ports", () => {
    const ports = allocator();
    const given = Array.from(
      { length: 10 },
      (_, i) => ports.allocate(server(`u${i}`, [dynamic])).gameServer.spec.ports?.[0]?.hostPort,
    );
    expect(new Set(given).size).toBe(10);
    expect(Math.min(...given.map(Number))).toBe(7000);
    expect(Math.max(...given.map(Number))).toBe(7009);
  });

  test("goes on when no port is free, and says that the server waits for a node", () => {
    const ports = allocator(7000, 7001);
    ports.setNodes(1);
    const waits = ["a", "b", "c"].map((uid) => ports.allocate(server(uid, [dynamic])).waitsForNode);
    expect(waits).toEqual([false, false, true]);
    ports.setNodes(2);
    expect(ports.allocate(server("d", [dynamic])).waitsForNode).toBe(false);
  });

  test("never gives one server the same number twice, and refuses more ports than the range has", () => {
    const ports = allocator(7000, 7002);
    const three = ports.allocate(server("a", [dynamic, dynamic, dynamic])).gameServer;
    expect(new Set(hostPorts(three)).size).toBe(3);
    expect(() => ports.allocate(server("b", [dynamic, dynamic, dynamic, dynamic]))).toThrow(PortsExhausted);
    expect(ports.heldBy("b").size).toBe(0);
    expect(new Set(hostPorts(ports.allocate(server("c", [dynamic, dynamic, dynamic])).gameServer)).size).toBe(3);
  });

  test("a port returned by a failed write is the next server's", () => {
    const ports = allocator(7000, 7000);
    ports.setNodes(1);
    ports.allocate(server("a", [dynamic]));
    ports.release("a");
    ports.release("a");
    expect(ports.allocate(server("b", [dynamic])).waitsForNode).toBe(false);
  });

  test("asking again for the same server gives the same port", () => {
    const ports = allocator();
    const first = hostPorts(ports.allocate(server("a", [dynamic])).gameServer);
    expect(hostPorts(ports.allocate(server("a", [dynamic])).gameServer)).toEqual(first);
  });

  test("named ranges give their own ports; with the gate off all come from default", () => {
    const ranges = portRanges({ min: 7000, max: 7009 }, parseAdditionalRanges('{"tools":[8000,8001]}'));
    const tools: GameServerPort = { ...dynamic, range: "tools" };
    expect(
      hostPorts(new PortAllocator(ranges, { namedRanges: true }).allocate(server("a", [tools])).gameServer)?.[0],
    ).toBeGreaterThan(7999);
    expect(
      hostPorts(new PortAllocator(ranges, { namedRanges: false }).allocate(server("a", [tools])).gameServer)?.[0],
    ).toBeLessThan(7010);
  });

  test("ranges that share an end point keep it apart by who gave it", () => {
    const ranges = portRanges({ min: 7000, max: 7000 }, parseAdditionalRanges('{"tools":[7000,7001]}'));
    const ports = new PortAllocator(ranges, { namedRanges: true, random: () => 0 });
    ports.allocate(server("a", [{ ...dynamic, range: "tools" }]));
    ports.release("a");
    expect(ports.heldBy("a").size).toBe(0);
    const fresh = new PortAllocator(ranges, { namedRanges: true, random: () => 0 });
    const both = fresh.allocate(server("b", [dynamic, { ...dynamic, range: "tools" }])).gameServer;
    expect(hostPorts(both)).toEqual([7000, 7001]);
  });

  test("looks at as many numbers for 10,000 servers on 100 nodes as for the first ones", () => {
    let levels = 0;
    const ports = new PortAllocator(portRanges({ min: 7000, max: 7999 }), {
      namedRanges: true,
      random: () => {
        levels++;
        return (levels * 0.618) % 1;
      },
    });
    ports.setNodes(100);
    const all = Array.from({ length: 10_000 }, (_, number) => server(`u${number}`, [dynamic]));
    expect(all.filter((each) => ports.allocate(each).waitsForNode)).toEqual([]);
    for (let pass = 0; pass < 3; pass++)
      for (const [at, { metadata }] of all.entries()) if (at % 3 === pass) ports.release(metadata.uid ?? "");
    for (const each of all) ports.allocate(each);
    // One level of use for each number picked: the least used ones all stand together.
    expect(levels).toBe(20_000);
  });

  test("a range's numbers stay with it over a restart, also where it shares an end with another", () => {
    const ranges = portRanges({ min: 7000, max: 7001 }, parseAdditionalRanges('{"tools":[7001,7002]}'));
    const tools: GameServerPort = { ...dynamic, range: "tools", hostPort: 7001 };
    const ports = new PortAllocator(ranges, { namedRanges: true, random: () => 0 });
    ports.observe(server("a", [tools]));
    expect(hostPorts(ports.allocate(server("b", [{ ...dynamic, range: "tools" }])).gameServer)).toEqual([7002]);
  });

  test("a number outside of its range's present bounds counts where it is now; one outside of all is left alone", () => {
    const ranges = portRanges({ min: 7000, max: 7001 }, parseAdditionalRanges('{"tools":[8000,8000]}'));
    const ports = new PortAllocator(ranges, { namedRanges: true, random: () => 0 });
    ports.observe(server("a", [{ ...dynamic, range: "tools", hostPort: 7000 }]));
    ports.observe(server("b", [{ ...dynamic, hostPort: 9999 }]));
    expect([...ports.heldBy("a"), ...ports.heldBy("b")]).toEqual([7000]);
    expect(hostPorts(ports.allocate(server("c", [dynamic])).gameServer)).toEqual([7001]);
  });

  test("a Static port inside the range is neither taken nor given back", () => {
    const ports = allocator(7000, 7000);
    ports.setNodes(1);
    const fixed: GameServerPort = { portPolicy: "Static", hostPort: 7000, containerPort: 7000 };
    ports.observe(server("a", [fixed]));
    expect(ports.allocate(server("b", [dynamic])).waitsForNode).toBe(false);
    ports.release("a");
    expect(ports.allocate(server("c", [dynamic])).waitsForNode).toBe(true);
  });

  test("a server that asks for other ports keeps what it still needs and gives back the rest", () => {
    const ports = allocator();
    const both = hostPorts(ports.allocate(server("a", [dynamic, dynamic])).gameServer);
    expect(hostPorts(ports.allocate(server("a", [dynamic])).gameServer)).toEqual(both?.slice(0, 1));
    expect([...ports.heldBy("a")]).toEqual(both?.slice(0, 1));
  });

  test("a hostile number of ports is refused at once", () => {
    const ports = allocator(1, 65_535);
    const many = Array.from({ length: 66_000 }, () => dynamic);
    expect(() => ports.allocate(server("a", many))).toThrow("port range default has 65535 ports");
    expect(ports.heldBy("a").size).toBe(0);
  });

  test("a product that finds host ports itself gets placeholders, and nothing is kept", () => {
    const ports = new PortAllocator(portRanges({ min: 7000, max: 7001 }), {
      namedRanges: true,
      product: gkeAutopilot,
    });
    const { gameServer, waitsForNode } = ports.allocate(server("a", [dynamic, { ...dynamic, protocol: "TCPUDP" }]));
    expect(gameServer.spec.ports?.map(({ name, hostPort }) => `${name} ${hostPort}`)).toEqual([
      "play 1",
      "play-tcp 2",
      "play-udp 2",
    ]);
    expect(gameServer.spec.template.metadata?.annotations).toEqual({
      "autopilot.gke.io/host-port-assignment": '{"min":7000,"max":7001}',
    });
    ports.observe(server("b", [{ ...dynamic, hostPort: 7000 }]));
    expect([waitsForNode, ports.heldBy("a").size, ports.heldBy("b").size]).toEqual([false, 0, 0]);
  });

  test("the map rebuilt from the objects equals the one that gave the ports (any sequence)", () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ uid: fc.integer({ min: 0, max: 12 }), wants: fc.integer({ min: 0, max: 3 }) })),
        (steps) => {
          const ports = allocator(7000, 7004);
          const alive = new Map<string, GameServer>();
          for (const { uid, wants } of steps) {
            const name = `u${uid}`;
            if (alive.delete(name)) ports.release(name);
            else
              alive.set(
                name,
                ports.allocate(
                  server(
                    name,
                    Array.from({ length: wants }, () => dynamic),
                  ),
                ).gameServer,
              );
          }
          const rebuilt = allocator(7000, 7004);
          for (const gameServer of alive.values()) rebuilt.observe(gameServer);
          for (const [uid, gameServer] of alive) {
            expect([...rebuilt.heldBy(uid)].sort()).toEqual([...ports.heldBy(uid)].sort());
            expect(ports.heldBy(uid).size).toBe(gameServer.spec.ports?.length);
          }
          const uses = new Map<number, number>();
          for (const uid of alive.keys())
            for (const port of ports.heldBy(uid)) uses.set(port, (uses.get(port) ?? 0) + 1);
          const next = ports.allocate(server("next", [dynamic])).gameServer.spec.ports?.[0]?.hostPort ?? 0;
          const least = Math.min(...[7000, 7001, 7002, 7003, 7004].map((port) => uses.get(port) ?? 0));
          expect(uses.get(next) ?? 0).toBe(least);
        },
      ),
    );
  });
});
