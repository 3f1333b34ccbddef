/** What holds of every decision about a GameServer, in any state of it, its Pod and its node; and that decisions come to an end. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { HOST_PORT_ANNOTATION } from "#api/agones/cloud-product/gke-autopilot.ts";
import { READY_CONTAINER_ID_ANNOTATION } from "#api/agones/constants.ts";
import type { GameServer } from "#api/agones/gameserver.ts";
import { isDevelopment, isTerminal } from "#api/agones/predicates.ts";
import type { Node } from "#api/core/node.ts";
import type { Pod } from "#api/core/pod.ts";
import { isControlledBy } from "#api/meta/object.ts";
import { decideHealth, decideSucceeded } from "./decide-health.ts";
import { decideMigration, decideMissingPod, type PodVerdict } from "./decide-pod-health.ts";
import { decideStep, type PodRules, type Step } from "./decide-step.ts";
import { rules, type Snapshot, snapshots } from "./snapshots.fixture.ts";

/** All decisions that are made of a snapshot. The step sees a server's own Pod alone. */
function decideAll(
  snapshot: Snapshot,
  rules: PodRules,
): { readonly step: Step; readonly verdicts: readonly PodVerdict[] } {
  const { gameServer, pod } = snapshot;
  const own = pod && isControlledBy(pod, gameServer) ? pod : undefined;
  return {
    step: decideStep({ ...snapshot, pod: own }, rules),
    verdicts: [
      decideHealth(snapshot, rules),
      decideMigration(snapshot),
      decideMissingPod(snapshot),
      ...(rules.gates.SidecarContainers ? [decideSucceeded(snapshot)] : []),
    ],
  };
}

const writesOf = ({ step, verdicts }: ReturnType<typeof decideAll>): readonly GameServer[] => [
  ...(step.type === "write" || step.type === "release" ? [step.gameServer] : []),
  ...verdicts.flatMap((verdict) => (verdict ? [verdict.gameServer] : [])),
];

const RUNS = { numRuns: 3000 };

test("no snapshot is refused, and a terminal state never turns into another", () => {
  fc.assert(
    fc.property(snapshots, rules, (snapshot, rules) => {
      const decided = decideAll(snapshot, rules);
      const { gameServer } = snapshot;
      if (!isTerminal(gameServer)) return;
      expect(decided.verdicts.filter((verdict) => verdict)).toEqual([]);
      expect(writesOf(decided).map(({ status }) => status)).toEqual(writesOf(decided).map(() => gameServer.status));
      const marked = gameServer.metadata.deletionTimestamp !== undefined;
      const allowed = marked ? ["done", "wait", "deletePod", "release"] : ["done", "deleteGameServer"];
      expect(allowed).toContain(decided.step.type);
    }),
    RUNS,
  );
});

test("a server that is Allocated or Reserved loses that only with its Pod, its game or its address", () => {
  const busy = fc.constantFrom("Allocated" as const, "Reserved" as const);
  fc.assert(
    fc.property(snapshots, rules, busy, (snapshot, rules, state) => {
      const { gameServer: other, pod, node } = snapshot;
      const gameServer = { ...other, status: { ...other.status, state } };
      const decided = decideAll({ ...snapshot, gameServer }, rules);
      if (gameServer.metadata.deletionTimestamp) {
        expect(decided.verdicts.every((each) => !each)).toBe(true);
        return;
      }

      expect(["done", "write"]).toContain(decided.step.type);
      if (decided.step.type === "write") {
        const { addresses: _, ...status } = decided.step.gameServer.status ?? {};
        const { addresses: __, ...before } = gameServer.status ?? {};
        expect({ ...decided.step.gameServer, status }).toEqual({ ...gameServer, status: before });
      }
      const lost = decided.verdicts.some((verdict) => verdict);
      if (!lost) return;
      expect(isDevelopment(gameServer)).toBe(false);
      const own = pod && isControlledBy(pod, gameServer);
      const game = pod?.status?.containerStatuses?.[0];
      const causes = [
        !own,
        pod?.status?.reason === "Evicted",
        pod?.status?.phase === "Failed" || pod?.status?.phase === "Succeeded",
        game?.state?.terminated ?? game?.lastState?.terminated,
        !rules.product.waitsForFreePorts && pod?.status?.conditions?.[0]?.message?.includes("free ports"),
        pod?.spec.nodeName !== gameServer.status.nodeName,
        !node?.status?.addresses?.some(({ address }) => address === gameServer.status.address),
      ];
      expect(causes.some((cause) => cause)).toBe(true);
    }),
    RUNS,
  );
});

test("nothing is removed that nobody asked to remove, and a development server never has to do with a Pod", () => {
  fc.assert(
    fc.property(snapshots, rules, (snapshot, rules) => {
      const { step, verdicts } = decideAll(snapshot, rules);
      const { metadata, status } = snapshot.gameServer;
      if (step.type === "deletePod" || step.type === "release") expect(metadata.deletionTimestamp).toBeDefined();
      if (step.type === "deleteGameServer") expect(status?.state).toBe("Shutdown");
      if (!isDevelopment(snapshot.gameServer)) return;
      expect(["createPod", "deletePod", "markPod"]).not.toContain(step.type);
      expect(verdicts.every((verdict) => !verdict)).toBe(true);
    }),
    RUNS,
  );
});

/** A world of one server, in which decisions are carried out at once. */
class Model {
  gameServer: GameServer | undefined;
  pod: Pod | undefined;
  node: Node | undefined;
  readonly #rules: PodRules;

  constructor({ gameServer, pod, node }: Snapshot, rules: PodRules) {
    this.gameServer = gameServer;
    this.pod = pod;
    this.node = node;
    this.#rules = rules;
  }

  /** What comes next to be done, done; false when nothing is. */
  act(): boolean {
    const { gameServer, pod, node } = this;
    if (!gameServer) return false;
    const { step, verdicts } = decideAll({ gameServer, pod, node }, this.#rules);
    const verdict = verdicts.find((each) => each);
    if (verdict) this.gameServer = verdict.gameServer;
    else if (step.type === "write") this.gameServer = step.gameServer;
    else if (step.type === "allocatePorts") this.#become("Creating");
    else if (step.type === "createPod") {
      this.pod = freshPod;
      this.#become("Starting");
    } else if (step.type === "markPod") {
      const annotations = { ...step.pod.metadata.annotations, [READY_CONTAINER_ID_ANNOTATION]: step.containerId };
      this.pod = { ...step.pod, metadata: { ...step.pod.metadata, annotations } };
    } else if (step.type === "deletePod") this.pod = undefined;
    else if (step.type === "release") {
      const gone = (step.gameServer.metadata.finalizers ?? []).length === 0;
      this.gameServer = gone ? undefined : step.gameServer;
    } else if (step.type === "deleteGameServer") {
      const metadata = { ...gameServer.metadata, deletionTimestamp: "2030-01-01T00:00:00Z" };
      this.gameServer = { ...gameServer, metadata };
    } else return false;
    return true;
  }

  /** Everybody else does what they are there for: Pods that go are gone, Pods that stay are placed and run. */
  tidy(): void {
    const { pod } = this;
    this.node = {
      apiVersion: "v1",
      kind: "Node",
      metadata: { name: "n1" },
      status: { addresses: [{ type: "InternalIP", address: "10.0.0.1" }] },
    };
    if (pod?.metadata.deletionTimestamp) this.pod = undefined;
    else if (pod) {
      const nodeName = pod.spec.nodeName ?? "n1";
      const { [HOST_PORT_ANNOTATION]: _, ...annotations } = pod.metadata.annotations ?? {};
      const ended = pod.status?.phase === "Failed" || pod.status?.phase === "Succeeded";
      const status: Pod["status"] = ended
        ? pod.status
        : { ...running, ...pod.status, phase: "Running", podIPs: running.podIPs };
      this.pod = { ...pod, metadata: { ...pod.metadata, annotations }, spec: { ...pod.spec, nodeName }, status };
    }
  }

  #become(state: "Creating" | "Starting"): void {
    if (this.gameServer) this.gameServer = { ...this.gameServer, status: { ...this.gameServer.status, state } };
  }
}

const running = {
  podIPs: [{ ip: "10.8.0.1" }],
  containerStatuses: [
    { name: "game", image: "", imageID: "", ready: true, restartCount: 0, containerID: "c1", state: { running: {} } },
  ],
};
const freshPod: Pod = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: {
    name: "s",
    namespace: "default",
    uid: "pod-new",
    labels: { "agones.dev/role": "gameserver" },
    annotations: { "agones.dev/container": "game" },
    ownerReferences: [{ apiVersion: "agones.dev/v1", kind: "GameServer", name: "s", uid: "uid-s", controller: true }],
  },
  spec: { containers: [] },
};

test("from any state few decisions lead to rest, and rest is a state that waits for nobody of ours", () => {
  fc.assert(
    fc.property(snapshots, rules, (snapshot, rules) => {
      const model = new Model(snapshot, rules);
      let acts = 0;
      for (let round = 0; round < 4; round++) {
        while (model.act()) expect(++acts).toBeLessThanOrEqual(12);
        model.tidy();
      }
      expect(model.act()).toBe(false);
      const { metadata, status } = model.gameServer ?? {};
      if (metadata?.deletionTimestamp) {
        expect(metadata.finalizers).not.toContain("agones.dev/controller");
        return;
      }
      const resting = ["Scheduled", "Ready", "Reserved", "Allocated", "Error", "Unhealthy", undefined];
      const development = model.gameServer && isDevelopment(model.gameServer);
      // A game that is started again and again has no container to note; whose node is another one has no address.
      const game = model.pod?.status?.containerStatuses?.[0];
      const stuck = model.pod?.spec.nodeName === "n2" || !game?.state?.running || !game.containerID;
      expect([
        ...resting,
        ...(development ? ["Starting"] : []),
        ...(stuck ? ["Starting", "RequestReady"] : []),
      ]).toContain(status?.state);
    }),
    RUNS,
  );
});
