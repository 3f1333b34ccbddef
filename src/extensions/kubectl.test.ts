/** What people do with kubectl and our kinds, on the embedded API server. */
import { describe, expect, it } from "vitest";
import { parseAllDocuments } from "yaml";
import { featureGates } from "#api/agones/feature-gates.ts";
import { buildCustomResourceDefinitions } from "#api/definitions/crds.ts";
import type { JsonObject } from "#api/meta/json.ts";
import { hasKubectl, openCluster } from "#cluster/apiserver/testing/kubectl.ts";
import { FakeClock } from "#runtime/clock.ts";
import { agonesAdmission } from "./admission.ts";

/** The smallest and the fullest, as documentation shows them. */
const manifests = parseAllDocuments(`
apiVersion: autoscaling.agones.dev/v1
kind: FleetAutoscaler
metadata: {name: duel-fas}
spec:
  fleetName: duel
  policy: {type: Buffer, buffer: {bufferSize: 3, maxReplicas: 30}}
---
apiVersion: autoscaling.agones.dev/v1
kind: FleetAutoscaler
metadata: {name: duel-fas-full, namespace: games}
spec:
  fleetName: duel-full
  sync: {type: FixedInterval, fixedInterval: {seconds: 15}}
  policy:
    type: Chain
    chain:
      - id: cup-final
        type: Schedule
        schedule:
          between: {start: "2030-05-01T00:00:00Z", end: "2099-05-02T00:00:00Z"}
          activePeriod: {timezone: Europe/Oslo, startCron: "30 17 * * 6,0", duration: 5h30m}
          policy:
            type: Counter
            counter: {key: rounds, bufferSize: 25%, minCapacity: 60, maxCapacity: 900}
      - id: oracle
        type: Webhook
        webhook: {service: {name: oracle, namespace: tools, path: /fleet-size, port: 8443}}
      - id: roster
        type: List
        list: {key: roster, bufferSize: 8, minCapacity: 16, maxCapacity: 400}
      - id: sandbox
        type: Wasm
        wasm: {function: decide, config: {floor: "4"}, from: {url: {url: "https://files.example.net/scaler.wasm"}},
               hash: 0f1e2d3c4b5a69788796a5b4c3d2e1f00f1e2d3c4b5a69788796a5b4c3d2e1f0}
      - id: floor
        type: Buffer
        buffer: {bufferSize: 10%, minReplicas: 5, maxReplicas: 50}
---
apiVersion: multicluster.agones.dev/v1
kind: GameServerAllocationPolicy
metadata: {name: here, namespace: games}
spec: {priority: 1, weight: 100, connectionInfo: {namespace: games}}
---
apiVersion: multicluster.agones.dev/v1
kind: GameServerAllocationPolicy
metadata: {name: north, namespace: games, labels: {region: north}}
spec:
  priority: 2
  weight: 30
  connectionInfo:
    clusterName: north-1
    allocationEndpoints: [alloc.north.example.net, "198.51.100.9:8443"]
    secretName: north-client
    namespace: games
    serverCa: LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCg==
`).map((document) => document.toJS() as JsonObject);

async function openGames() {
  const gates = featureGates({ WasmAutoscaler: true });
  const cluster = await openCluster({
    admission: [agonesAdmission({ gates, version: "1.2.3", clock: new FakeClock() })],
  });
  await cluster.ok("create namespace games");
  for (const definition of buildCustomResourceDefinitions({ gates })) {
    const path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
    await cluster.door.server.make(path, definition as unknown as JsonObject);
  }
  return cluster;
}

describe.skipIf(!hasKubectl)("kubectl (skipped where it is not installed)", { timeout: 60_000 }, () => {
  it("applies autoscalers and allocation policies as documentation shows them, and finds them unchanged", async () => {
    const { kubectl, ok } = await openGames();
    for (const manifest of manifests) {
      const printed = await ok("apply -f -", manifest);
      expect(printed).toMatch(
        /^(fleetautoscaler\.autoscaling|gameserverallocationpolicy\.multicluster)\.agones\.dev\/\S+ created\n$/,
      );
      expect(await ok("apply -f -", manifest)).toBe(printed.replace("created", "unchanged"));
      expect(await kubectl("diff -f -", manifest)).toMatchObject({ code: 0, out: "" });
    }
    expect(await ok("get fas")).toMatch(/^NAME +AGE\nduel-fas +\S+\n$/);
    expect(await ok("get fas,gsap -n games -o name")).toBe(
      [
        "fleetautoscaler.autoscaling.agones.dev/duel-fas-full",
        "gameserverallocationpolicy.multicluster.agones.dev/here",
        "gameserverallocationpolicy.multicluster.agones.dev/north",
        "",
      ].join("\n"),
    );
    expect(await ok("get gsap north -n games -o wide")).toMatch(/^NAME +AGE\nnorth +\S+\n$/);
    expect(await ok("get fas duel-fas -o jsonpath={.spec.sync.fixedInterval.seconds}")).toBe("30");
    expect(await ok("get fas duel-fas-full -n games -o jsonpath={.spec.policy.chain[*].id}")).toBe(
      "cup-final oracle roster sandbox floor",
    );
    expect(await ok("describe fas duel-fas-full -n games")).toMatch(/Start Cron: +30 17 \* \* 6,0/);
    expect(await ok("delete fas duel-fas")).toMatch(/deleted/);
  });

  it("explains their fields, however deep, and their conditions", async () => {
    const { ok } = await openGames();
    const field = async (path: string) => /FIELD: (.*)/.exec(await ok(`explain ${path}`))?.[1];
    expect(await field("fas.spec.policy.chain.schedule.policy.counter.maxCapacity")).toBe("maxCapacity <integer>");
    expect(await field("fas.spec.policy.wasm.from.url.service.port")).toBe("port <integer>");
    expect(await field("fas.status.conditions.lastTransitionTime")).toBe("lastTransitionTime <string>");
    expect(await field("gsap.spec.connectionInfo.allocationEndpoints")).toBe("allocationEndpoints <[]string>");
    expect(await field("fleet.status.conditions.reason")).toBe("reason <string>");
    expect(await ok("explain fas.spec.policy.type")).toMatch(/ENUM:\n {4}Buffer\n {4}Webhook\n/);
  });

  it("explains the members at their roots", async () => {
    const { ok } = await openGames();
    for (const kind of [
      "gameservers",
      "gameserversets",
      "fleets",
      "fleetautoscalers",
      "gameserverallocationpolicies",
    ]) {
      const text = await ok(`explain ${kind}`);
      const fields = [...text.slice(text.indexOf("FIELDS:")).matchAll(/^ {2}(\w+)\t.*\n {4}(.*)$/gm)];
      const names = fields.map(([, name]) => name);
      expect(names).toEqual(expect.arrayContaining(["apiVersion", "kind", "metadata", "spec"]));
      expect(fields.filter(([, , words]) => !words || words === "<no description>")).toEqual([]);
    }
  });

  it("tells of a refused autoscaler every fault with its place", async () => {
    const { kubectl } = await openGames();
    const policy = { type: "Buffer", buffer: { bufferSize: 50, minReplicas: 40, maxReplicas: 30 } };
    const bad = { ...manifests[0], spec: { fleetName: "duel", policy } };
    const { code, err } = await kubectl("apply -f -", bad);
    expect(code).toBe(1);
    expect(err.match(/spec\.policy\.buffer\.\w+: Invalid value: \d+/g)).toEqual([
      "spec.policy.buffer.minReplicas: Invalid value: 40",
      "spec.policy.buffer.maxReplicas: Invalid value: 30",
      "spec.policy.buffer.minReplicas: Invalid value: 40",
    ]);
    const unknown = { ...manifests[2], spec: { priority: 1, weight: 1, wieght: 2 } };
    expect((await kubectl("create -f -", unknown)).err).toMatch(/strict decoding error: unknown field "spec.wieght"/);
  });

  it("waits for a condition of an autoscaler", async () => {
    const { ok } = await openGames();
    await ok("apply -f -", manifests[0]);
    const condition = {
      type: "AbleToScale",
      status: "True",
      reason: "FleetFound",
      message: "",
      lastTransitionTime: "2030-01-01T00:00:00Z",
    };
    await ok(
      `patch fas duel-fas --subresource=status --type=merge -p ${JSON.stringify({ status: { conditions: [condition] } })}`,
    );
    expect(await ok("wait --for=condition=AbleToScale fas/duel-fas --timeout=5s")).toMatch(/condition met/);
  });
});
