import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Node } from "#api/core/node.ts";
import type { Pod } from "#api/core/pod.ts";
import { ClusterLoad } from "./cluster-load.ts";
import { chooseNode } from "./decide-node.ts";

const CPU = 1_000;
const PODS = 6;
const labels = { "agones.dev/role": "gameserver" };
const term = { topologyKey: "kubernetes.io/hostname", labelSelector: { matchLabels: labels } };
const affinity = {
  podAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 100, podAffinityTerm: term }] },
};

const node = (name: string): Node => ({
  apiVersion: "v1",
  kind: "Node",
  metadata: { name, labels: { "kubernetes.io/hostname": name } },
  status: {
    allocatable: { cpu: `${CPU}m`, pods: String(PODS) },
    nodeInfo: { containerRuntimeVersion: "process://1" },
  },
});

function build(uid: number, { cpu, ports, tcp, packed }: Wanted): Pod {
  const protocol = tcp ? "TCP" : "UDP";
  const container = {
    name: "game",
    resources: { requests: { cpu: `${cpu}m` } },
    ports: ports.map((port) => ({ containerPort: port, hostPort: port, protocol }) as const),
  };
  const sidecar = { name: "agones-gameserver-sidecar", resources: { requests: { cpu: "900m" } } };
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: `p${uid}`, namespace: "default", uid: String(uid), labels },
    spec: { containers: [container, sidecar], ...(packed && { affinity }) },
  };
}

interface Wanted {
  readonly cpu: number;
  readonly ports: readonly number[];
  readonly tcp: boolean;
  readonly packed: boolean;
}

const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant("schedule" as const),
      cpu: fc.integer({ min: 0, max: 600 }),
      ports: fc.uniqueArray(fc.integer({ min: 7000, max: 7005 }), { maxLength: 2 }),
      tcp: fc.boolean(),
      packed: fc.boolean(),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constantFrom("confirm", "stale", "fail", "end", "delete", "relabel"),
      of: fc.nat(40),
    }),
  },
);

/** What is true of each node, reckoned afresh from a plain list. */
function reckon(running: ReadonlyMap<string, { readonly pod: Pod; readonly node: string }>, name: string) {
  const pods = [...running.values()].filter((each) => each.node === name).map(({ pod }) => pod.spec.containers[0]);
  const ports = pods.flatMap((game) => game?.ports?.map(({ protocol, hostPort }) => `${protocol}/${hostPort}`) ?? []);
  const cpu = pods.reduce((sum, game) => sum + Number.parseInt(game?.resources?.requests?.cpu ?? "0", 10), 0);
  return { count: pods.length, cpu, ports };
}

describe("assigning pods", () => {
  test("never gives a port twice nor more than a node has, and refuses only what fits nowhere", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 3 }), fc.array(step, { maxLength: 60, size: "max" }), (count, steps) => {
        const names = Array.from({ length: count }, (_, at) => `n${at}`);
        const load = new ClusterLoad();
        for (const name of names) load.setNode(node(name));
        const running = new Map<string, { readonly pod: Pod; readonly node: string }>();
        const confirmed = new Set<string>();
        let uids = 0;
        for (const each of steps) {
          if ("cpu" in each) {
            const pod = build(++uids, each);
            const choice = chooseNode(pod, load.candidates());
            if (choice.node !== undefined) {
              load.assume(pod, choice.node);
              running.set(String(uids), { pod, node: choice.node });
            }
            const fitting = names.filter((name) => fits(each, reckon(before(running, String(uids)), name)));
            expect(choice.node === undefined ? [] : [choice.node]).toEqual(
              fitting.filter((name) => name === choice.node),
            );
            expect(choice.node !== undefined).toBe(fitting.length > 0);
          } else {
            const [uid, found] = [...running][each.of % Math.max(1, running.size)] ?? [];
            if (!uid || !found) continue;
            const { metadata, spec } = found.pod;
            const bound = { ...found.pod, spec: { ...spec, nodeName: found.node } };
            if (each.do === "stale") load.observe(found.pod);
            if (each.do === "confirm") load.observe(bound);
            if (each.do === "relabel")
              load.observe({ ...bound, metadata: { ...metadata, labels: { a: String(uids) } } });
            if (each.do === "confirm" || each.do === "relabel") confirmed.add(uid);
            if (each.do === "fail") load.unassume(uid);
            if (each.do === "end") load.observe({ ...bound, status: { phase: "Failed" } });
            if (each.do === "delete") load.forget(uid);
            if (each.do === "end" || each.do === "delete" || (each.do === "fail" && !confirmed.has(uid)))
              running.delete(uid);
          }
          for (const { node, load: held } of load.candidates()) {
            const { count, cpu, ports } = reckon(running, node.metadata.name ?? "");
            expect(new Set(ports).size).toBe(ports.length);
            expect(cpu).toBeLessThanOrEqual(CPU);
            expect(count).toBeLessThanOrEqual(PODS);
            expect(held.pods).toBe(count);
            expect(held.requested("cpu")).toBe(BigInt(cpu) * 1_000_000n);
            expect(ports.every((port) => held.holdsPort(port))).toBe(true);
          }
        }
      }),
      { numRuns: 200 },
    );
  });
});

function before<T>(running: ReadonlyMap<string, T>, uid: string): ReadonlyMap<string, T> {
  return new Map([...running].filter(([each]) => each !== uid));
}

function fits(wanted: Wanted, { count, cpu, ports }: ReturnType<typeof reckon>): boolean {
  const protocol = wanted.tcp ? "TCP" : "UDP";
  const clash = wanted.ports.some((port) => ports.includes(`${protocol}/${port}`));
  return !clash && count < PODS && cpu + wanted.cpu <= CPU;
}
