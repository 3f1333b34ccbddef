/** The table of promises has no empty section, and no row without a test. */
import { expect, test } from "vitest";
import { contractSections, isTested, promiseTables, readContract } from "./contract.ts";

const tables = await promiseTables();
const rows = tables.flatMap((table) => table.rows.map((row) => ({ ...row, file: table.file })));
const sections = contractSections(readContract());

test("every section of the contract, and every rule in it, has a row", () => {
  const held = new Set(rows.map(({ section }) => section));
  const empty = [...sections].filter(([number, needed]) => needed && !held.has(number)).map(([number]) => number);
  expect(empty).toEqual([]);
});

test("every row is of a section or rule of the contract, and has a name", () => {
  const lost = rows.filter(({ section, name }) => !sections.has(section) || !name);
  expect(lost.map(({ file, section, name }) => `${file}: ${section}: ${name}`)).toEqual([]);
});

test("no two rows of a table have one name in one section", () => {
  for (const { file, name, rows: own } of tables) {
    const titles = own.map((row) => `${row.section}: ${row.name}`);
    const repeated = titles.filter((title, position) => titles.indexOf(title) !== position);
    expect([`${file} ${name}`, repeated]).toEqual([`${file} ${name}`, []]);
  }
});

test("every table is held by a test beside it", () => {
  const untested = tables.filter((table) => !isTested(table));
  expect(untested.map(({ file, name }) => `${file}: ${name}`)).toEqual([]);
});

test("sections are found: those that are divided need no row of their own", () => {
  const page =
    "# The contract\n\n## 1 First\n\n### 1.1 Part\n\n| Rule | Promise |\n|---|---|\n| `1.1.1` | a |\n\n## 2 Second\n";
  expect([...contractSections(page)]).toEqual([
    ["1", false],
    ["1.1", false],
    ["2", true],
    ["1.1.1", true],
  ]);
});
