import { describe, expect, test } from "vitest";
import type { Node } from "../../core/node.ts";
import type { Pod } from "../../core/pod.ts";
import { applyAddressAndPorts } from "../address.ts";
import { defaultGameServer } from "../defaults.ts";
import { featureGates } from "../feature-gates.ts";
import { fleet, gameServerSet, manifest, stored } from "../gameserver.fixture.ts";
import type { GameServer, GameServerSpec } from "../gameserver.ts";
import { buildPod } from "../pod.ts";
import { validateFleet } from "../validate-fleet.ts";
import { validateGameServer } from "../validate-gameserver.ts";
import { validateGameServerSet } from "../validate-gameserverset.ts";
import { assigned, evictions, placeholders, rules } from "./cloud-product.promises.ts";
import { CloudProductError } from "./cloud-product.ts";
import { CLOUD_PRODUCTS, detectCloudProduct } from "./cloud-products.ts";

const { generic, "gke-autopilot": autopilot } = CLOUD_PRODUCTS;
const titled = <T extends { readonly section: string; readonly name: string }>(promises: readonly T[]) =>
  promises.map((promise) => [promise.section, promise.name, promise] as const);
const sidecar = { image: "sdk:1", requestsRateLimit: "500ms" };
const on = featureGates();
const pod = (gameServer: GameServer, product = autopilot, gates = on) =>
  buildPod(gameServer, { gates, version: "1.0.0", sidecar, product });
const texts = (faults: readonly { readonly field: string; readonly body: string }[]) =>
  faults.map(({ field, body }) => `${field}: ${body}`);

describe("on Autopilot", () => {
  test.each(titled(rules))("%s: %s, of a server and of a template", (_section, _name, { spec, gates, faults }) => {
    const all = featureGates(gates);
    const server = defaultGameServer(manifest(spec), { gates: all, version: "1" });
    expect(texts(validateGameServer(server, all, autopilot))).toEqual(faults.map((fault) => `spec.${fault}`));
    const template = { spec: manifest(spec).spec };
    const prefixed = faults.map((fault) => `spec.template.spec.${fault}`);
    const set = gameServerSet({ template, scheduling: "Packed" });
    expect(texts(validateGameServerSet(set, all, autopilot))).toEqual(prefixed);
    const strategy = { type: "Recreate" } as const;
    expect(texts(validateFleet(fleet({ template, strategy, scheduling: "Packed" }), all, autopilot))).toEqual(prefixed);
    if (all.PortPolicyNone) expect(validateGameServer(server, all, generic)).toEqual([]);
  });

  test("4.8: the scheduling of sets and fleets must be Packed too, and not empty", () => {
    const fault = (value: string) =>
      `spec.scheduling: Invalid value: "${value}": scheduling strategy must be Packed on GKE Autopilot`;
    expect(texts(validateGameServerSet(gameServerSet(), on, autopilot))).toEqual([fault("")]);
    const distributed = fleet({ strategy: { type: "Recreate" }, scheduling: "Distributed" });
    expect(texts(validateFleet(distributed, on, autopilot))).toEqual([fault("Distributed")]);
    expect(validateFleet(distributed, on)).toEqual([]);
  });

  test("4.8: a development server has rules of its own there too", () => {
    const server = manifest(
      { scheduling: "Distributed", ports: [{ portPolicy: "Static", hostPort: 7000 }] },
      { annotations: { "agones.dev/dev-address": "10.0.0.1" } },
    );
    expect(validateGameServer(server, on, autopilot)).toEqual([]);
  });

  test("5: a Pod names its primary container and asks for no filter of system calls, unless its template says else", () => {
    const built = pod(stored());
    expect(built.metadata.annotations).toMatchObject({ "autopilot.gke.io/primary-container": "duel" });
    expect(built.metadata.labels).not.toHaveProperty("agones.dev/port");
    expect(built.spec.securityContext).toEqual({ seccompProfile: { type: "Unconfined" } });
    const { spec } = manifest();
    const own = { runAsUser: 7, seccompProfile: { type: "RuntimeDefault" } };
    const template = {
      metadata: { annotations: { "autopilot.gke.io/primary-container": "tail" } },
      spec: { ...spec.template.spec, securityContext: own },
    };
    const kept = pod(stored({}, {}, { template }));
    expect(kept.metadata.annotations).toMatchObject({ "autopilot.gke.io/primary-container": "tail" });
    expect(kept.spec.securityContext).toEqual(own);
  });

  test("5: a Pod with a Passthrough port is marked for admission, and carries the question for ports", () => {
    const server = stored({}, {}, { ports: [{ portPolicy: "Passthrough" }] });
    const placed = autopilot.placeholderPorts?.(server, { min: 7000, max: 8000 });
    const built = pod(placed as GameServer);
    expect(built.metadata.labels).toMatchObject({ "agones.dev/port": "autopilot-passthrough" });
    expect(built.metadata.annotations).toMatchObject({
      "autopilot.gke.io/host-port-assignment": '{"min":7000,"max":8000}',
      "agones.dev/container-passthrough-port-assignment": '{"duel":[0]}',
    });
    expect(built.spec.containers[0]?.ports).toEqual([{ containerPort: 0, hostPort: 1, protocol: "UDP" }]);
  });

  test("5: an eviction that is not there, or not known, builds no Pod", () => {
    const short = featureGates({ GKEAutopilotExtendedDurationPods: false });
    const build =
      (eviction: unknown, product = autopilot, gates = short) =>
      () =>
        pod({ ...stored(), status: { eviction: eviction as never } }, product, gates);
    for (const product of [generic, autopilot]) {
      expect(build(undefined, product)).toThrow("No eviction value set. Should be the default value");
      expect(build({ safe: "Soon" }, product, on)).toThrow('unknown eviction.safe value "Soon"');
    }
    expect(build({ safe: "OnUpgrade" })).toThrow('unknown eviction.safe value "OnUpgrade"');
  });
});

test.each(titled(evictions))("%s: evictions: %s", (_section, _name, { safe, annotation, label, gates, marks }) => {
  const key = { annotation: "cluster-autoscaler.kubernetes.io/safe-to-evict", label: "agones.dev/safe-to-evict" };
  const metadata = {
    ...(annotation && { annotations: { [key.annotation]: annotation } }),
    ...(label && { labels: { [key.label]: label } }),
  };
  const all = featureGates(gates);
  const { metadata: built } = pod(
    {
      ...stored({ eviction: { safe } }, {}, { template: { ...manifest().spec.template, metadata } }),
      status: { eviction: { safe } },
    },
    all.GKEAutopilotExtendedDurationPods ? generic : autopilot,
    all,
  );
  expect([built.annotations?.[key.annotation], built.labels?.[key.label]]).toEqual([marks.annotation, marks.label]);
  expect(Object.keys(built.annotations ?? {}).includes(key.annotation)).toBe(marks.annotation !== undefined);
});

test.each(titled(placeholders))("%s: placeholders: %s", (_section, _name, { ports, placed }) => {
  const server = manifest({ ports: ports as GameServerSpec["ports"] });
  const result = autopilot.placeholderPorts?.(server, { min: 7000, max: 8000 });
  if (!placed) return expect(result).toBe(server);
  expect(result?.spec.ports?.map(({ name, protocol, hostPort }) => `${name} ${protocol} ${hostPort}`)).toEqual(placed);
  const annotations = { "autopilot.gke.io/host-port-assignment": '{"min":7000,"max":8000}' };
  expect(result?.spec.template.metadata).toEqual({ annotations });
});

describe("ports of a scheduled Pod", () => {
  const node: Node = {
    apiVersion: "v1",
    kind: "Node",
    metadata: { name: "n" },
    status: { addresses: [{ type: "InternalIP", address: "10.0.0.1" }] },
  };
  const server = (known = 0): GameServer => ({
    ...manifest({ ports: [1, 2, 2].map((hostPort) => ({ portPolicy: "Dynamic", containerPort: 7000, hostPort })) }),
    status: { ports: Array.from({ length: known }, () => ({ port: 1 })) },
  });
  const scheduled = (answer?: string): Pod => ({
    ...pod(stored()),
    metadata: { annotations: answer === undefined ? {} : { "autopilot.gke.io/host-port-assignment": answer } },
  });

  test.each(titled(assigned))("%s: %s", (_section, _name, { answer, known, hostPorts }) => {
    const placed = applyAddressAndPorts(server(known), scheduled(answer), node, autopilot);
    expect(placed.spec.ports?.map(({ hostPort }) => hostPort)).toEqual(hostPorts);
    expect(placed.status?.ports?.map(({ port }) => port)).toEqual(hostPorts);
    const ours = applyAddressAndPorts(server(known), scheduled(answer), node);
    expect(ours.spec).toEqual(server().spec);
  });

  test.each(["{", "7", '{"portsAssigned":[]}'])("5: an answer that is none: %s", (answer) => {
    const place = () => applyAddressAndPorts(server(), scheduled(answer), node, autopilot);
    expect(place).toThrow(CloudProductError);
    expect(place).toThrow("cannot read annotation autopilot.gke.io/host-port-assignment");
  });

  test("no ports are none", () => {
    const bare = manifest();
    expect(applyAddressAndPorts(bare, scheduled("{}"), node, autopilot).spec).toBe(bare.spec);
  });
});

describe("a product", () => {
  test("finds host ports itself, and waits for them, or does neither", () => {
    expect([generic.placeholderPorts, generic.waitsForFreePorts]).toEqual([undefined, false]);
    expect([typeof autopilot.placeholderPorts, autopilot.waitsForFreePorts]).toEqual(["function", true]);
  });

  const nodeOf = (name: string, providerID?: string): Node => ({
    apiVersion: "v1",
    kind: "Node",
    metadata: { name },
    spec: { ...(providerID && { providerID }) },
  });
  const google = nodeOf("gke-pool-1", "gce://project/zone/gke-pool-1");
  const packed = nodeOf("gk3-pool-1", "gce://project/zone/gk3-pool-1");
  const elsewhere = nodeOf("gk3-lookalike", "aws:///zone/i-1");

  test.each<[string, readonly Node[], readonly string[] | undefined, string]>([
    ["on Google", [google], ["sasecret-redacter.config.common-webhooks.networking.gke.io"], "gke-autopilot"],
    ["on Google", [google], ["x", "workload-defaulter.config.common-webhooks.networking.gke.io"], "gke-autopilot"],
    ["on Google", [packed], ["x"], "generic"],
    ["elsewhere", [elsewhere], ["sasecret-redacter.config.common-webhooks.networking.gke.io"], "generic"],
    ["without nodes", [], ["sasecret-redacter.config.common-webhooks.networking.gke.io"], "generic"],
    ["on Autopilot's nodes", [google, packed], undefined, "gke-autopilot"],
    ["on Google's other nodes", [google], undefined, "generic"],
    ["elsewhere", [elsewhere, nodeOf("gk3-bare")], undefined, "generic"],
  ])("is found out %s (case %#)", (_where, nodes, webhooks, product) => {
    expect(detectCloudProduct(nodes, webhooks)).toBe(product);
  });
});
