import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { AllocationEngine } from "#allocation/engine/engine.ts";
import { featureGates } from "#api/agones/feature-gates.ts";
import type { GameServer } from "#api/agones/gameserver.ts";
import { FLEETS as FLEET_TYPE, GAMESERVERS, GAMESERVERSETS } from "#api/agones/resources.ts";
import { CUSTOM_RESOURCE_DEFINITIONS, NAMESPACES, PODS } from "#api/core/resources.ts";
import { parseJson } from "#api/meta/json.ts";
import { allocationGroup } from "#extensions/allocation-group.ts";
import { FakeClock } from "#runtime/clock.ts";
import { fleetManifest, gameServer, openCommandLine } from "#tests/command-line/command-line.ts";
import { loadImages } from "../images.ts";
import { resolveCommand } from "./images.ts";

const FLEETS = "/apis/agones.dev/v1/namespaces/default/fleets";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "stadion-commands-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function file(name: string, object: object): string {
  writeFileSync(join(folder, name), JSON.stringify(object));
  return join(folder, name);
}

describe("allocate", () => {
  /** A cluster whose allocations all end as told. */
  function withAnswer(answer: Awaited<ReturnType<AllocationEngine["allocate"]>>) {
    const engine = { allocate: async () => answer } as unknown as AllocationEngine;
    return openCommandLine({ groups: [allocationGroup({ engine, gates: featureGates(), clock: new FakeClock() })] });
  }
  const ALLOCATION = { apiVersion: "allocation.agones.dev/v1", kind: "GameServerAllocation" };
  const configMap = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "c" } };
  const taken: GameServer = {
    ...gameServer("arena-1"),
    status: { state: "Allocated", address: "192.0.2.7", nodeName: "n", ports: [{ name: "default", port: 7001 }] },
  };

  test("prints where the server is, in the format asked for", async () => {
    const { run } = await withAnswer({ state: "Allocated", gameServer: taken });
    const { code, out, err } = await run("allocate arena");
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(out.split("\n").map((line) => line.split(/ {2,}/))).toEqual([
      ["NAME", "ADDRESS", "PORTS", "NODE"],
      ["arena-1", "192.0.2.7", "default:7001", "n"],
    ]);
    expect((await run("allocate -o name")).out).toBe("gameservers/arena-1");
    expect(parseJson((await run("allocate arena -o json")).out)).toMatchObject({
      spec: { selectors: [{ matchLabels: { "agones.dev/fleet": "arena" } }] },
      status: { state: "Allocated", gameServerName: "arena-1" },
    });
  });

  test("by a manifest that is applied shows and ends the same", async () => {
    const manifest = file("allocation.json", { ...ALLOCATION, metadata: {}, spec: {} });
    const found = await withAnswer({ state: "Allocated", gameServer: taken });
    expect((await found.run(`apply -f ${manifest}`)).out).toMatch(/^NAME .*\narena-1 +192\.0\.2\.7/);
    const none = await withAnswer({ state: "UnAllocated" });
    expect(await none.run(`apply -f ${manifest}`)).toEqual({
      code: 4,
      out: "",
      err: "error: UnAllocated: no server could be allocated in namespace default",
    });
    const several = await none.run(`apply -f ${file("a.json", configMap)} -f ${manifest} -f ${manifest}`);
    expect(several).toMatchObject({ code: 4, out: "configmaps/c created" });
    expect(several.err.match(/UnAllocated/g)).toHaveLength(2);
  });

  test("ends with 4 when there is none, and says whether the fleet is there", async () => {
    const { run, server } = await withAnswer({ state: "UnAllocated" });
    await server.make(FLEETS, fleetManifest("arena", 0));
    expect(await run("allocate arena")).toEqual({
      code: 4,
      out: "",
      err: "error: UnAllocated: no server of fleet arena could be allocated in namespace default",
    });
    expect((await run("allocate nope")).err).toBe("error: UnAllocated: there is no fleet nope in namespace default");
    expect((await run("allocate")).err).toBe("error: UnAllocated: no server could be allocated in namespace default");
  });

  test("takes a manifest, and nothing that is none", async () => {
    const { run } = await withAnswer({ state: "Allocated", gameServer: taken });
    const request = { apiVersion: "allocation.agones.dev/v1", kind: "GameServerAllocation", metadata: {}, spec: {} };
    expect((await run(`allocate -f ${file("a.json", request)} -o name`)).code).toBe(0);
    const other = file("b.json", { apiVersion: "v1", kind: "Pod" });
    expect(await run(`allocate -f ${other}`)).toMatchObject({
      code: 2,
      err: `error: ${other} must hold one GameServerAllocation of allocation.agones.dev/v1`,
    });
    expect((await run(`allocate arena -f ${other}`)).code).toBe(2);
  });
});

describe("logs", () => {
  const pod = (name: string) => ({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, namespace: "default" },
    spec: { nodeName: "n", containers: [{ name: "game", image: "i" }] },
  });

  test("prints what the server wrote, the last line too when it has no end", async () => {
    const { run, client } = await openCommandLine({
      podLogs: { open: async () => chunks("on", "e\ntw", "o\n", "three") },
    });
    await client.create(PODS, pod("a"));
    expect(await run("logs a")).toEqual({ code: 0, out: "one\ntwo\nthree", err: "" });
    for (const name of ["gameservers/a", "gs/a", "pod/a", "gameserver.agones.dev/a"])
      expect((await run(`logs ${name}`)).out).toBe("one\ntwo\nthree");
  });

  test("prints what all servers with some labels wrote, each line with its server", async () => {
    const { run, client } = await openCommandLine({
      podLogs: { open: async ({ pod }) => chunks(`${pod} is up\n`, "over") },
    });
    for (const name of ["a", "b", "c"]) {
      await client.create(GAMESERVERS, gameServer(name, { mode: name === "c" ? "other" : "duel" }));
      if (name !== "b") await client.create(PODS, pod(name));
    }
    expect(await run("logs -l mode=duel")).toMatchObject({
      code: 1,
      out: "[a] a is up\n[a] over",
      err: expect.stringMatching(/^error: .*game server b has no process/),
    });
    expect((await run("logs -l mode=other -f")).out).toBe("[c] c is up\n[c] over");
    expect(await run("logs -l mode=none")).toMatchObject({ code: 0, out: "", err: expect.stringContaining("No ") });
    for (const wrong of ["logs", "logs a -l mode=duel"]) expect((await run(wrong)).code).toBe(2);
  });

  test("passes on which container, which run and how many lines", async () => {
    const asked: object[] = [];
    const { run, client } = await openCommandLine({
      podLogs: {
        open: async ({ signal: _, ...request }) => {
          asked.push(request);
          return chunks("x\n");
        },
      },
    });
    await client.create(PODS, pod("a"));
    await run("logs a -c game --previous --tail 3");
    expect(asked).toEqual([expect.objectContaining({ container: "game", previous: true, tailLines: 3 })]);
    expect(await run("logs a --tail some")).toMatchObject({ code: 2, err: expect.stringContaining("a whole number") });
  });

  test("says of a server without a process why, and of one that is gone that it is", async () => {
    const { run, client } = await openCommandLine();
    await client.create(GAMESERVERS, gameServer("a"));
    expect(await run("logs a")).toEqual({
      code: 1,
      out: "",
      err: 'error: game server a has no process (state PortAllocation): "npx stadion get events" says why',
    });
    const byHand = gameServer("b");
    const annotations = { "agones.dev/dev-address": "127.0.0.1" };
    const ports = [{ name: "default", portPolicy: "Static" as const, hostPort: 7001 }];
    await client.create(GAMESERVERS, {
      ...byHand,
      metadata: { ...byHand.metadata, annotations },
      spec: { ...byHand.spec, ports },
    });
    expect((await run("logs b")).err).toBe(
      'error: the game of b was started by hand, as "npx stadion dev" does: what it writes is in the terminal where it runs',
    );
    expect((await run("logs nope -n other")).err).toBe(
      'error: there is no game server nope in namespace other, and its log went with it: "npx stadion get gameservers" lists those that are there',
    );
  });
});

describe("images", () => {
  test("are added, listed and removed", async () => {
    const { run } = await openCommandLine();
    expect((await run("images list")).err).toContain("No images are mapped");
    expect(await run(["images", "add", "game:1", "--", "/bin/cat", "server.js", "$(PORT)"])).toMatchObject({
      code: 0,
      out: "game:1 now runs /bin/cat server.js $(PORT)",
    });
    await run("images add other -- /bin/sh");
    expect((await run("images list")).out.split("\n").map((line) => line.split(/ {2,}/))).toEqual([
      ["IMAGE", "COMMAND"],
      ["game:1", "/bin/cat server.js $(PORT)"],
      ["other", "/bin/sh"],
    ]);
    expect(parseJson((await run("images list -o json")).out)).toMatchObject({
      "game:1": { command: ["/bin/cat", "server.js", "$(PORT)"], cwd: process.cwd() },
    });
    expect((await run("images remove game:1")).out).toBe("game:1 is no longer mapped");
    expect(await run("images remove game:1")).toEqual({
      code: 1,
      out: "",
      err: 'error: no image game:1 is mapped: "npx stadion images list" shows those that are',
    });
  });

  test("a command that cannot be run is refused before it is mapped", async () => {
    const { run } = await openCommandLine();
    const { code, err } = await run(`images add game -- ${folder}/none`);
    expect({ code, err }).toEqual({ code: 2, err: `error: ${folder}/none is not there` });
    expect((await run("images list")).out).toBe("");
  });
});

describe("a command", () => {
  const path = () => `${folder}/none:${folder}:/bin`;
  const resolved = (command: readonly string[]) => resolveCommand(command, path());
  const fault = (command: readonly string[]) => {
    try {
      resolved(command);
    } catch (error) {
      return (error as Error).message;
    }
  };

  test("that is named by a path becomes absolute, and so does a name of the PATH", () => {
    writeFileSync(join(folder, "game"), "");
    chmodSync(join(folder, "game"), 0o755);
    expect(resolved([join(folder, "x", "..", "game"), "a", "./b"])).toEqual([join(folder, "game"), "a", "./b"]);
    expect(resolved(["./node_modules/.bin/node"])).toEqual([join(process.cwd(), "node_modules/.bin/node")]);
    expect(resolved(["game", "a"])).toEqual([join(folder, "game"), "a"]);
  });

  test("that cannot be run says why", () => {
    writeFileSync(join(folder, "text"), "");
    expect(fault([join(folder, "none")])).toBe(`${folder}/none is not there`);
    expect(fault(["text"])).toBe(`text is in none of the folders of PATH: ${path()}`);
    expect(fault([`${folder}/`])).toBe(`${folder} is a folder, not a program`);
    // Who runs as root may do much, but not run what nobody may.
    expect(fault([join(folder, "text")])).toBe(`${folder}/text may not be executed: try chmod +x`);
  });
});

describe("run", () => {
  test("maps the program, makes a fleet of its name, and says where each server is", async () => {
    const { run, start, client, server, agent, dataDir } = await openCommandLine();
    writeFileSync(join(folder, "My_Server.sh"), "");
    chmodSync(join(folder, "My_Server.sh"), 0o755);
    const running = start(["run", "--", join(folder, "My_Server.sh"), "--port", "$(PORT)"]);
    await expect.poll(() => running.err.at(-1)).toBe("Fleet my-server: 0 of 1 game servers Ready");
    const fleet = await client.get(FLEET_TYPE, "default", "my-server");
    const labels = { "agones.dev/fleet": "my-server" };
    await client.create(GAMESERVERS, { ...gameServer("my-server-x", labels), spec: fleet.spec.template.spec });
    await server.patch("/apis/agones.dev/v1/namespaces/default/gameservers/my-server-x", "merge", {
      status: { state: "Ready", address: "127.0.0.1", ports: [{ name: "default", port: 7001 }] },
    });
    agent.processes = [
      { namespace: "default", pod: "my-server-x", container: "game-server", pid: 42, logFile: `${dataDir}/x.log` },
    ];
    const { code, out } = await running.ended;
    expect(code).toBe(0);
    expect(out.split("\n")[1]?.split(/ {2,}/)).toEqual(["my-server-x", "127.0.0.1:7001", "42", `${dataDir}/x.log`]);
    const [[image, { command }]] = Object.entries(parseJson((await run("images list -o json")).out) as object) as [
      [string, { command: string[] }],
    ];
    expect(command).toEqual([join(folder, "My_Server.sh"), "--port", "$(PORT)"]);
    expect((await run("get fleet my-server -o json")).out).toContain(`"image": "${image}"`);
  });

  test("ends with 5 when it takes too long, with 130 when Ctrl-C ends it first", async () => {
    const { run, start } = await openCommandLine();
    const late = await run("run --timeout 0 --name arena -- sh");
    expect(late).toMatchObject({ code: 5, out: "" });
    expect(late.err).toContain("fleet arena has 0 of 1 servers Ready after 0 s");
    const running = start("run --name arena -- sh");
    await expect.poll(() => running.err.join()).toContain("0 of 1");
    running.ctrlC();
    expect((await running.ended).code).toBe(130);
  });

  test("run again keeps the fleet's number and says that its servers are replaced; a fleet of somebody else's stays", async () => {
    const { run, client, server } = await openCommandLine();
    await run("run --timeout 0 --replicas 3 --name arena -- sh");
    const again = await run("run --timeout 0 --name arena -- sh -x");
    expect(again.err).toMatch(/^Fleet arena configured, its servers are replaced; image stadion\.local\/arena:/);
    expect((await client.get(FLEET_TYPE, "default", "arena")).spec.replicas).toBe(3);
    await server.make(FLEETS, fleetManifest("duels", 1));
    expect(await run("run --timeout 0 --name duels -- sh")).toEqual({
      code: 1,
      out: "",
      err: "error: fleet duels is there already, and runs game:1: choose another --name, or delete it first",
    });
    expect(Object.keys(await loadImages(client)).join()).not.toContain("duels");
  });

  test("its image goes with the fleet, and with its last servers when it runs something else; others stay", async () => {
    const { run, client } = await openCommandLine();
    const commands = async () => Object.values(await loadImages(client)).map(({ command }) => command.slice(1).join());
    await run("images add stadion.local/arenas:1 -- sh other");
    await client.create(NAMESPACES, { apiVersion: "v1", kind: "Namespace", metadata: { name: "b" } });
    for (const script of ["-a", "-b"]) await run(`run --timeout 0 --name arena -- sh ${script}`);
    expect(await commands()).toEqual(["other", "-b"]);
    await run("run --timeout 0 -n b --name arena -- sh -b");
    const { metadata, spec } = await client.get(FLEET_TYPE, "default", "arena");
    const owner = {
      apiVersion: "agones.dev/v1",
      kind: "Fleet",
      name: "arena",
      uid: metadata.uid ?? "",
      controller: true,
    };
    await client.create(GAMESERVERSETS, {
      apiVersion: "agones.dev/v1",
      kind: "GameServerSet",
      metadata: { name: "arena-1", namespace: "default", ownerReferences: [owner] },
      spec: { replicas: 0, template: spec.template },
    });
    await run("run --timeout 0 --name arena -- sh -c");
    await run("delete fleet arena -n b");
    expect(await commands()).toEqual(["other", "-b", "-c"]);
    await run("delete fleet arena");
    expect(await commands()).toEqual(["other"]);
  });

  test("an image of a fleet that another program deleted is not listed; those that people mapped are", async () => {
    const { run, client } = await openCommandLine();
    await run("images add stadion.local/arenas:1 -- sh");
    for (const name of ["arena", "duels"]) await run(`run --timeout 0 --name ${name} -- sh`);
    await client.delete(FLEET_TYPE, "default", "arena");
    const listed = Object.keys(parseJson((await run("images list -o json")).out) as object);
    expect(listed).toEqual(["stadion.local/arenas:1", expect.stringMatching(/^stadion\.local\/duels:/)]);
    await client.delete(CUSTOM_RESOURCE_DEFINITIONS, "", "fleets.agones.dev");
    await expect
      .poll(async () => (await run("images list -o json")).out)
      .toMatch(/^\{\s*"stadion\.local\/arenas:1": \{[^{}]*\}\s*\}$/);
  });

  test("what is refused leaves no mapping behind", async () => {
    const { run, client } = await openCommandLine();
    expect(await run(["run", "--name", "Grüße!", "--", "sh"])).toMatchObject({
      code: 2,
      err: expect.stringMatching(/--name <name>.*'Grüße!'.*small letters/),
    });
    expect((await run("run -n nowhere --timeout 0 -- sh")).code).toBe(1);
    expect((await run("run --replicas 99999999999 --timeout 0 -- sh")).code).toBe(1);
    expect(await run(["images", "add", "Bad Name!", "--", "sh"])).toMatchObject({
      code: 2,
      err: expect.stringMatching(/^error: 'Bad Name!' cannot be the name\. .*an image's name/),
    });
    expect(await loadImages(client)).toEqual({});
  });

  test("a program that is not there makes no fleet", async () => {
    const { run } = await openCommandLine();
    expect((await run("run -- ./none")).code).toBe(2);
    expect((await run("get fleets -o name")).out).toBe("");
  });
});

async function* chunks(...texts: readonly string[]): AsyncGenerator<Uint8Array> {
  for (const each of texts) yield new TextEncoder().encode(each);
}
