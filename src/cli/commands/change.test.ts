import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { GAMESERVERS } from "#api/agones/resources.ts";
import { type JsonObject, parseJson } from "#api/meta/json.ts";
import { fleetManifest, gameServer, openCommandLine } from "#tests/command-line/command-line.ts";

const FLEETS = "/apis/agones.dev/v1/namespaces/default/fleets";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "stadion-change-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** A file that holds objects. */
function file(name: string, ...objects: readonly object[]): string {
  const path = join(folder, name);
  writeFileSync(path, objects.map((object) => JSON.stringify(object)).join("\n---\n"));
  return path;
}
const configMap = (name: string, data: JsonObject = {}) => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name },
  data,
});

test("apply creates, changes and leaves alone, and says which", async () => {
  const { run } = await openCommandLine();
  const fleet = file("fleet.json", fleetManifest("arena", 1));
  expect(await run(`apply -f ${fleet}`)).toEqual({ code: 0, out: "fleets/arena created", err: "" });
  expect((await run(`apply -f ${fleet}`)).out).toBe("fleets/arena unchanged");
  file("fleet.json", fleetManifest("arena", 2));
  expect((await run(`apply -f ${fleet}`)).out).toBe("fleets/arena configured");
  expect((await run("get fleet arena -o json")).out).toContain('"replicas": 2');
});

test("apply tells what the API warns of, and applies", async () => {
  const { run } = await openCommandLine();
  const { spec, ...rest } = gameServer("odd");
  const odd = { ...rest, spec: { ...spec, ports: [{ name: "game", portPolicy: "Static", containerPort: 7654 }] } };
  expect(await run(`apply -f ${file("odd.json", odd)}`)).toEqual({
    code: 0,
    out: "gameservers/odd created",
    err: "Warning: spec.ports[0].hostPort: a Static port without one is reached by nobody",
  });
});

test("apply takes several files, in every format it offers", async () => {
  const { run } = await openCommandLine();
  const [a, b] = [file("a.json", configMap("a"), configMap("b")), file("b.json", configMap("c"))];
  expect((await run(`apply -f ${a} -f ${b} -o name`)).out).toBe("configmaps/a\nconfigmaps/b\nconfigmaps/c");
  expect(parseJson((await run(`apply -f ${b} -o json`)).out)).toMatchObject({ metadata: { name: "c" } });
  expect((await run(`apply -f ${b} -o yaml`)).out).toContain("name: c\n");
});

test("a file that cannot be read as manifests is told with its line, and the others are applied and deleted", async () => {
  const { run } = await openCommandLine();
  file("a.json", configMap("a"));
  file("c.json", configMap("c"), configMap("d"));
  const bad = join(folder, "b.yaml");
  writeFileSync(bad, "apiVersion: v1\nkind: ConfigMap\nmetadata:\n\tname: b\n");
  writeFileSync(join(folder, "comment.yaml"), "# nothing yet\n");
  const err = expect.stringContaining(`error: ${bad}: Tabs are not allowed as indentation at line 4`);
  const made = "configmaps/a created\nconfigmaps/c created\nconfigmaps/d created";
  expect(await run(`apply -f ${folder}`)).toEqual({ code: 1, out: made, err });
  expect(await run(`delete -f ${folder}`)).toEqual({ code: 1, out: made.replaceAll("created", "deleted"), err });
  expect(await run(`apply -f ${bad}`)).toEqual({ code: 1, out: "", err });
  rmSync(bad);
  expect(await run(`apply -f ${folder}`)).toEqual({ code: 0, out: made, err: "" });
});

test("what is refused of an only manifest stands beside what another file lacks", async () => {
  const { run } = await openCommandLine();
  const [unknown, bad] = [
    file("a.json", { apiVersion: "v1", kind: "Nope", metadata: { name: "x" } }),
    file("b.json", { kind: "ConfigMap" }),
  ];
  expect(await run(`apply -f ${unknown} -f ${bad}`)).toEqual({
    code: 1,
    out: "",
    err: `error: ${bad}: apiVersion is required\nerror: Nope/x: the cluster knows no Nope of v1`,
  });
});

test("a file that is not there changes nothing", async () => {
  const { run } = await openCommandLine();
  expect(await run(`apply -f ${file("a.json", configMap("a"))} -f ${folder}/none.json`)).toEqual({
    code: 2,
    out: "",
    err: `error: cannot read ${folder}/none.json: there is no such file`,
  });
  expect((await run("get configmaps -o name")).out).toBe("");
});

test("apply passes on what the API refuses: field, rule and value", async () => {
  const { run } = await openCommandLine();
  const unknown = file("u.json", { ...fleetManifest("arena", 1), spec: { replica: 1 } });
  expect(await run(`apply -f ${unknown}`)).toMatchObject({ code: 1, err: expect.stringContaining('"spec.replica"') });
  const wrong = file("w.json", { ...fleetManifest("arena", 1), spec: { ...fleetManifest("a", 1).spec, replicas: -1 } });
  expect(await run(`apply -f ${wrong}`)).toMatchObject({ code: 1, err: expect.stringContaining("spec.replicas") });
  const kind = file("k.json", { apiVersion: "v1", kind: "Nope", metadata: {} });
  expect((await run(`apply -f ${kind}`)).err).toBe("error: the cluster knows no Nope of v1");
});

test("apply goes on after what is refused, tells each, and fails", async () => {
  const { run } = await openCommandLine();
  const wrong = { ...fleetManifest("arena", 1), spec: { ...fleetManifest("a", 1).spec, replicas: -1 } };
  const unknown = { apiVersion: "v1", kind: "Nope", metadata: { name: "x" } };
  const lost = { ...configMap("c"), metadata: { name: "c", namespace: "nowhere" } };
  const all = file("all.json", configMap("a"), wrong, unknown, lost, configMap("b"));
  const { code, out, err } = await run(`apply -f ${all}`);
  expect({ code, out }).toEqual({ code: 1, out: "configmaps/a created\nconfigmaps/b created" });
  expect(err.split("\nerror: ")).toEqual([
    expect.stringMatching(/^error: Fleet\.agones\.dev "arena" is invalid: \[spec\.replicas/),
    "Nope/x: the cluster knows no Nope of v1",
    'ConfigMap/c: namespaces "nowhere" not found',
  ]);
});

test("apply without a file is a fault of the words", async () => {
  const { run } = await openCommandLine();
  const { code, err } = await run("apply");
  expect(code).toBe(2);
  expect(err).toContain("required option '-f, --filename <file>' not specified");
});

test("delete takes one name, several, or KIND/NAME", async () => {
  const { client, run, server } = await openCommandLine();
  for (const name of ["a", "b", "c"]) await server.make("/api/v1/namespaces/default/configmaps", configMap(name));
  expect(await run("delete configmap a b")).toEqual({
    code: 0,
    out: "configmaps/a deleted\nconfigmaps/b deleted",
    err: "",
  });
  await client.create(GAMESERVERS, gameServer("s"));
  expect(await run("delete cm/c gs/s")).toEqual({
    code: 0,
    out: "configmaps/c deleted\ngameservers/s is being deleted",
    err: "",
  });
});

test("delete tells what is not there and deletes the rest, unless told to ignore it", async () => {
  const { run, server } = await openCommandLine();
  await server.make("/api/v1/namespaces/default/configmaps", configMap("a"));
  expect(await run("delete cm nope a")).toEqual({
    code: 1,
    out: "configmaps/a deleted",
    err: 'error: configmaps "nope" not found',
  });
  expect(await run("delete cm nope gone")).toMatchObject({
    code: 1,
    err: 'error: configmaps "nope" not found\nerror: configmaps "gone" not found',
  });
  expect(await run("delete namespace default kube-public")).toMatchObject({ code: 1, out: "" });
  expect(await run("delete cm nope --ignore-not-found")).toEqual({ code: 0, out: "", err: "" });
});

test("delete -f deletes what manifests name, in their namespace", async () => {
  const { run, server } = await openCommandLine();
  await server.make(FLEETS, fleetManifest("arena", 0));
  await server.make("/api/v1/namespaces", { metadata: { name: "other" } });
  await server.make("/api/v1/namespaces/other/configmaps", configMap("x"));
  const manifest = configMap("x");
  const all = file("all.json", fleetManifest("arena", 0), { ...manifest, metadata: { name: "x", namespace: "other" } });
  expect((await run(`delete -f ${all}`)).out).toBe("fleets/arena deleted\nconfigmaps/x deleted");
});

test("delete -f deletes all but what is of a kind that the cluster does not know, and tells it", async () => {
  const { run, server } = await openCommandLine();
  const unknown = { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "x" } };
  const all = file("all.json", configMap("a"), unknown, configMap("b"));
  const make = async () => {
    for (const name of ["a", "b"]) await server.make("/api/v1/namespaces/default/configmaps", configMap(name));
  };
  await make();
  const out = "configmaps/a deleted\nconfigmaps/b deleted";
  const err = "error: Deployment/x: the cluster knows no Deployment of apps/v1";
  expect(await run(`delete -f ${all}`)).toEqual({ code: 1, out, err });
  await make();
  expect(await run(`delete -f ${all} --ignore-not-found`)).toEqual({ code: 0, out, err: "" });
});

test("delete takes those with labels, or all of a kind in one namespace", async () => {
  const { run, server } = await openCommandLine();
  await server.make("/api/v1/namespaces", { metadata: { name: "other" } });
  const labelled = (name: string, mode: string) => ({ ...configMap(name), metadata: { name, labels: { mode } } });
  for (const [name, mode] of Object.entries({ a: "test", b: "test", c: "live" }))
    await server.make("/api/v1/namespaces/default/configmaps", labelled(name, mode));
  await server.make("/api/v1/namespaces/other/configmaps", labelled("far", "test"));
  expect((await run("delete cm -l mode=test")).out).toBe("configmaps/a deleted\nconfigmaps/b deleted");
  expect((await run("delete configmaps --all")).out).toBe("configmaps/c deleted");
  expect(await run("delete configmaps --all")).toEqual({ code: 0, out: "", err: "No configmaps found to delete." });
  expect((await run("get cm -A -o name")).out).toBe("configmaps/far");
  for (const wrong of [
    "delete cm far --all -n other",
    "delete --all",
    `delete -l mode=test -f ${file("x.json", configMap("far"))}`,
  ])
    expect((await run(wrong)).code).toBe(2);
  expect((await run("get cm -A -o name")).out).toBe("configmaps/far");
});

test("nothing is ever deleted for want of a name", async () => {
  const { client, run } = await openCommandLine();
  await client.create(GAMESERVERS, gameServer("a"));
  const nameless = file("gs.json", { ...gameServer(""), metadata: { generateName: "g-" } });
  expect(await run(`delete -f ${nameless}`)).toEqual({
    code: 2,
    out: "",
    err: "error: a GameServer without metadata.name names nothing to delete",
  });
  for (const words of [["delete", "gs", ""], ["delete", "gs/"], ["delete", "gs"], ["delete"]])
    expect((await run(words)).code).toBe(2);
  expect((await run("get gs -o name")).out).toBe("gameservers/a");
});

test("scale changes a fleet's number, and says when that cannot be", async () => {
  const { run, server } = await openCommandLine();
  await server.make("/apis/agones.dev/v1/namespaces/default/fleets", fleetManifest("arena", 1));
  expect(await run("scale fleet arena --replicas 4")).toEqual({ code: 0, out: "fleets/arena scaled to 4", err: "" });
  expect(await run("scale flt/arena --replicas 0")).toMatchObject({ code: 0, out: "fleets/arena scaled to 0" });
  expect((await run("get fleet arena -o json")).out).toContain('"replicas": 0');
  expect(await run("scale fleet nope --replicas 1")).toMatchObject({
    code: 1,
    err: 'error: fleets.agones.dev "nope" not found',
  });
  expect((await run("scale pods p --replicas 1")).err).toBe(
    "error: a Pod cannot be scaled; scale a fleet or a gameserverset",
  );
  expect((await run("scale gs x --replicas 1")).err).toContain("a GameServer cannot be scaled");
  expect((await run("scale arena --replicas 1")).err).toBe(
    'error: give a kind and a name, such as "fleet arena"; found "arena" alone',
  );
  await server.make("/apis/agones.dev/v1/namespaces/default/fleets", fleetManifest("b", 1));
  expect(await run("scale fleet arena nope b --replicas 2")).toEqual({
    code: 1,
    out: "fleets/arena scaled to 2\nfleets/b scaled to 2",
    err: 'error: fleets.agones.dev "nope" not found',
  });
  expect((await run("scale fleet arena --replicas -1")).code).toBe(2);
  expect((await run("scale fleet arena")).code).toBe(2);
});
