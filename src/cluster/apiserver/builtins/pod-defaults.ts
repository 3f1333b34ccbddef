/** What Kubernetes fills into a core/v1 PodSpec by code. Safe on objects that no schema has checked yet. */
import { canonicalQuantities } from "#api/core/quantities.ts";
import type { JsonObject } from "#api/meta/json.ts";
import { mapObjectAt, mapObjectsAt, objectAt, withDefaults } from "../resources/object-fields.ts";

/** A quantity that is none stays for validation to name. */
export function withPodDefaults(pod: JsonObject): JsonObject {
  return mapObjectAt(canonicalQuantities(pod), "spec", withPodSpecDefaults);
}

function withPodSpecDefaults(spec: JsonObject): JsonObject {
  const hostNetwork = spec.hostNetwork === true;
  const filled = withDefaults(spec, {
    restartPolicy: "Always",
    dnsPolicy: "ClusterFirst",
    schedulerName: "default-scheduler",
    terminationGracePeriodSeconds: 30,
    enableServiceLinks: true,
    securityContext: {},
    ...(spec.serviceAccountName === undefined && { serviceAccountName: "default" }),
  });
  const { serviceAccountName, terminationGracePeriodSeconds: grace } = filled;
  const agreeing = {
    ...filled,
    // An older name of the same.
    serviceAccount: serviceAccountName,
    ...(typeof grace === "number" && grace < 0 && { terminationGracePeriodSeconds: 1 }),
  };
  const withVolumes = mapObjectsAt(agreeing, "volumes", withVolumeDefaults);
  return ["containers", "initContainers"].reduce(
    (result, member) => mapObjectsAt(result, member, (container) => withContainerDefaults(container, hostNetwork)),
    withVolumes,
  );
}

function withContainerDefaults(container: JsonObject, hostNetwork: boolean): JsonObject {
  let result = withDefaults(container, {
    imagePullPolicy: pullPolicyFor(container.image),
    resources: {},
    terminationMessagePath: "/dev/termination-log",
    terminationMessagePolicy: "File",
  });
  result = mapObjectsAt(result, "ports", (port) =>
    withDefaults(port, { protocol: "TCP", ...(hostNetwork && { hostPort: port.containerPort }) }),
  );
  result = mapObjectsAt(result, "env", (variable) =>
    mapObjectAt(variable, "valueFrom", (source) =>
      mapObjectAt(source, "fieldRef", (field) => withDefaults(field, { apiVersion: "v1" })),
    ),
  );
  for (const probe of ["livenessProbe", "readinessProbe", "startupProbe"])
    result = mapObjectAt(result, probe, withProbeDefaults);
  return mapObjectAt(result, "resources", withRequests);
}

/** An image without a tag, or tagged `latest`, is pulled each time. */
function pullPolicyFor(image: JsonObject[string]): string {
  if (typeof image !== "string" || image.includes("@")) return "IfNotPresent";
  const tag = /:([^:/]+)$/.exec(image)?.[1] ?? "latest";
  return tag === "latest" ? "Always" : "IfNotPresent";
}

function withProbeDefaults(probe: JsonObject): JsonObject {
  const filled = withDefaults(probe, {
    timeoutSeconds: 1,
    periodSeconds: 10,
    successThreshold: 1,
    failureThreshold: 3,
  });
  return mapObjectAt(filled, "httpGet", (get) => withDefaults(get, { path: "/", scheme: "HTTP" }));
}

/** A request for each limit that has none. */
function withRequests(resources: JsonObject): JsonObject {
  const limits = objectAt(resources, "limits");
  const requests = objectAt(resources, "requests");
  const filled = withDefaults(requests, limits);
  return filled === requests ? resources : { ...resources, requests: filled };
}

function withVolumeDefaults(volume: JsonObject): JsonObject {
  const sources = Object.keys(volume).filter((member) => member !== "name");
  const sourced = sources.length === 0 ? { ...volume, emptyDir: {} } : volume;
  return ["configMap", "secret", "projected", "downwardAPI"].reduce(
    (result, member) => mapObjectAt(result, member, (source) => withDefaults(source, { defaultMode: 420 })),
    sourced,
  );
}

/** How a pod's resources rank it when memory is short. */
export function qosClassOf(pod: JsonObject): "Guaranteed" | "Burstable" | "BestEffort" {
  const spec = objectAt(pod, "spec");
  const containers = ["containers", "initContainers"].flatMap((member) => {
    const list = spec[member];
    return Array.isArray(list) ? (list as readonly JsonObject[]) : [];
  });
  const resources = containers.map((container) => objectAt(container, "resources"));
  const named = resources.flatMap((each) => [
    ...Object.keys(objectAt(each, "limits")),
    ...Object.keys(objectAt(each, "requests")),
  ]);
  if (!named.some((name) => name === "cpu" || name === "memory")) return "BestEffort";
  const guaranteed = resources.every((each) =>
    ["cpu", "memory"].every((name) => {
      const limit = objectAt(each, "limits")[name];
      return limit !== undefined && objectAt(each, "requests")[name] === limit;
    }),
  );
  return guaranteed ? "Guaranteed" : "Burstable";
}
