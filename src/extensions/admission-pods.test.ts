import { describe, expect, test } from "vitest";
import { featureGates } from "#api/agones/feature-gates.ts";
import type { Pod } from "#api/core/pod.ts";
import type { AdmissionRequest } from "#api/meta/admission.ts";
import type { JsonObject } from "#api/meta/json.ts";
import { applyJsonPatch } from "#api/meta/patch/json-patch.ts";
import { agonesAdmission } from "./admission.ts";

const plugin = agonesAdmission({ gates: featureGates(), version: "1.2.3" });
const MARK = { "agones.dev/port": "autopilot-passthrough" };
const assigned = (positions: string) => ({ "agones.dev/container-passthrough-port-assignment": positions });

const ports = (...hostPorts: (number | undefined)[]) =>
  hostPorts.map((hostPort) => ({ protocol: "UDP", ...(hostPort !== undefined && { hostPort }) }));
const spec: JsonObject = {
  initContainers: [
    { name: "query", restartPolicy: "Always", ports: ports(7001, 7002) },
    { name: "setup", ports: ports(7003) },
  ],
  containers: [{ name: "duel", ports: ports(7004, 7005, undefined) }, { name: "tail" }],
};

function request(labels: JsonObject, annotations: JsonObject): AdmissionRequest {
  return {
    uid: "r-1",
    kind: { group: "", version: "v1", kind: "Pod" },
    resource: { group: "", version: "v1", resource: "pods" },
    operation: "CREATE",
    userInfo: { username: "ann", groups: [] },
    object: { apiVersion: "v1", kind: "Pod", metadata: { name: "duel-1", labels, annotations }, spec },
    oldObject: null,
  };
}

/** Container ports by container, after admission. */
async function completed(asked: AdmissionRequest) {
  const { patch = [] } = await plugin.mutate!.admit(asked);
  const pod = applyJsonPatch(asked.object, patch) as unknown as Pod;
  const all = [...(pod.spec.initContainers ?? []), ...pod.spec.containers];
  return Object.fromEntries(
    all.map(({ name, ports }) => [name, (ports ?? []).map(({ containerPort }) => containerPort)]),
  );
}

describe("a new Pod with Passthrough ports on Autopilot", () => {
  test("5: takes its host ports as container ports, in containers and sidecars that are named", async () => {
    const positions = '{"duel":[1,2,9],"query":[0],"setup":[0],"tail":[0],"gone":[0]}';
    expect(await completed(request(MARK, assigned(positions)))).toEqual({
      query: [7001, undefined],
      setup: [undefined],
      duel: [undefined, 7005, undefined],
      tail: [],
    });
  });

  test.each([
    ["without the mark", {}, assigned('{"duel":[0]}')],
    ["of another mark", { "agones.dev/port": "other" }, assigned('{"duel":[0]}')],
    ["without the positions", MARK, {}],
    ["of no positions", MARK, assigned("{}")],
  ])("5: %s is let through as it is", async (_, labels, annotations) => {
    expect(await plugin.mutate!.admit(request(labels, annotations))).toEqual({ allowed: true });
  });

  test.each(["{", "[0]", '{"duel":0}'])("5: whose positions cannot be read is refused: %s", async (positions) => {
    const { allowed, status } = await plugin.mutate!.admit(request(MARK, assigned(positions)));
    expect([allowed, status?.reason, status?.code]).toEqual([false, "InternalError", 500]);
    expect(status?.details).toMatchObject({ name: "duel-1", kind: "Pod" });
    expect(status?.message).toMatch(/^cannot read annotation agones\.dev\/container-passthrough/);
  });

  test("is checked by nobody here", async () => {
    const asked = request(MARK, assigned("{"));
    expect(await plugin.validate!.admit(asked)).toEqual({ allowed: true });
  });
});
