/** The built-in kinds that game servers live with: Pod, ConfigMap, Secret, Namespace, Event, Lease, Node. */
import type { JsonObject } from "#api/meta/json.ts";
import { agree as agreeExactly, type Scenario } from "./agreement/agree.ts";

const CORE = "/api/v1/namespaces/NS";

const agree = (name: string, scenario: Scenario): void =>
  agreeExactly(name, (api) => {
    api.emptyIsAbsent = true;
    return scenario(api);
  });
const TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io";

const pod = (spec: JsonObject = {}, metadata: JsonObject = {}): JsonObject => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "duel", ...metadata },
  spec: { serviceAccountName: "agones-sdk", containers: [{ name: "duel", image: "duel:3" }], ...spec },
});
const configMap = (data: JsonObject, metadata: JsonObject = {}): JsonObject => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "map", ...metadata },
  data,
});

agree("a Pod of a game server, its defaults and its Table", async (api) => {
  await api.create(
    pod({
      restartPolicy: "Never",
      terminationGracePeriodSeconds: 90,
      volumes: [{ name: "empty", emptyDir: {} }],
      initContainers: [
        {
          name: "agones-gameserver-sidecar",
          image: "sdk:1",
          restartPolicy: "Always",
          args: ["--grpc-port=9357"],
          env: [{ name: "POD_NAMESPACE", valueFrom: { fieldRef: { fieldPath: "metadata.namespace" } } }],
          livenessProbe: { httpGet: { path: "/healthz", port: 8080 }, initialDelaySeconds: 3, periodSeconds: 3 },
          resources: { requests: { cpu: "30m" } },
        },
      ],
      containers: [
        {
          name: "duel",
          image: "duel:3",
          ports: [{ containerPort: 7654, hostPort: 7001, protocol: "UDP" }, { containerPort: 7655 }],
          volumeMounts: [{ name: "empty", mountPath: "/var/run/x", readOnly: true }],
          resources: { requests: { cpu: 0.5, memory: "64Mi" }, limits: { cpu: "1", memory: "128Mi" } },
        },
      ],
      affinity: {
        podAffinity: {
          preferredDuringSchedulingIgnoredDuringExecution: [
            {
              weight: 100,
              podAffinityTerm: {
                topologyKey: "kubernetes.io/hostname",
                labelSelector: { matchLabels: { "agones.dev/role": "gameserver" } },
              },
            },
          ],
        },
      },
    }),
  );
  await api.get(`${CORE}/pods`, TABLE);
  await api.get(`${CORE}/pods?fieldSelector=status.phase%3DPending`, TABLE);
  await api.get(`${CORE}/pods?fieldSelector=spec.nodeName%3Da`);
  await api.get(`${CORE}/pods?fieldSelector=spec.colour%3Da`);
});

agree("Pods that are refused", async (api) => {
  for (const [position, spec] of [
    { containers: [] },
    { containers: [{ name: "a" }] },
    { containers: [{ name: "A_", image: "x" }] },
    {
      containers: [
        { name: "a", image: "x" },
        { name: "a", image: "y" },
      ],
    },
    { containers: [{ name: "a", image: "x", ports: [{ containerPort: 0 }] }] },
    { containers: [{ name: "a", image: "x", ports: [{ containerPort: 70000, protocol: "SCTPX" }] }] },
    {
      containers: [
        {
          name: "a",
          image: "x",
          ports: [
            { containerPort: 1, hostPort: 1 },
            { containerPort: 2, hostPort: 1 },
          ],
        },
      ],
    },
    { containers: [{ name: "a", image: "x", imagePullPolicy: "Sometimes" }] },
    { containers: [{ name: "a", image: "x", env: [{ name: "" }] }] },
    { containers: [{ name: "a", image: "x", volumeMounts: [{ name: "ghost", mountPath: "/x" }] }] },
    { containers: [{ name: "a", image: "x", resources: { requests: { cpu: "2" }, limits: { cpu: "1" } } }] },
    { containers: [{ name: "a", image: "x", resources: { requests: { cpu: "-1" } } }] },
    { restartPolicy: "Maybe" },
    { terminationGracePeriodSeconds: -1 },
    { tolerations: [{ key: "a", operator: "Likes" }] },
    { hostname: "Not_A_Name" },
    { initContainers: [{ name: "duel", image: "x" }] },
  ].entries())
    await api.create(pod(spec as JsonObject, { name: `p-${position}` }));
});

agree("bodies of a Pod that cannot be read", async (api) => {
  await api.loosely(async () => {
    await api.create(pod({ containers: "all" }));
    await api.create(pod({ containers: [{ name: 5, image: "x" }] }));
    await api.create(pod({ containers: [{ name: "a", image: "x", resources: { requests: { cpu: "lots" } } }] }));
    await api.create(pod({ terminationGracePeriodSeconds: "soon" }));
    await api.create({ ...pod(), kind: "ConfigMap" });
    await api.create({ ...pod(), apiVersion: "v2" });
  });
});

agree("unknown fields of a Pod", async (api) => {
  for (const validation of ["Strict", "Warn", "Ignore"])
    await api.create(pod({ colour: "red" }, { name: validation.toLowerCase() }), `?fieldValidation=${validation}`);
});

agree("changes of a Pod", async (api) => {
  const path = `${CORE}/pods/duel`;
  await api.create(pod());
  await api.patch(path, "strategic", { metadata: { labels: { a: "b" } } });
  await api.patch(path, "strategic", { spec: { containers: [{ name: "duel", image: "duel:4" }] } });
  await api.patch(path, "strategic", { spec: { tolerations: [{ key: "a", operator: "Exists" }] } });
  await api.loosely(async () => {
    await api.patch(path, "merge", { spec: { nodeName: "other" } });
    await api.patch(path, "merge", { spec: { restartPolicy: "Never" } });
  });
  await api.patch(path, "json", [{ op: "add", path: "/spec/containers/-", value: { name: "more", image: "x" } }]);
  await api.patch(`${path}/status`, "strategic", {
    status: { phase: "Running", podIPs: [{ ip: "10.0.0.1" }], podIP: "10.0.0.1" },
  });
  await api.patch(`${path}/status`, "strategic", {
    status: { conditions: [{ type: "Ready", status: "True" }] },
  });
  await api.patch(`${path}/status`, "strategic", {
    status: {
      conditions: [
        { type: "Ready", status: "False" },
        { type: "Other", status: "True" },
      ],
    },
  });
  await api.get(`${CORE}/pods`, TABLE);
});

agree("bindings, evictions and the end of a Pod", async (api) => {
  const path = `${CORE}/pods/duel`;
  await api.create(pod());
  const binding = { apiVersion: "v1", kind: "Binding", metadata: { name: "duel" } };
  await api.differing("a Binding that names no node", () =>
    api.call("POST", `${path}/binding`, { ...binding, target: { kind: "Node", name: "" } }),
  );
  await api.call("POST", `${path}/binding`, { ...binding, target: { kind: "Node", name: "n-1" } });
  await api.call("POST", `${path}/binding`, { ...binding, target: { kind: "Node", name: "n-2" } });
  await api.call("POST", `${CORE}/pods/ghost/binding`, {
    ...binding,
    metadata: { name: "ghost" },
    target: { kind: "Node", name: "n-2" },
  });
  await api.get(path);
  await api.call("DELETE", path);
  await api.get(path);
  await api.call("DELETE", `${path}?gracePeriodSeconds=0`);
  await api.get(path);
  await api.create(pod({}, { name: "free" }));
  await api.call("POST", `${CORE}/pods/free/eviction`, {
    apiVersion: "policy/v1",
    kind: "Eviction",
    metadata: { name: "free" },
  });
  await api.get(`${CORE}/pods/free`);
});

agree("ConfigMaps and strategic merges", async (api) => {
  const path = `${CORE}/configmaps/map`;
  await api.create(configMap({ a: "1" }));
  await api.create(configMap({ a: "1" }));
  await api.patch(path, "strategic", { data: { b: "2" } });
  await api.patch(path, "strategic", { data: { a: null } });
  await api.patch(path, "strategic", { data: { $patch: "replace", c: "3" } });
  await api.patch(path, "strategic", { metadata: { finalizers: ["example.dev/a"] } });
  await api.patch(path, "strategic", { metadata: { finalizers: ["example.dev/b"] } });
  await api.patch(path, "strategic", { metadata: { "$deleteFromPrimitiveList/finalizers": ["example.dev/a"] } });
  await api.patch(path, "merge", { metadata: { finalizers: null } });
  await api.patch(path, "merge", { immutable: true });
  await api.patch(path, "merge", { data: { d: "4" } });
  await api.create(configMap({ "not/a/key": "1" }, { name: "other" }));
  await api.create({ ...configMap({ a: "1" }, { name: "other" }), binaryData: { a: "AA==" } });
  await api.loosely(() => api.create(configMap({ a: 1 }, { name: "other" })));
  await api.get(`${CORE}/configmaps`, TABLE);
  const object = await api.quietly("GET", path);
  await api.call("PUT", path, { ...object, metadata: { name: "map" } });
  await api.call("PUT", `${CORE}/configmaps/new`, configMap({ a: "1" }, { name: "new" }));
  await api.call("DELETE", path);
});

agree("Secrets and ServiceAccounts", async (api) => {
  await api.create({ apiVersion: "v1", kind: "Secret", metadata: { name: "s" }, stringData: { a: "b" } });
  await api.create({ apiVersion: "v1", kind: "Secret", metadata: { name: "t" }, type: "kubernetes.io/tls", data: {} });
  await api.create({ apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "agones-sdk" } });
  await api.get(`${CORE}/secrets`, TABLE);
  await api.get(`${CORE}/serviceaccounts`, TABLE);
});

agree("Namespaces", async (api) => {
  const name = `${api.namespace}-more`;
  await api.create({ apiVersion: "v1", kind: "Namespace", metadata: { name } });
  api.note("again", (await api.server.call("POST", "/api/v1/namespaces", { metadata: { name } })).body);
  await api.create({ apiVersion: "v1", kind: "Namespace", metadata: { name: "Not_A_Name" } });
  await api.create({ apiVersion: "v1", kind: "Namespace", metadata: { name: "a".repeat(64) } });
  api.note(
    "labelled",
    await api.quietly(
      "PATCH",
      `/api/v1/namespaces/${name}`,
      { metadata: { labels: { a: "b" } } },
      {
        contentType: "application/merge-patch+json",
      },
    ),
  );
});

agree("Events", async (api) => {
  const event = (members: JsonObject): JsonObject => ({
    apiVersion: "v1",
    kind: "Event",
    metadata: { name: "e" },
    involvedObject: { apiVersion: "agones.dev/v1", kind: "GameServer", name: "duel", namespace: api.namespace },
    reason: "Shutdown",
    message: "over",
    type: "Normal",
    source: { component: "gameserver-controller" },
    firstTimestamp: "2030-01-01T00:00:00Z",
    lastTimestamp: "2030-01-01T00:00:00Z",
    count: 1,
    ...members,
  });
  const grouped = {
    apiVersion: "events.k8s.io/v1",
    kind: "Event",
    metadata: { name: "h" },
    regarding: { apiVersion: "v1", kind: "Pod", name: "duel", namespace: api.namespace },
    reason: "Scheduled",
    action: "Binding",
    note: "Successfully assigned",
    type: "Normal",
    eventTime: "2030-01-01T00:00:00.000000Z",
    reportingController: "default-scheduler",
    reportingInstance: "default-scheduler-1",
  };
  await api.create(event({}));
  await api.create(event({ metadata: { name: "f" }, type: "Loud" }));
  await api.create(event({ metadata: { name: "g" }, involvedObject: { kind: "Node", name: "n", namespace: "other" } }));
  await api.patch(`${CORE}/events/e`, "strategic", { count: 2 });
  await api.get(`${CORE}/events`);
  await api.get(`${CORE}/events`, TABLE);
  await api.get(`${CORE}/events?fieldSelector=involvedObject.name%3Dduel`);
  await api.get("/apis/events.k8s.io/v1/namespaces/NS/events");
  const made = await api.quietly("POST", "/apis/events.k8s.io/v1/namespaces/NS/events", grouped);
  api.note("grouped", { ...made, deprecatedSource: null });
  const { source: _, ...seen } = await api.quietly("GET", `${CORE}/events/h`);
  api.note("as a core Event", seen);
});

agree("Leases", async (api) => {
  const path = "/apis/coordination.k8s.io/v1/namespaces/NS/leases/lock";
  const lease = (spec: JsonObject): JsonObject => ({
    apiVersion: "coordination.k8s.io/v1",
    kind: "Lease",
    metadata: { name: "lock" },
    spec,
  });
  await api.create(lease({ holderIdentity: "me", leaseDurationSeconds: 15, renewTime: "2030-01-01T00:00:00.000000Z" }));
  const object = await api.quietly("GET", path);
  await api.call("PUT", path, { ...object, spec: { ...(object.spec as JsonObject), holderIdentity: "you" } });
  await api.call("PUT", path, { ...object, spec: { ...(object.spec as JsonObject), holderIdentity: "else" } });
  await api.create({ ...lease({ leaseDurationSeconds: 0 }), metadata: { name: "other" } });
  await api.get("/apis/coordination.k8s.io/v1/namespaces/NS/leases", TABLE);
});

agree("Nodes", async (api) => {
  const name = `${api.namespace}-node`;
  const made = await api.quietly("POST", "/api/v1/nodes", {
    apiVersion: "v1",
    kind: "Node",
    metadata: { name, labels: { "kubernetes.io/hostname": "n" } },
    spec: { unschedulable: true },
  });
  const seen = ({ metadata, spec, status = {} }: JsonObject): JsonObject => ({
    metadata: metadata ?? null,
    spec: spec ?? null,
    ...Object.fromEntries(
      ["capacity", "conditions", "addresses"].map((name) => [name, (status as JsonObject)[name] ?? null]),
    ),
  });
  api.note("made", seen(made));
  const patch = (path: string, body: JsonObject) =>
    api.quietly("PATCH", path, body, { contentType: "application/strategic-merge-patch+json" });
  const status = {
    capacity: { cpu: "4", memory: "8Gi", pods: "110" },
    conditions: [{ type: "Ready", status: "True", reason: "Fine", message: "well" }],
    addresses: [{ type: "InternalIP", address: "10.0.0.1" }],
  };
  api.note("status", seen(await patch(`/api/v1/nodes/${name}/status`, { status })));
  api.note("uncordoned", seen(await patch(`/api/v1/nodes/${name}`, { spec: { unschedulable: null } })));
  await api.quietly("DELETE", `/api/v1/nodes/${name}`);
});

agree("methods that collections and objects do not have", async (api) => {
  await api.call("PUT", `${CORE}/configmaps`, configMap({}));
  await api.call("PATCH", `${CORE}/configmaps`, {}, { contentType: "application/merge-patch+json" });
  await api.call("POST", `${CORE}/configmaps/map`, configMap({}));
  await api.call("POST", "/api/v1/configmaps", configMap({}));
  await api.call("DELETE", "/api/v1/configmaps");
  await api.get("/api/v1/configmaps/map");
  await api.get(`${CORE}/configmaps/map/status`);
  await api.get(`${CORE}/namespaces`);
  await api.get(`${CORE}/nodes`);
  await api.get("/api/v1/namespaces/NS/pods/ghost/log");
  await api.get(`${CORE}/configmaps?labelSelector=${encodeURIComponent("a in b")}`);
});
