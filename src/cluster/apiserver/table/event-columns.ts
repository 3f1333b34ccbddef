/** Columns of events, in both API groups: they store the same thing under different names. */
import { isJsonObject, type JsonObject } from "#api/meta/json.ts";
import type { TableColumn } from "../resource-definition.ts";
import { ageOf } from "./human-duration.ts";
import { nameColumn, textOf, valueAt } from "./table.ts";

/** `subject`: the member that says whom the event is about. */
export function eventColumns(subject: "involvedObject" | "regarding"): readonly TableColumn[] {
  const core = subject === "involvedObject";
  const first = core ? "firstTimestamp" : "deprecatedFirstTimestamp";
  const last = core ? "lastTimestamp" : "deprecatedLastTimestamp";
  const firstSeen = (event: JsonObject, now: number) => ageOf(event[first] || event.eventTime, now);
  const lastSeen = (event: JsonObject, now: number) => {
    if (isJsonObject(event.series)) return ageOf(event.series.lastObservedTime, now);
    return event[last] ? ageOf(event[last], now) : firstSeen(event, now);
  };
  const count = (event: JsonObject) =>
    Number((isJsonObject(event.series) ? event.series.count : event[core ? "count" : "deprecatedCount"]) || 1);
  const column = (name: string, cell: TableColumn["cell"], priority = 0): TableColumn => ({
    name,
    type: "string",
    priority,
    cell,
  });
  return [
    column("Last Seen", lastSeen),
    column("Type", ({ type }) => textOf(type)),
    column("Reason", ({ reason }) => textOf(reason)),
    column("Object", (event) => subjectOf(event, subject)),
    column("Subobject", (event) => textOf(valueAt(event, subject, "fieldPath")), 1),
    column("Source", (event) => sourceOf(event, core ? "source" : "deprecatedSource"), 1),
    column("Message", (event) => textOf(core ? event.message : event.note).trim()),
    column("First Seen", firstSeen, 1),
    column("Count", count, 1),
    { ...nameColumn, priority: 1 },
  ];
}

/** `kind/name`, the kind in lower case. */
function subjectOf(event: JsonObject, subject: string): string {
  const kind = textOf(valueAt(event, subject, "kind")).toLowerCase();
  const name = textOf(valueAt(event, subject, "name"));
  return name ? `${kind}/${name}` : kind;
}

/** Who reported it, and from which host or instance. */
function sourceOf(event: JsonObject, source: string): string {
  const component =
    textOf(valueAt(event, source, "component")) ||
    textOf(event.reportingComponent) ||
    textOf(event.reportingController);
  const instance = textOf(valueAt(event, source, "host")) || textOf(event.reportingInstance);
  return instance ? `${component}, ${instance}` : component;
}
