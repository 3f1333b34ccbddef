/** What people do with kubectl; skipped where it is not installed. */
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { ROOT, useCluster } from "./harness/cluster.ts";
import { eventually } from "./harness/eventually.ts";
import { hasKubectl } from "./harness/kubectl.ts";
import { fleet, gameServer } from "./harness/manifests.ts";

/** A table's header as its words. */
const headOf = (table: string): readonly string[] => (table.split("\n")[0] ?? "").split(/\s+/).filter(Boolean);

describe.skipIf(!hasKubectl)("kubectl", () => {
  const cluster = useCluster();
  const kubectl = cluster.kubectl.bind(cluster);
  beforeAll(async () => {
    await kubectl("apply -f -", { input: fleet("arena", { replicas: 2 }) });
    await cluster.servers("arena", 2);
  });

  describe("get", () => {
    const replicas = ["NAME", "SCHEDULING", "DESIRED", "CURRENT", "ALLOCATED", "READY", "AGE"];
    it.each([
      [
        "gameservers",
        "gs",
        ["NAME", "STATE", "ADDRESS", "PORT", "NODE", "AGE"],
        /arena-\S+ +Ready +127\.0\.0\.1 +1\d{4} /,
      ],
      ["gameserversets", "gss", replicas, /arena-\S+ +Packed +2 +2 +0 +2 /],
      ["fleets", "flt", replicas, /arena +Packed +2 +2 +0 +2 /],
      ["pods", "po", ["NAME", "READY", "STATUS", "RESTARTS", "AGE"], /arena-\S+ +2\/2 +Running +0 /],
      ["nodes", "no", ["NAME", "STATUS", "ROLES", "AGE", "VERSION"], / Ready +/],
      [
        "events",
        "ev",
        ["LAST", "SEEN", "TYPE", "REASON", "OBJECT", "MESSAGE"],
        /Normal +Ready +gameserver\/arena-\S+ +SDK\.Ready\(\) complete/,
      ],
      ["namespaces", "ns", ["NAME", "STATUS", "AGE"], /default +Active /],
    ])("shows %s in their columns", async (plural, short, columns, row) => {
      const table = await kubectl(`get ${plural}`);
      expect(headOf(table)).toEqual(columns);
      expect(table).toMatch(row);
      expect(headOf(await kubectl(`get ${short}`))).toEqual(columns);
    });

    it("shows objects as JSON, YAML, wide, by selector and by path", async () => {
      const { items } = JSON.parse(await kubectl("get gs -l agones.dev/fleet=arena -o json"));
      expect(items).toHaveLength(2);
      expect(await kubectl("get fleet arena -o yaml")).toMatch(/^kind: Fleet$/m);
      expect(headOf(await kubectl("get pods -o wide"))).toContain("IP");
      expect(await kubectl("get fleet arena -o jsonpath={.status.readyReplicas}")).toBe("2");
      expect(await cluster.tryKubectl("get fleet nowhere")).toMatchObject({
        code: 1,
        err: expect.stringContaining('fleets.agones.dev "nowhere" not found'),
      });
    });

    it("follows changes with -w", async () => {
      await using watch = cluster.startKubectl("get fleets -w --output-watch-events");
      await watch.prints(/ADDED +arena/);
      await kubectl("create -f -", { input: fleet("watched", { replicas: 0 }) });
      await watch.prints(/watched +Packed +0/);
      await kubectl("scale fleet watched --replicas=1");
      await watch.prints(/watched +Packed +1 +1 +0 +1/);
      await kubectl("delete fleet watched");
      await watch.prints(/DELETED +watched/);
    });
  });

  describe("describe", () => {
    it.each([
      ["gameservers", /State: +Ready[\s\S]*Events:[\s\S]*SDK\.Ready\(\) complete/],
      ["gameserversets", /Ready Replicas: +2[\s\S]*Events:[\s\S]*SuccessfulCreate/],
      ["fleets", /Ready Replicas: +2[\s\S]*Events:[\s\S]*CreatingGameServerSet/],
      ["pods", /Status: +Running[\s\S]*Image: +us-docker[\s\S]*Events:[\s\S]*Started container/],
      ["nodes", /Capacity:[\s\S]*cpu:[\s\S]*Non-terminated Pods:[\s\S]*arena-/],
      ["namespaces", /Name: +default[\s\S]*Status: +Active/],
      ["events", /Reason: +Ready/],
    ])("tells all about %s", async (kind, told) => {
      await eventually(async () => expect(await kubectl(`describe ${kind}`)).toMatch(told));
    });
  });

  it("explains the fields of every kind", async () => {
    expect(await kubectl("explain fleet.spec.replicas")).toMatch(/KIND: +Fleet[\s\S]*FIELD: replicas/);
    expect(await kubectl("explain gameserver.spec.ports.portPolicy")).toMatch(/FIELD: portPolicy/);
    for (const kind of ["gameserverset", "pod", "node", "event", "namespace"])
      expect(await kubectl(`explain ${kind}`)).toMatch(/FIELDS:/);
  });

  it("applies, tells what changed, and removes what a later manifest leaves out", async () => {
    const labelled = fleet("applied", { replicas: 0, labels: { map: "dust", mode: "duel" } });
    expect(await kubectl("apply -f -", { input: labelled })).toBe("fleet.agones.dev/applied created\n");
    expect(await kubectl("apply -f -", { input: labelled })).toBe("fleet.agones.dev/applied unchanged\n");
    const changed = fleet("applied", { replicas: 0, labels: { map: "aztec" } });
    expect((await cluster.tryKubectl("diff -f -", { input: changed })).out).toMatch(/^-.*map: dust$/m);
    expect(await kubectl("apply -f -", { input: changed })).toBe("fleet.agones.dev/applied configured\n");
    expect((await cluster.fleet("applied")).spec.template.metadata?.labels).toEqual({ map: "aztec" });
    await kubectl("delete fleet applied");
  });

  it("gets an honest answer to apply --server-side", async () => {
    const { code, err } = await cluster.tryKubectl("apply --server-side -f -", {
      input: fleet("ssa", { replicas: 0 }),
    });
    expect(code).not.toBe(0);
    expect(err).toMatch(/server-side apply|Server-side apply/i);
    expect(await cluster.tryKubectl("get fleet ssa")).toMatchObject({ code: 1 });
  });

  it("creates, and refuses what is there already", async () => {
    const input = fleet("created", { replicas: 0 });
    expect(await kubectl("create -f -", { input })).toBe("fleet.agones.dev/created created\n");
    expect((await cluster.tryKubectl("create -f -", { input })).err).toContain(
      'fleets.agones.dev "created" already exists',
    );
    expect(await kubectl("delete fleet created")).toMatch(/fleet.agones.dev "created" deleted/);
    expect((await cluster.tryKubectl("get fleet created")).code).toBe(1);
  });

  it("does not change anything with --dry-run=server", async () => {
    const input = fleet("dry", { replicas: 1 });
    expect(await kubectl("apply --dry-run=server -f -", { input })).toMatch(/created \(server dry run\)/);
    expect((await cluster.tryKubectl("get fleet dry")).code).toBe(1);
  });

  it("edits an object with an editor", async () => {
    await kubectl("create -f -", { input: fleet("edited", { replicas: 0 }) });
    const editor = join(cluster.home, "editor.sh");
    writeFileSync(editor, '#!/bin/sh\nsed -i "s/scheduling: Packed/scheduling: Distributed/" "$1"\n');
    chmodSync(editor, 0o755);
    expect(await kubectl("edit fleet edited", { env: { KUBE_EDITOR: editor } })).toMatch(/edited$/m);
    expect((await cluster.fleet("edited")).spec.scheduling).toBe("Distributed");
    await kubectl("delete fleet edited");
  });

  it("patches by merge and by JSON patch, labels and annotates", async () => {
    await kubectl("create -f -", { input: fleet("patched", { replicas: 0 }) });
    await kubectl(["patch", "fleet", "patched", "--type=merge", "-p", '{"spec":{"scheduling":"Distributed"}}']);
    const operations = '[{"op":"add","path":"/metadata/annotations","value":{"a":"1"}}]';
    await kubectl(["patch", "fleet", "patched", "--type=json", "-p", operations]);
    await kubectl("label fleet patched region=eu");
    await kubectl("annotate fleet patched b=2");
    const { metadata, spec } = await cluster.fleet("patched");
    expect([spec.scheduling, metadata.labels, metadata.annotations]).toEqual([
      "Distributed",
      { region: "eu" },
      { a: "1", b: "2" },
    ]);
    expect(await kubectl("label fleet patched region-")).toMatch(/unlabeled/);
    const strategic = await cluster.tryKubectl(["patch", "fleet", "patched", "-p", "{}"]);
    expect(strategic).toMatchObject({
      code: 1,
      err: expect.stringContaining("is not supported by agones.dev/v1, Kind=Fleet"),
    });
    await kubectl("delete fleet patched");
  });

  it("labels and annotates game servers and pods", async () => {
    const [server] = await cluster.gameServers("arena");
    const name = server?.metadata.name;
    for (const kind of ["gameserver", "pod"]) {
      expect(await kubectl(`label ${kind} ${name} tested=yes`)).toMatch(/labeled/);
      expect(await kubectl(`annotate ${kind} ${name} tested=yes`)).toMatch(/annotated/);
      expect(await kubectl(`get ${kind} -l tested=yes -o name`)).toMatch(new RegExp(`/${name}\n$`));
    }
    expect(await kubectl(`get gs ${name} -o jsonpath={.status.state}`)).toBe("Ready");
  });

  it("scales fleets and sets, and waits for conditions and values", async () => {
    await kubectl("create -f -", { input: fleet("scaled", { replicas: 0 }) });
    expect(await kubectl("scale fleet scaled --replicas=2")).toBe("fleet.agones.dev/scaled scaled\n");
    const ready = "wait fleet/scaled --for=jsonpath={.status.readyReplicas}=2 --timeout=30s";
    expect(await kubectl(ready)).toMatch(/condition met/);
    expect((await cluster.tryKubectl("scale fleet scaled --current-replicas=7 --replicas=1")).code).toBe(1);
    expect(await kubectl("scale fleet scaled --replicas=0")).toMatch(/scaled/);
    await kubectl("wait gameservers -l agones.dev/fleet=scaled --for=delete --timeout=30s");
    expect(await kubectl("get gameserversets -l agones.dev/fleet=scaled -o jsonpath={.items[*].spec.replicas}")).toBe(
      "0",
    );
    expect(await kubectl("get fleet arena --subresource=scale -o jsonpath={.spec.replicas}")).toBe("2");
    await kubectl("delete fleet scaled");
    expect(await kubectl("wait node --all --for=condition=Ready --timeout=10s")).toMatch(/condition met/);
    expect(await kubectl("wait pods -l agones.dev/role=gameserver --for=condition=Ready --timeout=10s")).toMatch(
      /condition met/,
    );
  });

  it("creates, scales and deletes a set of its own", async () => {
    const { metadata, spec } = JSON.parse(fleet("lone", { replicas: 1 }));
    const set = { apiVersion: "agones.dev/v1", kind: "GameServerSet", metadata, spec };
    expect(await kubectl("create -f -", { input: JSON.stringify(set) })).toMatch(/lone created/);
    await kubectl("wait gss/lone --for=jsonpath={.status.readyReplicas}=1 --timeout=30s");
    expect(await kubectl("scale gss lone --replicas=2")).toMatch(/lone scaled/);
    await kubectl("wait gss/lone --for=jsonpath={.status.readyReplicas}=2 --timeout=30s");
    await kubectl("delete gss lone");
    await kubectl("wait gameservers -l agones.dev/gameserverset=lone --for=delete --timeout=30s");
  });

  it("shows what a game server wrote, and follows it", async () => {
    await kubectl("create -f -", { input: gameServer("talker") });
    await cluster.server("talker");
    expect(await kubectl("logs talker -c game")).toMatch(/Listening on UDP port 1\d{4}\n/);
    expect((await kubectl("logs talker -c game --tail=1")).trim().split("\n")).toHaveLength(1);
    expect(await kubectl("logs talker --all-containers")).toMatch(/Listening on UDP port/);
    expect(await kubectl("logs talker -c game --timestamps")).toMatch(/^\d{4}-\d\d-\d\dT\S+Z /);
    await using following = cluster.startKubectl("logs -f talker -c game");
    await following.prints(/Ready/);
    expect(await kubectl("delete gs talker")).toMatch(/deleted/);
    expect(await following.ended).toMatchObject({ code: 0, out: expect.stringContaining("terminating") });
  });

  it("creates game servers with names of their own from the upstream manifest", async () => {
    const manifest = join(ROOT, "examples/simple-game-server/gameserver.yaml");
    const [, name = ""] =
      /gameserver.agones.dev\/(simple-game-server-\S+) created/.exec(await kubectl(`create -f ${manifest}`)) ?? [];
    await cluster.server(name);
    await kubectl(`delete gs ${name}`);
    expect((await cluster.tryKubectl(`get pod ${name}`)).code).toBe(1);
  });

  it("makes and deletes namespaces with all that is in them", async () => {
    await kubectl("create namespace games");
    await kubectl("-n games create -f -", { input: gameServer("far") });
    await kubectl("-n games wait gs/far --for=jsonpath={.status.state}=Ready --timeout=30s");
    await kubectl("delete namespace games --timeout=60s");
    await eventually(async () => expect(await kubectl("get gs,pods -A -o name")).not.toContain("far"));
    expect([...(await cluster.containers()).keys()]).not.toContain("far");
  });
});
