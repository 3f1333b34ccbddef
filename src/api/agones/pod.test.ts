import { describe, expect, test } from "vitest";
import { membersOf, titled } from "../meta/promise-row.ts";
import { featureGates } from "./feature-gates.ts";
import { stored } from "./gameserver.fixture.ts";
import { failures, pods } from "./pod.promises.ts";
import { buildPod } from "./pod.ts";
import { sdkServers } from "./sidecar.promises.ts";
import type { SidecarOptions } from "./sidecar.ts";

const sidecar: SidecarOptions = { image: "registry.example.net/sdk:1", requestsRateLimit: "500ms" };

describe.each([
  ["the Pod", pods],
  ["its SDK server", sdkServers],
])("%s", (_, promises) => {
  test.each(titled(promises))("%s: %s", (_section, _name, { spec, gates, sidecar: more, shows }) => {
    const gameServer = stored({}, { name: "duel.1" }, spec);
    const options = { gates: featureGates(gates), version: "1.2.3", sidecar: { ...sidecar, ...more } };
    expect(membersOf(buildPod(gameServer, options), shows)).toEqual(shows);
  });
});

test("nothing more is in the Pod of the smallest template", () => {
  const built = buildPod(stored(), { gates: featureGates(), version: "1.2.3", sidecar });
  expect(Object.keys(built.spec).toSorted()).toEqual(
    "affinity containers hostname initContainers restartPolicy serviceAccountName volumes".split(" "),
  );
  expect(Object.keys(built.spec.containers[0] ?? {}).toSorted()).toEqual(
    "env image livenessProbe name volumeMounts".split(" "),
  );
  expect(Object.keys(built.metadata).toSorted()).toEqual(
    "annotations labels name namespace ownerReferences".split(" "),
  );
});

describe("no Pod can be built", () => {
  test.each(titled(failures))("%s: %s", (_section, message, { spec, status, code }) => {
    let thrown: unknown;
    try {
      buildPod(stored(status, {}, spec), { gates: featureGates(), version: "1", sidecar });
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toMatchObject({ name: "PodBuildError", code, message });
  });
});
