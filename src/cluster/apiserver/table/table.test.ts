import { expect, test } from "vitest";
import type { PrinterColumn } from "../resource-definition.ts";
import { printerColumns } from "./printer-columns.ts";
import { renderTable, type TableOptions } from "./table.ts";

const now = Date.UTC(2030, 0, 1);
const created = "2029-12-31T23:55:00Z";
const options: TableOptions = { now, includeObject: "Metadata", withColumns: true, listMeta: { resourceVersion: "7" } };
const fleet = {
  apiVersion: "agones.dev/v1",
  kind: "Fleet",
  metadata: { name: "simple", creationTimestamp: created },
  spec: { scheduling: "Packed", replicas: 3 },
  status: { players: { count: 9007199254740993n }, ready: true, ids: ["a"], when: "never", nothing: null },
};

const column = (type: PrinterColumn["type"], jsonPath: string): PrinterColumn => ({ name: type, type, jsonPath });

test("a table has its columns, and each row its cells and the object's metadata", () => {
  const columns = printerColumns([
    { name: "Scheduling", type: "string", jsonPath: ".spec.scheduling", priority: 1, description: "how" },
    { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
  ]);
  expect(renderTable({ columns }, [fleet], options)).toEqual({
    kind: "Table",
    apiVersion: "meta.k8s.io/v1",
    metadata: { resourceVersion: "7" },
    columnDefinitions: [
      { name: "Name", type: "string", format: "name", description: "The object's name.", priority: 0 },
      { name: "Scheduling", type: "string", format: "", description: "how", priority: 1 },
      {
        name: "Age",
        type: "date",
        format: "",
        description: "Custom resource definition column (in JSONPath format): .metadata.creationTimestamp",
        priority: 0,
      },
    ],
    rows: [
      {
        cells: ["simple", "Packed", "5m"],
        object: { kind: "PartialObjectMetadata", apiVersion: "meta.k8s.io/v1", metadata: fleet.metadata },
      },
    ],
  });
});

test("rows carry the whole object or nothing when asked, and columns may be left out", () => {
  const columns = printerColumns([]);
  const table = (more: Partial<TableOptions>) => renderTable({ columns }, [fleet], { ...options, ...more });
  expect(table({ includeObject: "Object" }).rows).toEqual([{ cells: ["simple", "5m"], object: fleet }]);
  expect(table({ includeObject: "None" }).rows).toEqual([{ cells: ["simple", "5m"], object: null }]);
  expect(table({ withColumns: false }).columnDefinitions).toBeNull();
});

test.for<[PrinterColumn["type"], string, string | number | boolean | null]>([
  ["string", ".spec.replicas", "3"],
  ["string", ".status.ids", '["a"]'],
  ["string", ".status.absent", null],
  ["string", ".status.nothing", null],
  ["integer", ".spec.replicas", 3],
  ["integer", ".status.players.count", 9007199254740992],
  ["integer", ".spec.scheduling", null],
  ["number", ".spec.replicas", 3],
  ["number", ".status.ready", null],
  ["boolean", ".status.ready", true],
  ["boolean", ".spec.replicas", null],
  ["date", ".status.when", "<invalid>"],
  ["date", ".status.absent", null],
  ["date", ".spec.replicas", null],
  ["string", ".a[", null],
])("a %s column of %s shows its value, or an empty cell", ([type, path, cell]) => {
  const [, shown] = printerColumns([column(type, path)]);
  expect(shown?.cell(fleet, now)).toBe(cell);
});
