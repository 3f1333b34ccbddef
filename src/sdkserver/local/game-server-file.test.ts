import { mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { featureGates } from "#api/agones/feature-gates.ts";
import { systemClock as clock, FakeClock } from "#runtime/clock.ts";
import { GameServerFile } from "./game-server-file.ts";

function write(content: string): string {
  const folder = mkdtempSync(join(tmpdir(), "stadion-file-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, "server.yaml");
  writeFileSync(path, content);
  return path;
}

const read = (content: string) => new GameServerFile(write(content), { gates: featureGates(), clock }).read();
const faultsOf = async (content: string) => (await read(content)).faults;

test("what nobody reads in a file is told with its path and the likely word", async () => {
  const misspelt = `
metadata: { name: mine, lables: { a: b } }
spec:
  heatlh: { disabled: true }
  health: { periodSecond: 3 }
  ports: [{ name: game, hostport: 7777 }]
state: Ready
status: { adress: 127.0.0.1 }
`;
  expect(await faultsOf(misspelt)).toEqual([
    "state is no field of a GameServer, and is passed over: did you mean status?",
    "metadata.lables is no field of a GameServer, and is passed over: did you mean labels?",
    "spec.heatlh is no field of a GameServer, and is passed over: did you mean health?",
    "spec.health.periodSecond is no field of a GameServer, and is passed over",
    "spec.ports[0].hostport is no field of a GameServer, and is passed over",
    "status.adress is no field of a GameServer, and is passed over: did you mean address?",
  ]);
});

test("a manifest as it is deployed has no faults, whatever its Pod and its counters are called", async () => {
  const deployed = `
apiVersion: agones.dev/v1
kind: GameServer
metadata: { name: mine, namespace: games, labels: { a: b }, creationTimestamp: null }
spec:
  counters: { rooms: { count: 1 } }
  template: { metadata: { labels: { x: y } }, spec: { containers: [{ name: game, image: game:1 }] } }
status: { state: Ready, counters: { rooms: { count: 1, capacity: 2 } } }
`;
  expect(await faultsOf(deployed)).toEqual([]);
});

test.each([
  ["spec: { health: { periodSeconds: x } }", 'spec.health.periodSeconds: expected integer, found "x"'],
  ["spec: { health: { disabled: 1 } }", "spec.health.disabled: expected boolean, found 1"],
  [
    "spec: { health: { failureThreshold: 3000000000 } }",
    "spec.health.failureThreshold: 3000000000 does not fit in int32",
  ],
  ["spec: { ports: none }", 'spec.ports: expected array, found "none"'],
  ["spec: { counters: { rooms: { count: [1] } } }", "spec.counters[rooms].count: expected integer, found [1]"],
  ["status: { ports: [{ name: a, port: many }] }", 'status.ports[0].port: expected integer, found "many"'],
  ["status: { lists: { maps: { values: [1] } } }", "status.lists[maps].values[0]: expected string, found 1"],
  ["metadata: { name: 5 }", "metadata.name: expected string, found 5"],
  ["metadata: { labels: { a: true } }", "metadata.labels[a]: expected string, found true"],
  ["metadata: { creationTimestamp: yesterday }", 'metadata.creationTimestamp: "yesterday" is not a time of RFC 3339'],
])("a member of another type is told with its path, its rule and its value: %s", async (content, fault) => {
  await expect(read(content)).rejects.toMatchObject({
    code: "GameServerFile",
    message: expect.stringMatching(/yaml: /),
  });
  await expect(read(content)).rejects.toThrow(fault);
});

test("a part of a manifest will do, and a time may stand without quotes", async () => {
  const { gameServer } = await read("metadata: { creationTimestamp: 2030-01-01T00:00:00Z }\nspec: { ports: [{}] }");
  expect(Date.parse(gameServer.metadata.creationTimestamp ?? "")).toBe(Date.UTC(2030, 0));
});

test("a file that is away is told of once, and again when it has been back", async () => {
  const path = write("metadata: { name: mine }");
  const fake = new FakeClock();
  const file = new GameServerFile(path, { gates: featureGates(), clock: fake });
  await file.read();
  const told: string[] = [];
  const stop = new AbortController();
  const following = file.follow(
    { changed: async () => void told.push("changed"), gone: () => told.push("gone") },
    stop.signal,
  );
  // Each look is over when it sleeps again.
  const look = async (times: number) => {
    for (let looked = 0; looked < times; looked++) {
      await fake.advance(200);
      await expect.poll(() => fake.pending).toBe(1);
    }
  };
  await look(2);
  renameSync(path, `${path}.away`);
  await look(1);
  expect(told).toEqual([]);
  await look(3);
  expect(told).toEqual(["gone"]);
  renameSync(`${path}.away`, path);
  await look(2);
  rmSync(path);
  await look(3);
  expect(told).toEqual(["gone", "gone"]);
  writeFileSync(path, "metadata: { name: other }");
  await look(3);
  expect(told).toEqual(["gone", "gone", "changed"]);
  stop.abort();
  await following;
});
