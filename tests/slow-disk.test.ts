/** A disk that takes its time: who asked for durability waits, nobody else. Skipped where strace is not installed. */
import { spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { useCluster } from "./harness/cluster.ts";
import { hasKubectl } from "./harness/kubectl.ts";
import { Program } from "./harness/program.ts";

const hasStrace = spawnSync("strace", ["-f", "true"]).status === 0;
/** Every sync of the store takes that much longer, in microseconds. */
const DELAY = "delay_exit=3000000";

describe.skipIf(!hasStrace || !hasKubectl)("a slow disk", () => {
  const cluster = useCluster("--no-quick-start");
  const create = (path: string, body: object) => cluster.ask({ method: "POST", path, body });
  const lease = (seconds: number) => ({
    apiVersion: "coordination.k8s.io/v1",
    kind: "Lease",
    metadata: { name: "leader" },
    spec: { leaseDurationSeconds: seconds },
  });
  const event = {
    apiVersion: "v1",
    kind: "Event",
    metadata: { name: "seen" },
    involvedObject: { kind: "Pod", name: "p", namespace: "default" },
    reason: "Seen",
  };

  it("delays no Lease and no watch: they are served while a write still waits for the disk", async () => {
    const pid = String(cluster.part("control-plane").pid);
    const calls = ["-e", "trace=fsync,fdatasync", "-e", `inject=fsync,fdatasync:${DELAY}`];
    await using watch = cluster.startKubectl("get events -w --output-watch-events -o name");
    await using strace = new Program("strace", ["-f", "-p", pid, ...calls]);
    await strace.prints(/attached/);

    const order: string[] = [];
    const durable = create("/api/v1/namespaces/default/configmaps", {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "durable" },
    }).then(({ code }) => order.push(`durable ${code}`));
    const leases = "/apis/coordination.k8s.io/v1/namespaces/default/leases";
    expect(await create(leases, lease(10))).toMatchObject({ code: 201 });
    for (const seconds of [11, 12])
      expect(await cluster.ask({ method: "PUT", path: `${leases}/leader`, body: lease(seconds) })).toMatchObject({
        code: 200,
      });
    order.push("leases");
    expect(await create("/api/v1/namespaces/default/events", event)).toMatchObject({ code: 201 });
    await watch.prints(/event\/seen/);
    order.push("watch");
    await durable;
    expect(order).toEqual(["leases", "watch", "durable 201"]);
  });
});
