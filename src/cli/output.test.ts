import { expect, test } from "vitest";
import { columnWriter, formatted, serverTable, textTable } from "./output.ts";

test("columns are as wide as their widest cell, without rules and without blanks at the end", () => {
  expect(
    textTable(
      ["NAME", "AGE"],
      [
        ["a-long-name", "1s"],
        ["b", ""],
      ],
    ),
  ).toBe("NAME         AGE\na-long-name  1s\nb");
});

test("columns written later keep their width, and grow when they must", () => {
  const write = columnWriter();
  expect(
    write([
      ["NAME", "STATE"],
      ["a-long-name", "Ready"],
    ]),
  ).toBe("NAME         STATE\na-long-name  Ready");
  expect(write([["b", "Allocated"]])).toBe("b            Allocated");
  expect(write([["a-still-longer-name", "x"]])).toBe("a-still-longer-name  x");
});

const table = {
  columnDefinitions: [{ name: "Name" }, { name: "Age" }, { name: "Address", priority: 1 }],
  rows: [{ cells: ["a", null, 7], object: { metadata: { namespace: "default" } } }, { cells: ["b", "", { x: 1 }] }],
};

test("a server's table shows columns of priority 0, and what is empty as <none>", () => {
  expect(serverTable(table, { wide: false, namespaces: false })).toMatchObject({
    head: ["NAME", "AGE"],
    rows: [
      ["a", "<none>"],
      ["b", "<none>"],
    ],
  });
});

test("all columns when wide, the namespace first when asked for", () => {
  expect(serverTable(table, { wide: true, namespaces: true })).toMatchObject({
    head: ["NAMESPACE", "NAME", "AGE", "ADDRESS"],
    rows: [
      ["default", "a", "<none>", "7"],
      ["", "b", "<none>", '{"x":1}'],
    ],
  });
});

test.each([{}, { columnDefinitions: null }])("a table without columns takes those that are known", (none) => {
  const style = { wide: false, namespaces: false };
  const { columns } = serverTable(table, style);
  const later = serverTable({ ...none, rows: [{ cells: ["c", "5s", 1] }] }, { ...style, known: columns });
  expect(later.rows).toEqual([["c", "5s"]]);
});

test("what is no table has nothing to show", () => {
  expect(serverTable(null, { wide: false, namespaces: false })).toEqual({ columns: [], head: [], rows: [] });
});

test("JSON and YAML keep 64-bit integers and texts that look like something else", async () => {
  const value = { count: 9223372036854775807n, text: "yes", number: "1", none: null } as never;
  expect(await formatted(value, "json")).toBe(
    '{\n  "count": 9223372036854775807,\n  "text": "yes",\n  "number": "1",\n  "none": null\n}',
  );
  expect(await formatted(value, "yaml")).toBe('count: 9223372036854775807\ntext: "yes"\nnumber: "1"\nnone: null');
});
