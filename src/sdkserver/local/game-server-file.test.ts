import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { featureGates } from "#api/agones/feature-gates.ts";
import { systemClock as clock } from "#runtime/clock.ts";
import { GameServerFile } from "./game-server-file.ts";

function faultsOf(content: string) {
  const folder = mkdtempSync(join(tmpdir(), "stadion-file-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, "server.yaml");
  writeFileSync(path, content);
  return new GameServerFile(path, { gates: featureGates(), clock }).read().then(({ faults }) => faults);
}

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
