import { afterEach, expect, test } from "vitest";
import { HEALTH_PAUSED_UNTIL_ANNOTATION } from "#api/core/health-pause.ts";
import { PODS } from "#api/core/resources.ts";
import { rfc3339 } from "#runtime/clock.ts";
import { container, WorkerHarness } from "./testing/worker-harness.ts";

let node: WorkerHarness;
afterEach(() => node.stop());

test("a container whose probes fail lives on while its pod is paused, and no longer", async () => {
  let attempts = 0;
  const attempt = async () => {
    attempts++;
    return { ok: false, message: "stands at a breakpoint" };
  };
  node = new WorkerHarness({}, { attempt });
  await node.start();
  const livenessProbe = { exec: { command: ["x"] }, periodSeconds: 10, failureThreshold: 2 };
  await node.create({ restartPolicy: "Never", containers: [container("game", { livenessProbe })] });
  expect(attempts).toBe(1);
  const until = rfc3339(node.clock.now() + 60_000);
  await node.cluster.patch(PODS, "ns", "a", {
    type: "merge",
    patch: { metadata: { annotations: { [HEALTH_PAUSED_UNTIL_ANNOTATION]: until } } },
  });
  await node.settle(59_000);
  expect(attempts).toBe(1);
  expect(node.running).toEqual(["game/0"]);
  await node.settle(1_000);
  expect(node.running).toEqual(["game/0"]);
  await node.settle(40_000);
  expect(attempts).toBe(3);
  expect(node.running).toEqual([]);
});
