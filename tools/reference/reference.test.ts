/** Every page of `docs/reference/` lists exactly what the sources have. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import * as constants from "#api/agones/constants.ts";
import { FEATURE_GATES } from "#api/agones/feature-gates.ts";
import { EXIT_CODES } from "#cli/errors.ts";
import { portEnvironment } from "#cluster/node/container-environment.ts";
import { PROGRAMS } from "../../src/bin/wiring/settings.ts";
import { errorClasses } from "./error-classes.ts";
import { arrayOf, exitCodes, mentioned, objectKeys, readVariables } from "./literals.ts";
import { plain, type Row, rowsWith } from "./markdown.ts";
import { generatedPages, programOf, readPage } from "./pages.ts";
import { ROOT, readSources } from "./sources.ts";

const sources = readSources();
const column = (rows: readonly Row[], title: string) => rows.map((row) => plain(row[title] ?? ""));
const pages = readdirSync(join(ROOT, "docs/reference")).flatMap((file) => /^(.+)\.md$/.exec(file)?.[1] ?? []);

describe("errors", () => {
  const classes = errorClasses(sources);

  test("every class and code has exactly one row, and no row is of a class or code that is not there", () => {
    const listed = rowsWith(readPage("errors"), "Code").map(
      (row) => `${plain(row.Class ?? "")} ${plain(row.Code ?? "")}`,
    );
    const found = classes.flatMap(({ name, codes }) => codes.map((code) => `${name} ${code}`));
    expect(listed.toSorted()).toEqual(found.toSorted());
  });

  test("every class has a code, but one that steers its own file alone", () => {
    const without = classes.filter(({ codes }) => codes.length === 0).map(({ path }) => path);
    expect(without).toEqual(["src/cluster/apiserver/write/transact.ts"]);
  });
});

test.each([...(await generatedPages())])("%s: what is generated from the code is up to date", (name, page) => {
  expect(readPage(name), "run npm run update:reference").toBe(page);
});

describe("settings", () => {
  test("every variable that is read by its name is listed", () => {
    const named = column(rowsWith(readPage("settings"), "Default"), "Variable").filter((name) =>
      /^(PATH|STADION_.*)$/.test(name),
    );
    expect(readVariables(sources)).toEqual(named);
  });

  test("every program has its settings declared, and no other has", () => {
    const programs = readSources("src/bin/*.ts").map(programOf);
    expect(PROGRAMS.map(({ name }) => name)).toEqual(programs.filter((name) => name !== "stadion"));
  });

  test("the variables that game servers inherit are listed", () => {
    const [agent] = readSources("src/bin/node-agent.ts");
    expect(column(rowsWith(readPage("settings"), "Inherited"), "Inherited")).toEqual(
      agent && arrayOf(agent, "INHERITED"),
    );
  });

  test("the variables that game servers are given are listed", () => {
    const ports = portEnvironment({
      name: "game",
      image: "i",
      ports: [{ name: "<name>", containerPort: 1, hostPort: 1 }],
    });
    const given = [...Object.keys(ports), constants.GRPC_PORT_ENV, constants.HTTP_PORT_ENV, "STADION_RUN"];
    const [, ...tables] = readPage("settings").split("## What a game server finds");
    expect(column(rowsWith(tables.join(), "Variable"), "Variable")).toEqual(given);
  });
});

describe("feature gates", () => {
  const rows = rowsWith(readPage("feature-gates"), "Gate");

  test("every gate is listed with its stage and its default", () => {
    const listed = rows.map(({ Gate = "", Stage, Default }) => [plain(Gate), Stage, Default]);
    const found = Object.entries(FEATURE_GATES).map(([name, gate]) => [name, gate.stage, String(gate.default)]);
    expect(listed).toEqual(found.toSorted());
  });

  test("a gate that no code asks for is said to change nothing, and only such a gate", () => {
    const asking = sources.filter(({ path }) => path !== "src/api/agones/feature-gates.ts");
    const used = mentioned(asking, Object.keys(FEATURE_GATES));
    const idle = Object.keys(FEATURE_GATES).filter((name) => !used.includes(name));
    const said = rows.filter((row) => row["What it changes"] === "Nothing yet.").map(({ Gate = "" }) => plain(Gate));
    expect(said.toSorted()).toEqual(idle.toSorted());
  });
});

describe("exit codes", () => {
  const numbers = (text: string | undefined) => column(rowsWith(text ?? "", "Code"), "Code").map(Number);
  const [, stadion, programs] = readPage("exit-codes").split(/^## /m);
  const codesOf = (pattern: string) => [...new Set(readSources(pattern).flatMap(exitCodes))].sort((a, b) => a - b);

  test("those of the command line have their names and numbers", () => {
    const named = rowsWith(stadion ?? "", "Code").flatMap(({ Code, Name = "" }) =>
      Name ? [[plain(Name), Number(Code)]] : [],
    );
    expect(Object.fromEntries(named)).toEqual(EXIT_CODES);
    const all = [0, ...codesOf("src/bin/stadion.ts"), ...codesOf("src/cli/**/*.ts"), ...Object.values(EXIT_CODES)];
    expect(numbers(stadion)).toEqual([...new Set(all)].sort((a, b) => a - b));
  });

  test("those of each program are listed", () => {
    const sections = new Map(
      (programs ?? "").split(/^### /m).map((section) => [/^`(.+)`/.exec(section)?.[1], numbers(section)]),
    );
    // Every program ends by `runProgram`, whose codes are also its own.
    const shared = codesOf("src/bin/wiring/program.ts");
    expect(shared).toEqual([0, 1]);
    for (const source of readSources("src/bin/*.ts").filter((each) => programOf(each) !== "stadion")) {
      const own = [...new Set([...shared, ...exitCodes(source)])].sort((a, b) => a - b);
      expect([programOf(source), sections.get(programOf(source))]).toEqual([programOf(source), own]);
    }
  });
});

test("labels and annotations: every key in the sources is listed once, and no other", () => {
  const keys = Object.entries(constants).flatMap(([name, value]) =>
    /(LABEL|ANNOTATION|PREFIX|FINALIZER)$/.test(name) ? [value] : [],
  );
  const listed = column(rowsWith(readPage("labels-and-annotations"), "Key"), "Key");
  expect(listed.toSorted()).toEqual([...new Set([...keys, ...objectKeys(sources)])].sort());
});

test("every link between pages leads to a page", () => {
  const links = pages.flatMap((page) => [...readPage(page).matchAll(/\]\(([\w-]+)\.md\)/g)].map(([, name]) => name));
  expect(links.filter((name) => !pages.includes(name ?? ""))).toEqual([]);
});
