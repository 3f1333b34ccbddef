/** What people do without kubectl. */
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { askUdp } from "./harness/ask.ts";
import { ROOT, STADION, useCluster } from "./harness/cluster.ts";
import { eventually } from "./harness/eventually.ts";
import { writeProgram } from "./harness/games.ts";
import { fleet, gameServer } from "./harness/manifests.ts";
import { readProcess } from "./harness/processes.ts";
import { Program, run } from "./harness/program.ts";

const cluster = useCluster("--no-quick-start");
const stadion = cluster.stadion.bind(cluster);
const json = async (command: string): Promise<unknown> => JSON.parse(await stadion(`${command} --output json`));

describe("a fleet", () => {
  beforeAll(async () => {
    expect(await stadion("apply -f -", { input: fleet("arena", { replicas: 2 }) })).toMatch(/arena created/);
    await cluster.servers("arena", 2);
  });

  it("is shown in tables for people, and as JSON for scripts", async () => {
    const table = await stadion("get fleets");
    expect(table).toMatch(/^NAME +SCHEDULING +DESIRED +CURRENT +ALLOCATED +READY +AGE\narena +Packed +2 +2 +0 +2 /);
    expect(await stadion("get gs")).toMatch(
      /NAME +STATE +ADDRESS +PORT +NODE +AGE\n(arena-\S+ +Ready +127\.0\.0\.1 .*\n){2}/,
    );
    expect(await json("get fleet arena")).toMatchObject({ kind: "Fleet", status: { readyReplicas: 2 } });
    expect(await json("get gs -l agones.dev/fleet=arena")).toMatchObject({ items: [{}, {}] });
    for (const kind of ["gameserversets", "pods", "nodes", "events", "namespaces"])
      expect(await stadion(`get ${kind} -A`)).toMatch(/NAME/);
  });

  it("is applied, changed, scaled and deleted", async () => {
    const manifest = fleet("later", { replicas: 0 });
    expect(await stadion("apply -f -", { input: manifest })).toMatch(/later created/);
    expect(await stadion("apply -f -", { input: manifest })).toMatch(/later unchanged/);
    expect(await stadion("apply -f -", { input: fleet("later", { replicas: 1 }) })).toMatch(/later configured/);
    await cluster.servers("later", 1);
    expect(await stadion("scale fleet later --replicas 2")).toMatch(/later scaled/);
    await cluster.servers("later", 2);
    expect(await stadion("delete fleet later")).toMatch(/later deleted/);
    await eventually(async () => expect(await cluster.gameServers("later")).toEqual([]));
  });

  it("is watched: every change is a line", async () => {
    await using watch = cluster.startStadion("watch fleets");
    await watch.prints(/arena +Packed +2/);
    await stadion("scale fleet arena --replicas 3");
    await watch.prints(/arena +Packed +3 +3 +0 +3/);
    watch.ctrlC();
    expect((await watch.ended).code).toBe(0);
    await stadion("scale fleet arena --replicas 2");
    await cluster.servers("arena", 2);
  });

  it("gives a server to a match, and says so with exit code 4 when there is none", async () => {
    expect(await stadion("allocate arena")).toMatch(
      /NAME +ADDRESS +PORTS +NODE\narena-\S+ +127\.0\.0\.1 +default:1\d{4} /,
    );
    const answer = await json("allocate arena");
    expect(answer).toMatchObject({
      status: { state: "Allocated", address: "127.0.0.1", ports: [{ name: "default" }] },
    });
    const none = await cluster.tryStadion("allocate arena");
    expect(none).toMatchObject({ code: 4, err: expect.stringContaining("UnAllocated") });
    const file = join(ROOT, "examples/simple-game-server/gameserverallocation.yaml");
    expect((await cluster.tryStadion(["allocate", "-f", file])).code).toBe(4);
  });

  it("is shown by status, with the cluster's parts", async () => {
    expect(await stadion("status")).toMatch(
      /Control plane +running\nNode agent +running \(process \d+\)\nGame servers +2 Allocated[\s\S]*default +arena +2 +0 +2/,
    );
    expect(await json("status")).toMatchObject({
      nodeAgent: { state: "running", pid: cluster.part("node-agent").pid },
      nodes: [{ ready: true }],
      fleets: [{ name: "arena", desired: 2, allocated: 2 }],
      gameServers: { Allocated: 2 },
    });
  });
});

it("logs prints what a game server wrote, and follows it until it ends", async () => {
  await stadion("apply -f -", { input: gameServer("talker") });
  await cluster.server("talker");
  expect(await stadion("logs talker")).toMatch(/Listening on UDP port 1\d{4}\n/);
  expect((await stadion("logs talker --tail 1")).trim().split("\n")).toHaveLength(1);
  await using following = cluster.startStadion("logs talker --follow");
  await following.prints(/Ready/);
  await stadion("delete gs talker");
  expect(await following.ended).toMatchObject({ code: 0, out: expect.stringContaining("terminating") });
});

describe("run", () => {
  it("makes a fleet of a studio's own program, and prints address, process and log of each server", async () => {
    const program = writeProgram(join(cluster.home, "MyServer.mjs"));
    const command = ["run", "--replicas", "2", "--", program, "--port", "$(PORT)"];
    const out = await stadion(command);
    expect(out).toMatch(/^NAME +ADDRESS +PROCESS +LOG\n/);
    const rows = out.trim().split("\n").slice(1);
    expect(rows).toHaveLength(2);
    for (const row of rows) {
      const [name = "", address = "", pid = "", log = ""] = row.split(/ +/);
      expect(name).toMatch(/^myserver-/);
      const [host = "", port = ""] = address.split(":");
      expect(await askUdp({ address: host, port: Number(port) }, "hello")).toBe(`--port ${port}`);
      expect(readProcess(Number(pid))?.command).toEqual([process.execPath, program, "--port", port]);
      expect(readFileSync(log, "utf8")).toContain(`my game listens on ${port}`);
    }
    const other = await stadion([...command, "--other"]);
    expect(other).not.toContain(rows[0]?.split(" ")[0]);
    await stadion("delete fleet myserver");
  });

  it("finds a program by the person's PATH, not by what npm puts in front of it", async () => {
    const bin = join(cluster.home, "bin");
    mkdirSync(bin);
    writeProgram(join(bin, "node"), `#!/bin/sh\nexec ${process.execPath} "$@"\n`);
    const npm = `${ROOT}/node_modules/.bin:/node_modules/.bin:/usr/lib/node-gyp-bin`;
    const env = { PATH: `${npm}:${bin}:${process.env.PATH}` };
    const program = writeProgram(join(cluster.home, "game.mjs"));
    await stadion(["run", "--name", "mine", "--", "node", program], { env });
    expect(await stadion("images list")).toContain(`${bin}/node ${program}`);
    const missing = await run(process.execPath, [STADION, "--data-dir", cluster.dataDir, "run", "--", "biome"], {
      env: { PATH: `${npm}:${bin}` },
    });
    expect(missing).toMatchObject({ code: 2, err: `error: biome is in none of the folders of PATH: ${bin}\n` });
    await stadion("delete fleet mine");
  });

  it("with fewer replicas shows those that stay", async () => {
    const program = writeProgram(join(cluster.home, "fewer.mjs"));
    await stadion(["run", "--replicas", "3", "--", program]);
    const out = await stadion(["run", "--replicas", "1", "--", program]);
    const [, row = "", ...more] = out.trim().split("\n");
    expect(more).toEqual([]);
    const [server] = await cluster.servers("fewer", 1);
    expect(row).toContain(server?.metadata.name);
    await stadion("delete fleet fewer");
  });

  it("says what is wrong with a program that does not become Ready in time", async () => {
    const program = writeProgram(join(cluster.home, "sleeper"), "#!/bin/sh\nexec sleep 600\n");
    const { code, err } = await cluster.tryStadion(["run", "--timeout", "1", "--", program]);
    expect(code).toBe(5);
    expect(err).toMatch(/fleet sleeper has 0 of 1 servers Ready after \d s/);
    await stadion("delete fleet sleeper");
  });

  it("refuses a program that is not there or cannot be run, by its path", async () => {
    const text = writeProgram(join(cluster.home, "readme.txt"), "hello", 0o644);
    for (const path of [text, join(cluster.home, "nothing")]) {
      const { code, err } = await cluster.tryStadion(["run", "--", path]);
      expect(code).toBe(2);
      expect(err).toContain(path);
    }
    expect(await stadion("get fleets")).not.toContain("readme");
  });
});

describe("images", () => {
  const image = "registry.example.com/my-game";
  const server = () => gameServer("mapped", { image: `${image}:1.2`, args: ["from", "the", "manifest"] });

  it("that are not mapped are told as Kubernetes does, with the words that map them; mapping helps at once", async () => {
    await stadion("apply -f -", { input: server() });
    const waiting = await eventually(async () => {
      const pod = await cluster.get<Pod>("/api/v1/namespaces/default/pods/mapped");
      const { waiting } = pod.status.containerStatuses?.find(({ name }) => name === "game")?.state ?? {};
      expect(waiting?.reason).toMatch(/^(ErrImagePull|ImagePullBackOff)$/);
      return waiting;
    });
    expect(waiting?.message).toContain(`stadion images add ${image}`);
    await eventually(async () => expect(await stadion("get events")).toContain(`images add ${image}`));

    const program = writeProgram(join(cluster.home, "mapped.mjs"));
    expect(await stadion(["images", "add", image, "--", program])).toContain(`${image} now runs ${program}`);
    const { status } = await cluster.server("mapped");
    const { address = "", ports } = status ?? {};
    expect(await askUdp({ address, port: ports?.[0]?.port ?? 0 }, "")).toBe("from the manifest");
    await stadion("delete gs mapped");
  });

  it("are listed and removed", async () => {
    expect(await stadion("images list")).toMatch(
      /IMAGE +COMMAND\n[\s\S]*registry.example.com\/my-game +\/\S+\/mapped.mjs/,
    );
    expect(await json("images list")).toMatchObject({ [image]: { command: [expect.stringContaining("mapped.mjs")] } });
    expect(await stadion(`images remove ${image}`)).toContain(`${image} is no longer mapped`);
    expect(await stadion("images list")).not.toContain(image);
    expect(await cluster.tryStadion(`images remove ${image}`)).toMatchObject({ code: 1 });
  });
});

interface Pod {
  readonly status: {
    readonly containerStatuses?: readonly {
      readonly name: string;
      readonly state: { readonly waiting?: { readonly reason: string; readonly message: string } };
    }[];
  };
}

describe("exit codes", () => {
  it.each([
    ["2 for wrong words", 2, "get", /kind/],
    ["2 for an unknown command", 2, "fly away", /fly/],
    ["2 for a file that is not there", 2, "apply -f /nowhere.yaml", /\/nowhere.yaml/],
    ["2 for a kind nobody knows", 2, "get dragons", /dragons/],
    ["1 for what is not there", 1, "get fleet nowhere", /nowhere/],
    ["0 for help", 0, "--help", /^$/],
  ])("are %s", async (_, code, command, told) => {
    const ran = await cluster.tryStadion(command);
    expect(ran.code).toBe(code);
    expect(ran.err).toMatch(told);
  });

  it("are 3 where no cluster runs, which is named with the way to start one", async () => {
    const folder = join(cluster.home, "empty");
    const args = [join(ROOT, "tools/stadion.mjs"), "--data-dir", folder, "get", "fleets"];
    const { code, err } = await run(process.execPath, args);
    expect(code).toBe(3);
    expect(err).toContain(folder);
    expect(err).toContain("npm start");
  });

  it("come through npx, and STADION_DATA_DIR names the folder", async () => {
    const env = { STADION_DATA_DIR: cluster.dataDir };
    await using npx = new Program("npx", ["stadion", "get", "fleet", "nowhere"], { cwd: ROOT, env });
    expect(await npx.ended).toMatchObject({ code: 1, err: expect.stringContaining("nowhere") });
  });
});
