import { expect, test } from "vitest";
import type { JsonObject } from "#api/meta/json.ts";
import { builtinColumns } from "./builtin-columns.ts";

const now = Date.UTC(2030, 0, 1);
const metadata = { name: "n", creationTimestamp: "2029-12-31T23:59:30Z" };

/** Cells by column name; columns for wide output in brackets. */
function row(group: string, plural: string, object: JsonObject): Record<string, unknown> {
  return Object.fromEntries(
    builtinColumns(group, plural).map((column) => [
      column.priority ? `(${column.name})` : column.name,
      column.cell({ metadata, ...object }, now),
    ]),
  );
}

test("any other kind shows its name and age", () => {
  expect(row("", "whatevers", {})).toEqual({ Name: "n", Age: "30s" });
});

test("namespaces, leases and service accounts", () => {
  expect(row("", "namespaces", { status: { phase: "Active" } })).toEqual({ Name: "n", Status: "Active", Age: "30s" });
  expect(row("coordination.k8s.io", "leases", { spec: { holderIdentity: "me" } })).toMatchObject({ Holder: "me" });
  expect(row("coordination.k8s.io", "leases", {})).toMatchObject({ Holder: "" });
  expect(row("", "serviceaccounts", {})).toMatchObject({ Secrets: 0 });
});

test("config maps and secrets count their entries", () => {
  expect(row("", "configmaps", { data: { a: "" }, binaryData: { b: "" } })).toMatchObject({ Data: 2 });
  expect(row("", "secrets", { type: "Opaque", data: { a: "" } })).toMatchObject({ Type: "Opaque", Data: 1 });
});

test("pods show where they run in wide output", () => {
  expect(row("", "pods", { spec: { containers: [{ name: "a" }] } })).toEqual({
    Name: "n",
    Ready: "0/1",
    Status: "",
    Restarts: "0",
    Age: "30s",
    "(IP)": "<none>",
    "(Node)": "<none>",
    "(Nominated Node)": "<none>",
    "(Readiness Gates)": "<none>",
  });
  const gates = [{ conditionType: "a" }, { conditionType: "b" }];
  const status = { podIPs: [{ ip: "10.0.0.1" }], conditions: [{ type: "b", status: "True" }] };
  expect(row("", "pods", { spec: { nodeName: "node", readinessGates: gates }, status })).toMatchObject({
    "(IP)": "10.0.0.1",
    "(Node)": "node",
    "(Readiness Gates)": "1/2",
  });
});

test("nodes show their state, roles and addresses", () => {
  const node = {
    metadata: { ...metadata, labels: { "node-role.kubernetes.io/worker": "", "kubernetes.io/role": "game" } },
    spec: { unschedulable: true },
    status: {
      conditions: [{ type: "Ready", status: "False" }],
      addresses: [{ type: "InternalIP", address: "10.0.0.1" }],
      nodeInfo: { kubeletVersion: "v1.34.4" },
    },
  };
  expect(row("", "nodes", node)).toEqual({
    Name: "n",
    Status: "NotReady,SchedulingDisabled",
    Roles: "game,worker",
    Age: "30s",
    Version: "v1.34.4",
    "(Internal-IP)": "10.0.0.1",
    "(External-IP)": "<none>",
    "(OS-Image)": "<unknown>",
    "(Kernel-Version)": "<unknown>",
    "(Container-Runtime)": "<unknown>",
  });
  expect(row("", "nodes", {})).toMatchObject({ Status: "Unknown", Roles: "<none>" });
});

test("events of both groups show the same", () => {
  const shown = {
    "Last Seen": "10s",
    Type: "Normal",
    Reason: "Ready",
    Object: "gameserver/a",
    "(Subobject)": "",
    "(Source)": "controller, host",
    Message: "ready",
    "(First Seen)": "20s",
    "(Count)": 2,
    "(Name)": "n",
  };
  const event = { metadata, type: "Normal", reason: "Ready" };
  const about = { kind: "GameServer", name: "a" };
  const first = "2029-12-31T23:59:40Z";
  const last = "2029-12-31T23:59:50Z";
  const source = { component: "controller", host: "host" };
  const core = {
    ...event,
    involvedObject: about,
    message: " ready\n",
    firstTimestamp: first,
    lastTimestamp: last,
    count: 2,
    source,
  };
  expect(row("", "events", core)).toEqual(shown);
  const other = {
    ...event,
    regarding: about,
    note: "ready",
    reportingController: "controller",
    reportingInstance: "host",
  };
  const series = { count: 2, lastObservedTime: last };
  expect(row("events.k8s.io", "events", { ...other, eventTime: first, series })).toEqual(shown);
  expect(row("", "events", { ...event, involvedObject: { kind: "Node" }, eventTime: first })).toMatchObject({
    "Last Seen": "20s",
    Object: "node",
    "(Count)": 1,
  });
});

test("services show addresses and ports", () => {
  const ports = [
    { port: 80, protocol: "TCP" },
    { port: 7777, nodePort: 30000, protocol: "UDP" },
  ];
  const spec = { type: "LoadBalancer", clusterIPs: ["10.0.0.9"], ports, selector: { b: "2", a: "1" } };
  expect(row("", "services", { spec })).toEqual({
    Name: "n",
    Type: "LoadBalancer",
    "Cluster-IP": "10.0.0.9",
    "External-IP": "<pending>",
    "Port(s)": "80/TCP,7777:30000/UDP",
    Age: "30s",
    "(Selector)": "a=1,b=2",
  });
  const status = { loadBalancer: { ingress: [{ ip: "1.2.3.4" }, { hostname: "h" }] } };
  expect(row("", "services", { spec: { ...spec, externalIPs: ["5.6.7.8"] }, status })).toMatchObject({
    "External-IP": "1.2.3.4,h,5.6.7.8",
  });
  expect(row("", "services", { spec: { type: "ClusterIP" } })).toMatchObject({
    "Cluster-IP": "<none>",
    "External-IP": "<none>",
    "Port(s)": "<none>",
    "(Selector)": "<none>",
  });
  expect(row("", "services", { spec: { type: "ExternalName", externalName: "x.y" } })).toMatchObject({
    "External-IP": "x.y",
  });
});

test("endpoints show three addresses and how many more", () => {
  const addresses = ["1.1.1.1", "::1", "3.3.3.3", "4.4.4.4"].map((ip) => ({ ip }));
  expect(row("", "endpoints", { subsets: [{ addresses, ports: [{ port: 80 }] }] })).toMatchObject({
    Endpoints: "1.1.1.1:80,[::1]:80,3.3.3.3:80 + 1 more...",
  });
  expect(row("", "endpoints", { subsets: [{ addresses: addresses.slice(0, 1) }] })).toMatchObject({
    Endpoints: "1.1.1.1",
  });
  expect(row("", "endpoints", {})).toMatchObject({ Endpoints: "<none>" });
});

test("definitions show when they were created, budgets what they allow", () => {
  expect(row("apiextensions.k8s.io", "customresourcedefinitions", {})).toEqual({
    Name: "n",
    "Created At": metadata.creationTimestamp,
  });
  expect(
    row("policy", "poddisruptionbudgets", { spec: { minAvailable: "50%" }, status: { disruptionsAllowed: 2 } }),
  ).toEqual({
    Name: "n",
    "Min Available": "50%",
    "Max Unavailable": "N/A",
    "Allowed Disruptions": 2,
    Age: "30s",
  });
});
