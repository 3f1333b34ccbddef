import { expect, test } from "vitest";
import { GAMESERVERS } from "#api/agones/resources.ts";
import { buffer } from "#api/autoscaling/autoscaler.fixture.ts";
import { FLEETAUTOSCALERS } from "#api/autoscaling/resources.ts";
import { parseJson } from "#api/meta/json.ts";
import { gameServer, openCommandLine } from "#tests/command-line/command-line.ts";

/** Rows and columns of what was printed. */
const cells = (text: string) => text.split("\n").map((line) => line.split(/ {2,}/));

test("shows the API server's own columns, for people", async () => {
  const { client, run } = await openCommandLine();
  await client.create(GAMESERVERS, gameServer("a"));
  await client.create(GAMESERVERS, gameServer("a-longer-name"));
  const { code, out, err } = await run("get gs");
  expect({ code, err }).toEqual({ code: 0, err: "" });
  const [head, first, second] = cells(out);
  expect(head).toEqual(["NAME", "STATE", "ADDRESS", "PORT", "NODE", "AGE"]);
  expect(first?.slice(0, 2)).toEqual(["a", "PortAllocation"]);
  expect(second?.[0]).toBe("a-longer-name");
});

test("autoscalers, of which kubectl shows name and age, are shown with what they do", async () => {
  const { client, run, start } = await openCommandLine();
  const created = await client.create(FLEETAUTOSCALERS, {
    apiVersion: "autoscaling.agones.dev/v1",
    kind: "FleetAutoscaler",
    metadata: { name: "a", namespace: "default" },
    spec: { fleetName: "arena", policy: buffer },
  });
  await client.updateStatus(FLEETAUTOSCALERS, {
    ...created,
    status: { currentReplicas: 2, desiredReplicas: 5, ableToScale: true, scalingLimited: false },
  });
  const head = ["NAME", "FLEET", "POLICY", "CURRENT", "DESIRED", "ABLE", "LIMITED", "AGE"];
  const row = ["a", "arena", "Buffer", "2", "5", "true", "false"];
  const [shown, first] = cells((await run("get fas")).out);
  expect([shown, first?.slice(0, -1)]).toEqual([head, row]);
  const watching = start("watch fleetautoscalers");
  await expect.poll(() => watching.out.length).toBe(2);
  await client.delete(FLEETAUTOSCALERS, "default", "a");
  await expect.poll(() => watching.out.length).toBe(3);
  watching.ctrlC();
  await watching.ended;
  expect(watching.out.slice(1).map((line) => line.split(/ {2,}/).slice(0, -1))).toEqual([row, row]);
});

test("a kind has many names, and one object two ways to be named", async () => {
  const { client, run } = await openCommandLine();
  await client.create(GAMESERVERS, gameServer("a"));
  const names = ["gameserver", "gs", "GameServer", "gameservers.agones.dev", "gameservers.v1.agones.dev"];
  for (const word of ["gameservers", ...names]) {
    expect(await run(`get ${word} a -o name`)).toMatchObject({ code: 0, out: "gameservers/a" });
    expect(await run(`get ${word}/a -o name`)).toMatchObject({ code: 0, out: "gameservers/a" });
  }
});

test("a kind that is not there is told with those that are", async () => {
  const { run } = await openCommandLine();
  const { code, out, err } = await run("get tournaments");
  expect({ code, out }).toEqual({ code: 2, out: "" });
  expect(err).toMatch(/^error: the cluster has no resource called "tournaments"; it has: .*fleets, .*gameservers, /);
  expect(err).not.toContain("tokenreviews");
});

test.each([
  ["gamservers", "gameservers"],
  ["gameserverss", "gameservers"],
  ["fleat", "fleet"],
  ["pod.s", "pods"],
])("for %s the kind that was meant is named: %s", async (typed, meant) => {
  const { run } = await openCommandLine();
  expect(await run(`get ${typed}`)).toEqual({
    code: 2,
    out: "",
    err: `error: the cluster has no resource called "${typed}": did you mean ${meant}?`,
  });
});

test("several names are shown under one head, and those that are not there told", async () => {
  const { client, run } = await openCommandLine();
  for (const name of ["a", "b", "c"]) await client.create(GAMESERVERS, gameServer(name));
  const shown = await run("get gs a nope c");
  expect({ ...shown, out: cells(shown.out).map(([name]) => name) }).toEqual({
    code: 1,
    out: ["NAME", "a", "c"],
    err: 'error: gameservers.agones.dev "nope" not found',
  });
  expect(await run("get gs/a gs/b -o name")).toEqual({ code: 0, out: "gameservers/a\ngameservers/b", err: "" });
  expect(parseJson((await run("get gs a b -o json")).out)).toMatchObject({
    kind: "List",
    apiVersion: "v1",
    items: [{ kind: "GameServer", metadata: { name: "a" } }, { metadata: { name: "b" } }],
  });
});

test("several kinds are shown one after another", async () => {
  const { client, run } = await openCommandLine();
  await client.create(GAMESERVERS, gameServer("a"));
  const { code, out, err } = await run("get gs,fleets,namespaces");
  expect({ code, err }).toEqual({ code: 0, err: "No fleets found in namespace default." });
  const [servers = "", namespaces = ""] = out.split("\n\n");
  expect(cells(servers).map(([name]) => name)).toEqual(["NAME", "a"]);
  expect(cells(namespaces)[1]?.slice(0, 2)).toEqual(["default", "Active"]);
  const list = parseJson((await run("get gs,namespaces -o json")).out) as { items: { kind: string }[] };
  expect(new Set(list.items.map(({ kind }) => kind))).toEqual(new Set(["GameServer", "Namespace"]));
});

test("-o jsonpath writes what a template finds, in one object, several and lists", async () => {
  const { client, run } = await openCommandLine();
  for (const name of ["a", "b"]) await client.create(GAMESERVERS, gameServer(name));
  expect((await run("get gs a -o jsonpath={.status.state}")).out).toBe("PortAllocation");
  expect((await run("get gs -o jsonpath={.items[*].metadata.name}")).out).toBe("a b");
  expect((await run("get gs a b -o jsonpath={.items[*].metadata.name}")).out).toBe("a b");
  const range = 'jsonpath={range .items[*]}{.metadata.name}{"\\n"}{end}';
  expect((await run(["get", "gs", "-o", range])).out).toBe("a\nb");
  expect(await run("get gs -o jsonpath={.items")).toMatchObject({
    code: 2,
    err: expect.stringContaining("a { is not closed"),
  });
  expect((await run("get gs -o go-template={{.x}}")).err).toContain(
    "Allowed choices are table, wide, json, yaml, name, jsonpath=TEMPLATE.",
  );
});

test("a name that is not there fails, an empty list does not", async () => {
  const { run } = await openCommandLine();
  for (const format of ["table", "json", "name"])
    expect(await run(`get gs nope -o ${format}`)).toEqual({
      code: 1,
      out: "",
      err: 'error: gameservers.agones.dev "nope" not found',
    });
  expect(await run("get gs")).toEqual({ code: 0, out: "", err: "No gameservers found in namespace default." });
  expect(await run("get gs -A")).toEqual({ code: 0, out: "", err: "No gameservers found." });
  expect(await run("get nodes")).toEqual({ code: 0, out: "", err: "No nodes found." });
});

test("--output json and yaml give the object as it is stored, int64 exactly", async () => {
  const { client, run } = await openCommandLine();
  const counters = { rooms: { count: 9007199254740993n, capacity: 9223372036854775807n } };
  await client.create(GAMESERVERS, { ...gameServer("a"), spec: { ...gameServer("a").spec, counters } });
  const json = await run("get gs a -o json");
  expect(parseJson(json.out)).toMatchObject({ kind: "GameServer", metadata: { name: "a" }, spec: { counters } });
  const yaml = await run("get gs a -o yaml");
  expect(yaml.out).toContain("kind: GameServer\n");
  expect(yaml.out).toContain("count: 9007199254740993\n");
  const list = await run("get gs -o json");
  expect(parseJson(list.out)).toMatchObject({ kind: "GameServerList", items: [{ metadata: { name: "a" } }] });
});

test("-l selects by labels, -A tells namespaces, -o wide shows more columns", async () => {
  const { client, run } = await openCommandLine();
  await client.create(GAMESERVERS, gameServer("a", { mode: "duel" }));
  await client.create(GAMESERVERS, gameServer("b"));
  expect((await run("get gs -l mode=duel -o name")).out).toBe("gameservers/a");
  expect(cells((await run("get gs -A")).out)[1]?.slice(0, 2)).toEqual(["default", "a"]);
  const [narrow, wide] = [await run("get pods"), await run("get nodes -o wide")];
  expect(narrow.code + wide.code).toBe(0);
});

test.each([
  ["get gs a -A", "a name needs one namespace: leave out --all-namespaces"],
  ["get gs a -l x=y", "a name and --selector cannot both be given"],
  ["get gs/a/b", 'give KIND NAME… or KIND/NAME…, found "gs/a/b"'],
  ["get gs/", 'give KIND NAME… or KIND/NAME…, found "gs/"'],
])("%s is refused in words", async (command, message) => {
  const { run } = await openCommandLine();
  expect(await run(command)).toEqual({ code: 2, out: "", err: `error: ${message}` });
});

test("watch shows what is there, then each change under one head, until Ctrl-C", async () => {
  const { client, start } = await openCommandLine();
  await client.create(GAMESERVERS, gameServer("a"));
  const watching = start("watch gameservers");
  await expect.poll(() => watching.out.length).toBe(2);
  const created = await client.create(GAMESERVERS, gameServer("b-longer"));
  await expect.poll(() => watching.out.length).toBe(3);
  await client.delete(GAMESERVERS, "default", created.metadata.name ?? "");
  await expect.poll(() => watching.out.length).toBe(4);
  watching.ctrlC();
  expect((await watching.ended).code).toBe(0);
  expect(watching.out.map((line) => line.split(/ +/)[0])).toEqual(["NAME", "a", "b-longer", "b-longer"]);
});

test("get all shows what there is of fleets, servers and pods, and no more", async () => {
  const { run, client } = await openCommandLine();
  expect(await run("get all")).toEqual({ code: 0, out: "", err: "No objects found." });
  await client.create(GAMESERVERS, gameServer("a"));
  const { code, out, err } = await run("get all");
  expect({ code, err }).toEqual({ code: 0, err: "" });
  expect(out.split("\n").map((line) => line.split(/ +/)[0])).toEqual(["NAME", "a"]);
  expect((await run("get all -o name")).out).toBe("gameservers/a");
});

test("watch ends without a fault when nobody reads it any more", async () => {
  const { start, client } = await openCommandLine();
  await client.create(GAMESERVERS, gameServer("a"));
  const watching = start("watch gameservers");
  await expect.poll(() => watching.out.length).toBe(2);
  watching.stopReading();
  expect(await watching.ended).toMatchObject({ code: 0, err: "" });
});

test("watch of nothing says so, and gives the first row its head", async () => {
  const { client, start } = await openCommandLine();
  const watching = start("watch gs b");
  await expect.poll(() => watching.err).toEqual(["No gameservers found in namespace default."]);
  await client.create(GAMESERVERS, gameServer("a"));
  await client.create(GAMESERVERS, gameServer("b"));
  await expect.poll(() => watching.out.map((line) => line.split(/ +/)[0])).toEqual(["NAME", "b"]);
  watching.ctrlC();
  await watching.ended;
});
