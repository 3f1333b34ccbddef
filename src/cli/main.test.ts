import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { startCommand } from "#tests/command-line/command-line.ts";
import { CliError, EXIT_CODES, firstOf } from "./errors.ts";

const typed = (command: string) => startCommand(command).ended;

test("--help shows the commands in groups with examples, and ends with 0", async () => {
  const { code, out, err } = await typed("--help");
  expect({ code, err }).toEqual({ code: 0, err: "" });
  const groups = [...out.matchAll(/^(\S.*):$/gm)].map(([, title]) => title);
  expect(groups).toEqual(["Options", "The cluster", "Game servers", "Objects", "Help", "Examples"]);
  expect(out).toContain("stadion run --replicas 3 -- ./MyServer --port '$(PORT)'");
  expect(await typed("--version")).toMatchObject({ code: 0, out: "1.2.3" });
});

const COMMANDS = [
  ...[
    "start",
    "status",
    "run",
    "dev",
    "sdk-server",
    "allocate",
    "logs",
    "pause-health",
    "images add",
    "images list",
    "images remove",
  ],
  ...["get", "watch", "apply", "delete", "scale"],
];

test("every command is listed", async () => {
  const listed = async (help: string) => {
    const names = [...(await typed(help)).out.matchAll(/^ {2}(\w[\w-]*) [[<]/gm)].map(([, name]) => name);
    return names.filter((name) => name !== "help");
  };
  const images = await listed("images --help");
  const all = [...(await listed("--help")), ...images.map((name) => `images ${name}`)];
  expect(all.toSorted()).toEqual(COMMANDS.toSorted());
});

test.each(COMMANDS)("%s --help says what it takes, with an example", async (command) => {
  const { code, out } = await typed(`${command} --help`);
  expect(code).toBe(0);
  expect(out).toMatch(new RegExp(`^  .*stadion ${command} `, "m"));
});

test("the SDK server is a program of its own, for which no option of the cluster counts", async () => {
  const { code, out, err } = await typed("--data-dir x sdk-server --local");
  expect({ code, out }).toEqual({ code: 2, out: "" });
  expect(err).toMatch(/^error: sdk-server must be the first word, such as npx stadion sdk-server --local/);
});

test("wrong words are told with the way to help, in three lines at most", async () => {
  for (const command of ["frobnicate", "get", "get gs -o xml", "allocate a b c", "scale fleet x --replicas many"]) {
    const { code, out, err } = await typed(command);
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(err).toMatch(/^error: .*\n(.*\n)?\(--help says what there is\)$/);
  }
  expect((await typed("allocat")).err).toContain("Did you mean allocate?");
  expect((await typed("get gs --selecter=a")).err).toContain("Did you mean --selector?");
});

test("without a cluster every command says so, and ends with 3", async () => {
  const folder = mkdtempSync(join(tmpdir(), "stadion-none-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const command of ["get gs", "status", "allocate", "logs x", "images list", "apply -f m.json"]) {
    const words = command.replace("m.json", join(folder, "m.json"));
    writeFileSync(join(folder, "m.json"), JSON.stringify({ apiVersion: "v1", kind: "ConfigMap" }));
    expect(await typed(`--data-dir ${folder} ${words}`)).toEqual({
      code: 3,
      out: "",
      err: `error: no cluster runs in ${folder}: start one with "npm start", go to the folder where one was started, or name its data folder with --data-dir`,
    });
  }
});

test("a socket that nobody answers any more is no cluster either", async () => {
  const folder = mkdtempSync(join(tmpdir(), "stadion-stale-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const server = createServer((socket) => socket.destroy()).listen(join(folder, "api.sock"));
  onTestFinished(() => void server.close());
  expect(await typed(`--data-dir ${folder} get gs`)).toMatchObject({
    code: 3,
    err: expect.stringMatching(/^error: the cluster does not answer \(.+\): it starts, or has ended$/),
  });
});

test("a write that broke off ends with a code of its own: it may have been done", async () => {
  const folder = mkdtempSync(join(tmpdir(), "stadion-broken-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const server = createServer((socket) => socket.once("data", () => socket.destroy())).listen(join(folder, "api.sock"));
  onTestFinished(() => void server.close());
  expect(await typed(`--data-dir ${folder} allocate arena`)).toEqual({
    code: 6,
    out: "",
    err: expect.stringMatching(
      /^error: the cluster ended before it answered \(.+\): what was asked for may have been done$/,
    ),
  });
});

test("each code of an error has a number of its own, none that shells use", () => {
  const numbers = Object.values(EXIT_CODES);
  expect(new Set(numbers).size).toBe(numbers.length);
  expect(numbers.every((number) => number > 0 && number < 64)).toBe(true);
  expect(new CliError("TimedOut", "late", { cause: 1 })).toMatchObject({
    name: "CliError",
    code: "TimedOut",
    cause: 1,
  });
});

test("of errors that came one upon the other the first is told", async () => {
  const refused = new CliError("Refused", "the fleet is not there");
  const failing = (message: string) => ({
    [Symbol.asyncDispose]: () => Promise.reject(new Error(message)),
  });
  const fallen = async (): Promise<void> => {
    await using _outer = failing("the connection cannot be closed");
    await using _inner = failing("nor can its pool");
    throw refused;
  };
  expect(firstOf(await fallen().catch((error: unknown) => error))).toBe(refused);
  expect(firstOf(refused)).toBe(refused);
});
