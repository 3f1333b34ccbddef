import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type AllManifests, readAllManifests, readManifests } from "./manifests.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "stadion-manifests-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function read(text: string, name = "m.yaml") {
  const file = join(folder, name);
  writeFileSync(file, text);
  return readManifests(file);
}
const first = async (text: string) => (await read(text))[0] as unknown as Record<string, unknown>;
const HEAD = "apiVersion: v1\nkind: ConfigMap\n";

test("reads every document of a file, and leaves out the empty ones", async () => {
  const manifests = await read(
    `# nothing\n---\n${HEAD}metadata: {name: a}\n---\n---\n${HEAD}metadata: {name: b}\n...\n`,
  );
  expect(manifests.map(({ metadata }) => metadata.name)).toEqual(["a", "b"]);
});

test("a List counts as its items, of whatever kind it is", async () => {
  const item = (name: string) => ({ apiVersion: "v1", kind: "Pod", metadata: { name } });
  for (const kind of ["List", "PodList"]) {
    const manifests = await read(JSON.stringify({ apiVersion: "v1", kind, items: [item("a"), item("b")] }));
    expect(manifests.map(({ metadata }) => metadata.name)).toEqual(["a", "b"]);
  }
});

test("an object without metadata has empty ones", async () => {
  expect(await first(HEAD)).toEqual({ apiVersion: "v1", kind: "ConfigMap", metadata: {} });
});

test("reads YAML as kubectl does: old booleans and octals, but no dates and no numbers to the base of sixty", async () => {
  const { data } = await first(
    `${HEAD}data: {on: yes, off: off, mode: 0644, day: 2001-12-14, time: 12:30, text: "yes", big: 1_000, none: ~}`,
  );
  expect(data).toEqual({
    true: true,
    false: false,
    mode: 420,
    day: "2001-12-14",
    time: "12:30",
    text: "yes",
    big: 1000,
    none: null,
  });
});

test("follows anchors and merges", async () => {
  const { data } = await first(`${HEAD}base: &base {a: 1}\ndata: {<<: *base, b: 2}`);
  expect(data).toEqual({ a: 1, b: 2 });
});

test("whole numbers beyond 2^53 stay exact, smaller ones are numbers", async () => {
  const { data } = await first(
    `${HEAD}data: {huge: 9223372036854775807, least: -9223372036854775808, small: 7, half: 0.5}`,
  );
  expect(data).toEqual({ huge: 9223372036854775807n, least: -9223372036854775808n, small: 7, half: 0.5 });
});

test.each([
  ["broken YAML", "a: [1", /m\.yaml: .*at line 1/s],
  ["a tab", "a: 1\nb:\n\tc: 2\n", /m\.yaml: Tabs .* at line 3/],
  ["an anchor that nobody set", "a: *x\n", /m\.yaml: Unresolved alias/],
  ["a member twice", `${HEAD}kind: Pod\n`, /m\.yaml: Map keys must be unique/],
  ["no apiVersion", "kind: Pod\n", /m\.yaml: apiVersion is required/],
  ["an empty kind", 'apiVersion: v1\nkind: ""\n', /m\.yaml: kind is required/],
  ["a list at the top", "- a\n", /m\.yaml: a manifest must be an object/],
  ["an item that is no object", "apiVersion: v1\nkind: List\nitems: [1]\n", /m\.yaml: a manifest must be an object/],
  ["metadata that are no object", `${HEAD}metadata: x\n`, /m\.yaml: metadata must be an object/],
  ["nothing", "# only words\n", /m\.yaml holds no manifest/],
])("names the file and the fault of %s", async (_, text, message) => {
  await expect(read(text)).rejects.toMatchObject({ code: "Refused", message: expect.stringMatching(message) });
});

test("says why a file cannot be read", async () => {
  await expect(readManifests(join(folder, "none.yaml"))).rejects.toMatchObject({
    code: "Usage",
    message: `cannot read ${folder}/none.yaml: there is no such file`,
  });
  await expect(readManifests(folder)).rejects.toThrow("it is a folder");
});

test("a JSON file is read without a detour, to the last digit; one that is not JSON is told what is wrong", async () => {
  const json = `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"n":9223372036854775807,"day":"2001-12-14"}`;
  expect(await read(json, "m.json")).toEqual([
    { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" }, n: 9223372036854775807n, day: "2001-12-14" },
  ]);
  await expect(read(`{"apiVersion": "v1",`, "m.json")).rejects.toThrow(/m\.json: .+/);
});

const namesOf = ({ manifests }: AllManifests) => manifests.map(({ metadata }) => metadata.name);

test("of several files, one without a manifest is passed over, and of one with a fault nothing is taken", async () => {
  const put = (name: string, text: string) => writeFileSync(join(folder, name), text);
  put("a.yaml", `${HEAD}metadata: {name: a}\n`);
  put("comment.yaml", "# words\n---\n");
  put("empty.json", "");
  put("wrong.yaml", `${HEAD}metadata: {name: w}\n---\nkind: Pod\n`);
  const all = await readAllManifests([folder]);
  expect(namesOf(all)).toEqual(["a"]);
  expect(all.faults.map(({ message }) => message)).toEqual([`${folder}/wrong.yaml: apiVersion is required`]);
  await expect(readAllManifests(["wrong.yaml", "empty.json"].map((name) => join(folder, name)))).rejects.toMatchObject({
    code: "Refused",
    message: `${folder}/wrong.yaml: apiVersion is required`,
  });
  const [comment, empty] = [join(folder, "comment.yaml"), join(folder, "empty.json")];
  await expect(readAllManifests([comment, empty])).rejects.toThrow(`${comment}, ${empty} hold no manifest`);
});

test("a folder stands for the manifests right in it, by name", async () => {
  const put = (name: string) => writeFileSync(join(folder, name), `${HEAD}metadata: {name: ${name}}\n`);
  mkdirSync(join(folder, "deeper"));
  for (const name of ["b.yml", "a.yaml", "c.json", "readme.md", "deeper/d.yaml"]) put(name);
  expect(namesOf(await readAllManifests([folder]))).toEqual(["a.yaml", "b.yml", "c.json"]);
  mkdirSync(join(folder, "empty"));
  await expect(readAllManifests([join(folder, "empty")])).rejects.toThrow("is a folder without a manifest");
});
