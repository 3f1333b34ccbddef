/** The SDK server on a developer's desk: the published client, the file, the record of requests, the page. */
import { mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, inject, test } from "vitest";
import { eventually } from "./harness/eventually.ts";
import { Program, run } from "./harness/program.ts";
import { type Sdk, SdkServerProgram } from "./harness/sdk-server.ts";

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(inject("runFolder"), "local-"));
});

const local = (...flags: readonly string[]) =>
  new SdkServerProgram(["--local", "--grpc-port=0", "--http-port=0", ...flags]);

const rest = async (program: SdkServerProgram, path: string, init: RequestInit = {}) => {
  const { httpPort } = await program.ports();
  const response = await fetch(`http://localhost:${httpPort}${path}`, init);
  return { status: response.status, body: await response.text() };
};

const stateOf = async (sdk: Sdk): Promise<string | undefined> => (await sdk.getGameServer()).status?.state;

test("without a file it serves the GameServer that clients know", async () => {
  await using program = local();
  const { body } = await rest(program, "/gameserver");
  const server = JSON.parse(body);
  expect(Number(server.object_meta.creation_timestamp)).toBeGreaterThan(1.7e9);
  server.object_meta.creation_timestamp = "1760000000";
  expect(server).toEqual({
    object_meta: {
      name: "local",
      namespace: "default",
      uid: "1234",
      resource_version: "v1",
      generation: "1",
      creation_timestamp: "1760000000",
      deletion_timestamp: "0",
      annotations: { annotation: "true" },
      labels: { islocal: "true" },
    },
    spec: { health: { disabled: false, period_seconds: 3, failure_threshold: 5, initial_delay_seconds: 10 } },
    status: {
      state: "Ready",
      address: "127.0.0.1",
      addresses: [],
      ports: [{ name: "default", port: 7777 }],
      players: null,
      counters: { rooms: { count: "1", capacity: "10" } },
      lists: { players: { capacity: "100", values: ["test0", "test1", "test2"] } },
    },
  });
});

test("each call has taken effect when it is answered, and there is a life after Shutdown", async () => {
  await using program = local();
  const sdk = await program.client();
  await sdk.allocate();
  expect(await stateOf(sdk)).toBe("Allocated");
  await sdk.shutdown();
  expect(await stateOf(sdk)).toBe("Shutdown");
  await sdk.ready();
  expect(await stateOf(sdk)).toBe("Ready");
  await sdk.setLabel("mode", "duel");
  await sdk.setAnnotation("map", "dust");
  const { objectMeta } = await sdk.getGameServer();
  expect(Object.fromEntries(objectMeta?.labelsMap ?? [])).toEqual({ islocal: "true", "agones.dev/sdk-mode": "duel" });
  expect(Object.fromEntries(objectMeta?.annotationsMap ?? [])).toMatchObject({
    annotation: "true",
    "agones.dev/sdk-map": "dust",
    "agones.dev/last-allocated": expect.any(String),
  });
  await expect(sdk.setLabel("mode", "no spaces")).rejects.toMatchObject({ code: 3 });
  await sdk.reserve(1);
  expect(await stateOf(sdk)).toBe("Reserved");
  await eventually(async () => expect(await stateOf(sdk)).toBe("Ready"));
  expect(program.out).toMatch(/^[\d:]{8} SetLabel key=mode value=duel$/m);
  expect(program.out).toMatch(/^[\d:]{8} WARN SetLabel key=mode value="no spaces" refused: invalid label value /m);
  expect(program.out).toMatch(/^[\d:]{8} GameServer is Ready, was Reserved$/m);
});

const MANIFEST = `
apiVersion: agones.dev/v1
kind: GameServer
metadata: { name: from-file, namespace: games, labels: { a: "1" } }
spec:
  counters: { rooms: { count: 9007199254740993, capacity: 9223372036854775807 } }
status: { state: Allocated, lists: { maps: { capacity: 2, values: [dust] } } }
`;

test("a file says what is served, is read again however it is written, and is not believed when it cannot be read", async () => {
  const file = join(folder, "server.yaml");
  writeFileSync(file, MANIFEST);
  await using program = local("-f", file);
  const sdk = await program.client();
  const seen: string[] = [];
  sdk.watchGameServer(
    ({ objectMeta, status }) => seen.push(`${objectMeta?.name} ${status?.state}`),
    () => {},
  );
  const { body } = await rest(program, "/gameserver");
  expect(JSON.parse(body)).toMatchObject({
    object_meta: { name: "from-file", namespace: "games", labels: { a: "1" } },
    status: {
      state: "Allocated",
      counters: { rooms: { count: "9007199254740993", capacity: "9223372036854775807" } },
      lists: { maps: { capacity: "2", values: ["dust"] } },
    },
  });
  await sdk.setLabel("mine", "1");

  const draft = join(folder, "draft");
  writeFileSync(draft, MANIFEST.replace("from-file", "replaced"));
  renameSync(draft, file);
  await eventually(() => expect(seen.at(-1)).toBe("replaced Allocated"));
  expect(Object.fromEntries((await sdk.getGameServer()).objectMeta?.labelsMap ?? [])).toEqual({ a: "1" });

  writeFileSync(file, "status: { state: [");
  await program.prints(/ERROR the file has changed and cannot be read/);
  writeFileSync(file, MANIFEST.replace("from-file", "written").replace("Allocated", "Ready"));
  await eventually(() => expect(seen.at(-1)).toBe("written Ready"));
});

test("a file behind a link is read again when the link turns; that it has no state, or is gone, is said in words", async () => {
  const [one, two, link] = ["one.json", "two.json", "link.json"].map((name) => join(folder, name));
  writeFileSync(one ?? "", JSON.stringify({ kind: "GameServer", metadata: { name: "one" }, status: {} }));
  writeFileSync(two ?? "", JSON.stringify({ kind: "GameServer", metadata: { name: "two" }, status: {} }));
  symlinkSync(one ?? "", link ?? "");
  await using program = local(`--file=${link}`);
  const name = async () => JSON.parse((await rest(program, "/gameserver")).body).object_meta.name;
  expect(await name()).toBe("one");
  expect((await rest(program, "/ready", { method: "POST", body: "{}" })).status).toBe(200);
  symlinkSync(two ?? "", join(folder, "turned"));
  renameSync(join(folder, "turned"), link ?? "");
  await eventually(async () => expect(await name()).toBe("two"));
  rmSync(link ?? "");
  await program.prints(/^[\d:]{8} ERROR the file is gone: the GameServer stays as it is file=.*link\.json$/m);
  expect(await name()).toBe("two");
  expect(program.out).toMatch(/ gameServer=one state=none file=/);
  expect(program.out).toMatch(/ GameServer is Ready, had no state$/m);
  expect(program.out).toMatch(/ GameServer has no state, was Ready$/m);
});

test("a start at a port that is taken says in words which flag to change", async () => {
  await using first = local();
  const { httpPort } = await first.ports();
  await using second = local(`--http-port=${httpPort}`);
  expect(await second.ended).toMatchObject({
    code: 1,
    err: `error: port ${httpPort} on localhost is in use by another process: end that process, or choose another port with --http-port; 0 lets the system choose one\n`,
  });
});

test("a start with a file that cannot be served says why", async () => {
  const missing = join(folder, "missing.yaml");
  await using absent = local(`--file=${missing}`);
  expect(await absent.ended).toMatchObject({
    code: 1,
    err: expect.stringContaining(`Could not find file: ${missing}`),
  });
  const file = join(folder, "fleet.yaml");
  writeFileSync(file, "kind: Fleet\n");
  await using fleet = local(`--file=${file}`);
  expect(await fleet.ended).toMatchObject({ code: 1, err: expect.stringContaining("holds a Fleet") });
  writeFileSync(file, "status: { ports: [{ name: a, port: many }] }\n");
  await using wrong = local(`--file=${file}`);
  expect(await wrong.ended).toMatchObject({
    code: 1,
    err: expect.stringContaining('status.ports[0].port: expected integer, found "many"'),
  });
});

type Beta = Readonly<
  Record<
    | `${"get" | "set"}${"CounterCount" | "CounterCapacity" | "ListCapacity"}`
    | `${"increment" | "decrement"}Counter`
    | `${"append" | "delete"}ListValue`
    | "listContains"
    | "getListLength"
    | "getListValues",
    (key: string, value?: string | number) => Promise<unknown>
  >
>;

/** What the published clients' own conformance programs do, in their order. */
async function conform(sdk: Sdk, program: SdkServerProgram): Promise<void> {
  let uid = "";
  sdk.watchGameServer(
    ({ objectMeta }) => {
      uid ||= objectMeta?.uid ?? "";
    },
    () => {},
  );
  await eventually(() => expect(uid).not.toBe(""));
  await sdk.ready();
  await sdk.reserve(5);
  await sdk.allocate();
  sdk.health(() => {});
  const { objectMeta } = await sdk.getGameServer();
  await sdk.setLabel("timestamp", String(objectMeta?.creationTimestamp));
  await sdk.setAnnotation("uid", uid);
  // The types that the package publishes lack it.
  const { alpha, beta } = sdk as Sdk & { beta: Beta };
  expect(await beta.getCounterCount("rooms")).toBe(1);
  await beta.incrementCounter("rooms", 9);
  await beta.decrementCounter("rooms", 10);
  await beta.setCounterCount("rooms", 10);
  expect(await beta.getCounterCapacity("rooms")).toBe(10);
  await beta.setCounterCapacity("rooms", 1);
  expect(await beta.listContains("players", "test1")).toBe(true);
  expect(await beta.getListLength("players")).toBe(3);
  expect(await beta.getListValues("players")).toEqual(["test0", "test1", "test2"]);
  await beta.appendListValue("players", "test3");
  await beta.deleteListValue("players", "test2");
  expect(await beta.getListCapacity("players")).toBe(100);
  await beta.setListCapacity("players", 2);
  expect(await beta.getListValues("players")).toEqual(["test0", "test1"]);
  await alpha.setPlayerCapacity(10);
  expect(await alpha.getPlayerCapacity()).toBe(10);
  expect(await alpha.playerConnect("1234")).toBe(true);
  expect(await alpha.isPlayerConnected("1234")).toBe(true);
  expect(await alpha.getConnectedPlayers()).toEqual(["1234"]);
  expect(await alpha.playerDisconnect("1234")).toBe(true);
  expect(await alpha.getPlayerCount()).toBe(0);
  await sdk.shutdown();
  await program.prints(/Health: the first ping/);
}

const EXPECTED = [
  "ready,allocate,setlabel,setannotation,gameserver,health,shutdown,watch,reserve",
  "getcounter,updatecounter,setcountcounter,setcapacitycounter,getlist,updatelist,addlistvalue,removelistvalue",
  "getplayercapacity,setplayercapacity,playerconnect,playerdisconnect,getplayercount,isplayerconnected,getconnectedplayers",
].join(",");

const testing = (expected: string, ...flags: readonly string[]) =>
  new SdkServerProgram(["--grpc-port=0", "--http-port=0", "--feature-gates=PlayerTracking=true", ...flags], {
    TEST: expected,
    SDK_NAME: "node",
    ADDRESS: "",
  });

test("the published client passes the conformance sequence, and the exit code says so", async () => {
  await using program = testing(EXPECTED);
  await conform(await program.client(), program);
  program.signal("SIGTERM");
  expect(await program.ended).toMatchObject({
    code: 0,
    out: expect.stringContaining("Received requests match expected list. Test run was successful sdkName=node"),
  });
});

test("requests that are missing, or that nobody expected, fail the run at its timeout", async () => {
  await using program = testing("ready,setlabel", "--timeout=3");
  const sdk = await program.client();
  await sdk.allocate();
  await sdk.setLabel("timestamp", "wrong");
  const { code, out } = await program.ended;
  expect(code).toBe(1);
  expect(out).toContain("Found a request which was not expected sdkName=node request=allocate");
  expect(out).toContain("Could not find a request which was expected sdkName=node request=setlabel");
  expect(out).toContain("request but received 'wrong'");
  expect(out).toContain("Testing Failed");
});

test("a browser gets a page that needs nothing else, everybody else the answer of the gateway", async () => {
  await using program = local();
  const { httpPort } = await program.ports();
  const page = await fetch(`http://localhost:${httpPort}/`, { headers: { accept: "text/html,*/*;q=0.8" } });
  const html = await page.text();
  expect(page.headers.get("content-type")).toBe("text/html; charset=utf-8");
  expect(page.headers.get("content-security-policy")).toMatch(/^default-src 'none'; script-src 'nonce-[\w-]{22}'; /);
  expect(html).not.toMatch(/(src|href)="(?!data:)/);
  expect(await rest(program, "/")).toEqual({ status: 404, body: '{"code":5,"message":"Not Found","details":[]}' });
  expect(await rest(program, "/", { method: "POST", headers: { accept: "text/html" }, body: "{}" })).toMatchObject({
    status: 404,
  });
  // What its buttons send.
  const post = (path: string, method: string, body: object) =>
    rest(program, path, { method, body: JSON.stringify(body) });
  expect((await post("/allocate", "POST", {})).status).toBe(200);
  expect((await post("/metadata/label", "PUT", { key: "mode", value: "duel" })).status).toBe(200);
  expect(JSON.parse((await post("/v1beta1/counters/rooms", "PATCH", { countDiff: "1" })).body)).toEqual({
    name: "rooms",
    count: "2",
    capacity: "10",
  });
  expect((await post("/v1beta1/lists/players:addValue", "POST", { value: "ann" })).body).toContain('"ann"');
});

test("npx stadion sdk-server starts it, with its own flags", async () => {
  const launcher = join(import.meta.dirname, "..", "tools", "stadion.mjs");
  const args = [launcher, "sdk-server", "--local", "--grpc-port=0", "--http-port=0"];
  await using program = new Program(process.execPath, args, { env: { TEST: "" } });
  await program.prints(/SDK server serves/);
  program.ctrlC();
  expect((await program.ended).code).toBe(0);
});

test("npx stadion sdk-server tells what is wrong with its words as every command does", async () => {
  const launcher = join(import.meta.dirname, "..", "tools", "stadion.mjs");
  const missing = join(folder, "nowhere.yaml");
  const typed = (...flags: readonly string[]) =>
    run(process.execPath, [launcher, "sdk-server", ...flags], { env: { TEST: "" } });
  const [misspelt, absent, help] = await Promise.all([
    typed("--locl"),
    typed("--local", `--file=${missing}`),
    typed("--help"),
  ]);
  expect(misspelt).toEqual({ code: 2, out: "", err: "error: there is no flag --locl: did you mean --local?\n" });
  expect(absent).toMatchObject({ code: 2, err: `error: Could not find file: ${missing}\n` });
  expect(help).toMatchObject({ code: 0, out: expect.stringContaining("\nUsage: stadion sdk-server [--FLAG=VALUE]") });
});

test("only local mode has a page", async () => {
  await using program = testing("ready");
  const { httpPort } = await program.ports();
  const answer = await fetch(`http://localhost:${httpPort}/`, { headers: { accept: "text/html" } });
  expect(answer.status).toBe(404);
});
