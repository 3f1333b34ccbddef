/** The table columns of the built-in kinds, as kubectl's server-side printing shows them. */
import type { Node } from "#api/core/node.ts";
import type { Pod } from "#api/core/pod.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "#api/meta/json.ts";
import type { TableColumn } from "../resource-definition.ts";
import { eventColumns } from "./event-columns.ts";
import { ageOf } from "./human-duration.ts";
import { clusterAddress, endpointAddresses, externalAddresses, selectorText, servicePorts } from "./network-columns.ts";
import { nodeAddress, nodeRoles, nodeStatus } from "./node-columns.ts";
import { type PodSummary, summarizePod } from "./pod-columns.ts";
import { metadataOf, nameColumn, textOf, valueAt } from "./table.ts";

/** The columns of a built-in resource; NAME and AGE for one without columns of its own. */
export function builtinColumns(group: string, plural: string): readonly TableColumn[] {
  return COLUMNS[`${group}/${plural}`] ?? [nameColumn, age];
}

type Cell = TableColumn["cell"];

const text = (name: string, cell: Cell): TableColumn => ({ name, type: "string", cell });
const wide = (name: string, cell: Cell): TableColumn => ({ name, type: "string", priority: 1, cell });
const at =
  (...names: readonly string[]): Cell =>
  (object) =>
    textOf(valueAt(object, ...names));
const orNone =
  (cell: Cell, none = "<none>"): Cell =>
  (object, now) =>
    cell(object, now) || none;

const age = text("Age", (object, now) => ageOf(metadataOf(object).creationTimestamp, now));

const sizeOf = (value: JsonValue | undefined): number =>
  Array.isArray(value) ? value.length : isJsonObject(value) ? Object.keys(value).length : 0;

const podText = (name: string, part: (summary: PodSummary) => string): TableColumn =>
  text(name, (object, now) => part(summarizePod(object as unknown as Pod, now)));

const nodeText =
  (of: (node: Node) => string): Cell =>
  (object) =>
    of(object as unknown as Node);

/** Gates that hold, of all. */
function readinessGates(pod: JsonObject): string {
  const gates = valueAt(pod, "spec", "readinessGates");
  if (!Array.isArray(gates) || gates.length === 0) return "<none>";
  const conditions = (pod as unknown as Pod).status?.conditions ?? [];
  const open = (gates as readonly JsonObject[]).filter(
    ({ conditionType }) => conditions.find(({ type }) => type === conditionType)?.status === "True",
  );
  return `${open.length}/${gates.length}`;
}

const budget =
  (name: string): Cell =>
  (object) => {
    const value = valueAt(object, "spec", name);
    return value === undefined || value === null ? "N/A" : String(value);
  };

const COLUMNS: Readonly<Record<string, readonly TableColumn[]>> = {
  "/namespaces": [nameColumn, text("Status", at("status", "phase")), age],
  "/pods": [
    nameColumn,
    podText("Ready", ({ ready }) => ready),
    podText("Status", ({ status }) => status),
    podText("Restarts", ({ restarts }) => restarts),
    age,
    wide(
      "IP",
      orNone((pod) => (pod as unknown as Pod).status?.podIPs?.[0]?.ip || textOf(valueAt(pod, "status", "podIP"))),
    ),
    wide("Node", orNone(at("spec", "nodeName"))),
    wide("Nominated Node", orNone(at("status", "nominatedNodeName"))),
    wide("Readiness Gates", readinessGates),
  ],
  "/nodes": [
    nameColumn,
    text("Status", nodeText(nodeStatus)),
    text("Roles", orNone(nodeText(nodeRoles))),
    age,
    text("Version", at("status", "nodeInfo", "kubeletVersion")),
    wide("Internal-IP", orNone(nodeText((node) => nodeAddress(node, "InternalIP")))),
    wide("External-IP", orNone(nodeText((node) => nodeAddress(node, "ExternalIP")))),
    wide("OS-Image", orNone(at("status", "nodeInfo", "osImage"), "<unknown>")),
    wide("Kernel-Version", orNone(at("status", "nodeInfo", "kernelVersion"), "<unknown>")),
    wide("Container-Runtime", orNone(at("status", "nodeInfo", "containerRuntimeVersion"), "<unknown>")),
  ],
  "/events": eventColumns("involvedObject"),
  "events.k8s.io/events": eventColumns("regarding"),
  "/configmaps": [nameColumn, text("Data", ({ data, binaryData }) => sizeOf(data) + sizeOf(binaryData)), age],
  "/secrets": [nameColumn, text("Type", at("type")), text("Data", ({ data }) => sizeOf(data)), age],
  "/serviceaccounts": [nameColumn, text("Secrets", ({ secrets }) => sizeOf(secrets)), age],
  "/services": [
    nameColumn,
    text("Type", at("spec", "type")),
    text("Cluster-IP", clusterAddress),
    text("External-IP", externalAddresses),
    text("Port(s)", servicePorts),
    age,
    wide("Selector", selectorText),
  ],
  "/endpoints": [nameColumn, text("Endpoints", endpointAddresses), age],
  "coordination.k8s.io/leases": [nameColumn, text("Holder", at("spec", "holderIdentity")), age],
  "apiextensions.k8s.io/customresourcedefinitions": [
    nameColumn,
    { name: "Created At", type: "date", cell: (object) => textOf(metadataOf(object).creationTimestamp) },
  ],
  "policy/poddisruptionbudgets": [
    nameColumn,
    text("Min Available", budget("minAvailable")),
    text("Max Unavailable", budget("maxUnavailable")),
    {
      name: "Allowed Disruptions",
      type: "integer",
      cell: (object) => Number(valueAt(object, "status", "disruptionsAllowed") ?? 0),
    },
    age,
  ],
};
